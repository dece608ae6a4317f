// Pure.

/** Whether a host name of an address (as URL has it) is that of the machine itself, which no other one reaches. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
