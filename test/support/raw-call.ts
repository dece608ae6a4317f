// Sends any bytes on a socket, because HTTP clients cannot make invalid calls. Parses the answers.

import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface RawAnswer {
  readonly version: string;
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RawConnection {
  /** Sends bytes. A text is sent as Latin-1: one byte for each character. */
  send(bytes: string | Buffer): void;
  /** Ends this side of the connection; answers still arrive. */
  end(): void;
  /** Resolves to the next answer, including 1xx. Undefined if the gateway closed the connection without another answer. */
  next(): Promise<RawAnswer | undefined>;
  /** All answers until the gateway closes the connection. */
  rest(): Promise<RawAnswer[]>;
  /** Resolves when the gateway has closed the connection. */
  readonly closed: Promise<void>;
  /** Drops the connection immediately. */
  destroy(): void;
}

/** Opens a connection, with TLS for https:. The caller destroys it. `localAddress` is its source address. */
export async function openRawConnection(url: string, localAddress?: string): Promise<RawConnection> {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  const options = {
    host: hostname,
    port: Number(port),
    allowHalfOpen: true,
    ...(localAddress !== undefined && { localAddress }),
  };
  const socket = isSecure ? connectSecurely({ ...options, rejectUnauthorized: false }) : connect(options);
  await new Promise<void>((resolve, reject) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', resolve).once('error', reject),
  );
  const answers = readAnswers(socket);

  async function next(): Promise<RawAnswer | undefined> {
    const { value, done } = await answers.next();
    return done === true ? undefined : value;
  }
  return {
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    end: () => void socket.end(),
    next,
    async rest() {
      const all: RawAnswer[] = [];
      for (let answer = await next(); answer !== undefined; answer = await next()) all.push(answer);
      return all;
    },
    closed: new Promise((resolve) => socket.once('end', resolve).once('close', () => resolve())),
    destroy: () => void socket.destroy(),
  };
}

/** Sends bytes on a new connection and returns the first answer that is not 1xx, or undefined if none came. */
export async function rawCall(url: string, bytes: string | Buffer): Promise<RawAnswer | undefined> {
  const connection = await openRawConnection(url);
  try {
    connection.send(bytes);
    let answer = await connection.next();
    while (answer !== undefined && answer.status < 200) answer = await connection.next();
    return answer;
  } finally {
    connection.destroy();
  }
}

async function* readAnswers(socket: Socket): AsyncGenerator<RawAnswer, undefined> {
  let received = Buffer.alloc(0);
  let isEnded = false;
  let wake = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const finish = (): void => {
    isEnded = true;
    wake();
  };
  socket.on('end', finish).on('error', finish).on('close', finish);
  for (;;) {
    const found = parseAnswer(received);
    if (found !== undefined) {
      received = received.subarray(found.length);
      yield found.answer;
    } else if (isEnded) {
      if (received.length > 0)
        throw new Error(`the connection ended in the middle of an answer: ${received.toString('latin1')}`);
      return undefined;
    } else {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
}

/** Parses the first complete answer in `bytes`. `length` is its size in bytes. */
function parseAnswer(bytes: Buffer): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [, version, status] = /^(HTTP\/\d\.\d) (\d{3})/.exec(line) ?? [];
  if (version === undefined) throw new Error(`not an answer: ${line}`);
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const bodyAt = headEnd + 4;
  const answerUpTo = (end: number, text: string) => ({
    answer: { version, status: Number(status), headers, text },
    length: end,
  });
  if (Number(status) < 200) return answerUpTo(bodyAt, '');
  if (headers['transfer-encoding'] === 'chunked') {
    // The end of the answer is the first empty chunk. The answers are short and do not contain this text elsewhere.
    const last = bytes.indexOf('0\r\n\r\n', bodyAt);
    return last === -1 ? undefined : answerUpTo(last + 5, bytes.toString('utf8', bodyAt, last));
  }
  const end = bodyAt + Number(headers['content-length'] ?? 0);
  return bytes.length < end ? undefined : answerUpTo(end, bytes.toString('utf8', bodyAt, end));
}
