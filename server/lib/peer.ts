// The machine at the other end of a connection.

/** The local and the remote address of a socket. */
interface Ends {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Whether the other end of a connection is another machine. False if its address is no longer known. */
export function isOtherMachine({ localAddress, remoteAddress }: Ends): boolean {
  if (remoteAddress === undefined || remoteAddress === localAddress) return false;
  return !/^(::ffff:)?127\.|^::1$/.test(remoteAddress);
}
