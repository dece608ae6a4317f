// The peer of a connection.

/** The two addresses of a socket. */
interface Ends {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Whether the peer is another machine. False if the address is no longer known. */
export function isOtherMachine({ localAddress, remoteAddress }: Ends): boolean {
  if (remoteAddress === undefined || remoteAddress === localAddress) return false;
  return !/^(::ffff:)?127\.|^::1$/.test(remoteAddress);
}
