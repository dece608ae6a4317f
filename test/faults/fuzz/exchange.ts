// Sends bytes on a new connection and reads the answers. Each wait has a time-out.

import { connect } from 'node:net';

import { type Draft, wireOf } from './draft.ts';

export interface HttpAnswer {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded only when it is read, because most answers are judged by their head. */
  readonly text: string;
}

export interface Exchange {
  readonly answers: readonly HttpAnswer[];
  /** Whether the gateway neither answered nor closed the connection in time. */
  readonly isHung: boolean;
}

/**
 * A sender that gets no answer closes its side of the connection after this time. Otherwise the gateway might wait for the rest
 * of a body.
 */
const CLOSE_AFTER_MS = 2000;
/**
 * The time-out of a call. It is long, because the gateway may test the connection to an upstream for 15 s before it answers.
 */
const MAX_WAIT_MS = 25_000;

export async function exchange(url: string, draft: Draft): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const { fate } = draft;
  const wanted = fate.kind === 'pipelined' ? fate.times : 1;
  const reader = openReader(draft.method === 'HEAD');
  const { promise, resolve, reject } = Promise.withResolvers<'answered' | 'ended' | 'late'>();
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('data', (chunk: Buffer) => {
    try {
      reader.add(chunk);
    } catch (error) {
      reject(error as Error);
    }
    if (reader.hasAll(wanted)) resolve('answered');
  });
  const end = (): void => resolve('ended');
  socket.on('error', end).on('close', end).on('end', end); // a reset connection counts as closed
  let timer = setTimeout(() => {
    socket.end();
    timer = setTimeout(() => resolve('late'), MAX_WAIT_MS);
  }, CLOSE_AFTER_MS);
  try {
    send(
      draft,
      (bytes) => void socket.write(bytes),
      () => void socket.end(),
      () => void socket.destroy(),
    );
    const outcome = await promise;
    if (outcome === 'ended') reader.end();
    return { answers: reader.answers, isHung: outcome === 'late' && reader.answers.length === 0 };
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function send(draft: Draft, write: (bytes: Buffer) => void, end: () => void, drop: () => void): void {
  const wire = wireOf(draft);
  const { fate } = draft;
  switch (fate.kind) {
    case 'whole':
      return write(wire);
    case 'half':
      write(wire.subarray(0, Math.floor(wire.length * fate.at)));
      return end();
    case 'dropped':
      write(wire.subarray(0, Math.floor(wire.length * fate.at)));
      return void setImmediate(drop);
    case 'in parts': {
      const size = Math.ceil(wire.length / fate.parts);
      for (let at = 0; at < wire.length; at += size) write(wire.subarray(at, at + size));
      return;
    }
    case 'pipelined':
      return write(Buffer.concat(Array.from({ length: fate.times }, () => wire)));
  }
}

/** Parses answers as their bytes arrive. Leaves out 1xx. For an endless stream, the head is the whole answer. */
function openReader(isHead: boolean) {
  const answers: HttpAnswer[] = [];
  let pieces: Buffer[] = [];
  let length = 0;
  /** The parser need not run again before this number of bytes is there. Infinity after the head of an endless stream. */
  let needed = 0;

  function parse(isEnded: boolean): void {
    let bytes = Buffer.concat(pieces);
    while (bytes.length > 0) {
      const found = parseAnswer(bytes, isHead, isEnded);
      needed = found.length;
      if (!found.isComplete) break;
      if (found.answer.status >= 200) answers.push(found.answer);
      bytes = bytes.subarray(found.length);
      needed = isStream(found.answer) ? Number.POSITIVE_INFINITY : 0;
    }
    pieces = [bytes];
    length = bytes.length;
  }
  return {
    answers,
    /** Whether `count` answers have come, or no other can come, because the last one is an endless stream. */
    hasAll: (count: number): boolean => answers.length >= count || needed === Number.POSITIVE_INFINITY,
    /** Throws if the bytes are not HTTP. */
    add(chunk: Buffer): void {
      pieces.push(chunk);
      length += chunk.length;
      if (length >= needed) parse(false);
    },
    /** An answer without a length ends with its connection. */
    end: () => parse(true),
  };
}

const isStream = ({ headers }: HttpAnswer): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true;

type Parsed =
  | { readonly isComplete: true; readonly answer: HttpAnswer; readonly length: number }
  /** At least `length` bytes are needed; 0 if this is not known yet. */
  | { readonly isComplete: false; readonly length: number };

const INCOMPLETE: Parsed = { isComplete: false, length: 0 };

/** Parses the first answer in `bytes`. `isEnded`: no more bytes will arrive. */
function parseAnswer(bytes: Buffer, isHead: boolean, isEnded: boolean): Parsed {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return INCOMPLETE;
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`not an answer: ${line.slice(0, 200)}`);
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
  }
  const at = headEnd + 4;
  const complete = (end: number, body = bytes.subarray(at, end)): Parsed & { isComplete: true } => ({
    isComplete: true,
    answer: {
      status,
      headers,
      get text() {
        return body.toString('utf8');
      },
    },
    length: end,
  });
  const head = complete(at);
  if (status < 200 || isHead || status === 204 || status === 304) return head;
  if (isStream(head.answer)) return complete(bytes.length);
  if (headers['transfer-encoding'] === 'chunked') {
    const body = readChunks(bytes, at);
    return body === undefined ? INCOMPLETE : complete(body.end, body.bytes);
  }
  const stated = headers['content-length'];
  if (stated === undefined) return isEnded ? complete(bytes.length) : INCOMPLETE;
  const end = at + Number(stated);
  return bytes.length < end ? { isComplete: false, length: end } : complete(end);
}

/** Reads a chunked body; undefined if a part of it is missing. */
function readChunks(whole: Buffer, at: number): { readonly bytes: Buffer; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  for (let next = at; ;) {
    const lineEnd = whole.indexOf('\r\n', next);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(whole.toString('latin1', next, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (whole.length < end) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), end };
    parts.push(whole.subarray(lineEnd + 2, end - 2));
    next = end;
  }
}
