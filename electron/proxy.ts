// Reads the system's proxy for an address from Chromium's answer.

/**
 * The first usable proxy in a list such as `PROXY proxy.example.com:3128; DIRECT`, as a URL; null for a direct connection.
 * SOCKS is not supported.
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
