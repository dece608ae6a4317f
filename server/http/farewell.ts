// Ends a connection on which the gateway can read no further call. HTTP leaves the sender's side open. A sender that never
// closes it would hold the connection forever.

import type { Duplex } from 'node:stream';

/** Maximum time that the sender has to read its last answer. */
const MAX_FAREWELL_MS = 1000;

/** Sends a last answer, and destroys the connection at most a second later. */
export function sayFarewell(socket: Duplex, bytes = ''): void {
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), MAX_FAREWELL_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
