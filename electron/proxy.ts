// The system's proxy for an address, parsed from Chromium's answer.

/**
 * The first way of a list such as `PROXY proxy.example.com:3128; DIRECT` that we can go, as a URL; null to go straight. SOCKS is
 * not spoken here.
 */
export function proxyOf(ways: string): string | null {
  for (const way of ways.split(';')) {
    const [kind = '', host] = way.trim().split(/\s+/);
    if (kind === 'DIRECT') return null;
    if (host === undefined) continue;
    if (kind === 'PROXY' || kind === 'HTTP') return `http://${host}`;
    if (kind === 'HTTPS') return `https://${host}`;
  }
  return null;
}
