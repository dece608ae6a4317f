// Whether an address stays on this machine. Pure.

/** Whether `hostname`, in the form of `URL.hostname`, is a loopback address. Other machines cannot reach a loopback address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
