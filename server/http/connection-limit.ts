// How many connections one address may hold. When it opens one too many, its longest unused connection is closed, so
// that idle or stuck ones never keep a new till out.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Applies the limit to every connection of a server, from its first moment on. The function it returns notes that a
 * connection was used; of a secure one, the connection that carries it.
 */
export function limitConnections(server: Server, mostPerAddress: number): (socket: Socket) => void {
  /** Sockets by address, the longest unused first. */
  const byAddress = new Map<string, Set<Socket>>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const sockets = byAddress.get(address) ?? new Set<Socket>();
    byAddress.set(address, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && byAddress.get(address) === sockets) byAddress.delete(address);
    });
    if (sockets.size > mostPerAddress) sockets.values().next().value?.destroy();
  });

  return (socket) => {
    const sockets = byAddress.get(socket.remoteAddress ?? '');
    if (sockets?.delete(socket)) sockets.add(socket);
  };
}
