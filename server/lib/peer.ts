// Who is at the other end of a connection.

/** The addresses of a connection, as a socket has them. */
interface Ends {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Whether it is another machine: not this one by whatever address of its own. False where that is not known any more. */
export function isOtherMachine({ localAddress, remoteAddress }: Ends): boolean {
  if (remoteAddress === undefined || remoteAddress === localAddress) return false;
  return !/^(::ffff:)?127\.|^::1$/.test(remoteAddress);
}
