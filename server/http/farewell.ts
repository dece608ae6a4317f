// The end of a connection on which no further call can be read. HTTP leaves the sender's side open, so one that never closes it
// would keep the connection for as long as it likes.

import type { Duplex } from 'node:stream';

/** How long a sender has to read its answer. */
const MAX_FAREWELL_MS = 1000;

/** Sends what is left to say, and destroys the connection at the latest a second later. */
export function sayFarewell(socket: Duplex, bytes = ''): void {
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), MAX_FAREWELL_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
