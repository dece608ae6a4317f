// How many connections one address may hold. When it opens one too many, its longest unused connection is closed, so
// that idle or stuck ones never keep a new till out.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Applies the limit to every connection of a server, from its first moment on. The function it returns notes that a
 * connection was used; of a secure one, the connection that carries it. One with an answer `underway` is closed only where
 * every other has one too.
 */
export function limitConnections(
  server: Server,
  mostPerAddress: number,
): (socket: Socket, underway?: ServerResponse) => void {
  /** Sockets by address, the longest unused first. */
  const byAddress = new Map<string, Set<Socket>>();
  const answering = new WeakSet<Socket>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const sockets = byAddress.get(address) ?? new Set<Socket>();
    byAddress.set(address, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && byAddress.get(address) === sockets) byAddress.delete(address);
    });
    if (sockets.size <= mostPerAddress) return;
    const longestUnused = sockets.values().find((each) => each !== socket && !answering.has(each));
    (longestUnused ?? sockets.values().next().value)?.destroy();
  });

  return (socket, underway) => {
    const sockets = byAddress.get(socket.remoteAddress ?? '');
    if (sockets?.delete(socket)) sockets.add(socket);
    if (underway === undefined) return;
    answering.add(socket);
    underway.once('close', () => answering.delete(socket));
  };
}
