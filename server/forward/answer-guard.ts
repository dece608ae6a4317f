// Bounds what an upstream can make us read for one call: all bytes of its connection, so also interim answers (1xx), chunk extensions
// and trailers, which undici reads without end and without telling.

import type { Socket } from 'node:net';

import type { buildConnector } from 'undici';

/** The code of the error that such a call ends with. */
export const ANSWER_TOO_LONG = 'ANSWER_TOO_LONG';

/** Headers and the framing of chunks come on top of the body. */
const BYTES_PER_BODY_BYTE = 2;

/** Connections of this connector are destroyed when a call draws more than a body of `maxBodyBytes` can take. */
export function guardAnswers(connect: buildConnector.connector, maxBodyBytes: number): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[0] === null) guard(result[1], BYTES_PER_BODY_BYTE * maxBodyBytes);
      callback(...result);
    });
  };
}

/** Calls follow each other on a connection, so one begins when something is written. Must listen before undici does. */
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
