// Limits the bytes that an upstream can make the gateway read for one call. Counts all bytes of the connection, because undici
// reads interim answers (1xx), chunk extensions and trailers without a limit.

import type { Socket } from 'node:net';

import type { buildConnector } from 'undici';

/** The error code of a call that was ended because its answer is too long. */
export const ANSWER_TOO_LONG = 'ANSWER_TOO_LONG';

/** The answer to one call may have this multiple of the maximum body in bytes, which leaves room for headers and chunk framing. */
const BYTES_PER_BODY_BYTE = 2;

/** Destroys a connection when the answer to one call is longer than a body of `maxBodyBytes` can be. */
export function guardAnswers(connect: buildConnector.connector, maxBodyBytes: number): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[0] === null) guard(result[1], BYTES_PER_BODY_BYTE * maxBodyBytes);
      callback(...result);
    });
  };
}

/** Counts the bytes read since the last write, because a write begins the next call. Must listen before undici does. */
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
