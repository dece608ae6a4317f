// Whether an address stays on this machine. Pure.

/** `hostname` is as in URL. Other machines cannot reach a loopback address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
