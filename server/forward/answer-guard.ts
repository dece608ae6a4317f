// Limits the bytes that the gateway reads from an upstream for one call. Counts all bytes of the connection, because undici
// reads interim answers (1xx), chunk extensions and trailers without a limit.

import type { Socket } from 'node:net';

import type { buildConnector } from 'undici';

/** The error code of a call that was ended because its answer is too long. */
export const ANSWER_TOO_LONG = 'ANSWER_TOO_LONG';

/** Maximum bytes of a whole answer, as a multiple of the maximum body. This leaves room for headers and chunk framing. */
const BYTES_PER_BODY_BYTE = 2;

/** Returns a connector. It destroys a connection if the answer to one call is longer than twice `maxBodyBytes`. */
export function guardAnswers(connect: buildConnector.connector, maxBodyBytes: number): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[0] === null) guard(result[1], BYTES_PER_BODY_BYTE * maxBodyBytes);
      callback(...result);
    });
  };
}

/**
 * Counts the bytes read since the last write, because a write starts the next call. This listener must be added before undici
 * adds its listeners.
 */
function guard(socket: Socket, maxBytes: number): void {
  let written = socket.bytesWritten;
  let readBefore = socket.bytesRead;
  let read = readBefore;
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      readBefore = read;
    }
    read = socket.bytesRead;
    if (read - readBefore <= maxBytes) return;
    socket.destroy(Object.assign(new Error('The answer is too long.'), { code: ANSWER_TOO_LONG }));
  });
}
