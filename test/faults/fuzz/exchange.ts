// Sends bytes on a new connection and reads the answers. Each wait has a time-out.

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { type Draft, wireOf } from './draft.ts';

export interface HttpAnswer {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
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
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const { fate } = draft;
  const wanted = fate.kind === 'pipelined' ? fate.times : 1;
  const isHead = draft.method === 'HEAD';
  const received: Buffer[] = [];
  const answered = new Promise<'answered' | 'ended'>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (parseAnswers(Buffer.concat(received), isHead).length >= wanted) resolve('answered');
    });
    // A reset connection counts as closed.
    socket
      .on('error', () => resolve('ended'))
      .on('close', () => resolve('ended'))
      .on('end', () => resolve('ended'));
  });
  const timers = new AbortController();
  const wait = (ms: number): Promise<'late'> => delay(ms, 'late' as const, { signal: timers.signal });
  try {
    send(
      draft,
      (bytes) => void socket.write(bytes),
      () => void socket.end(),
      () => void socket.destroy(),
    );
    let outcome = await Promise.race([answered, wait(CLOSE_AFTER_MS)]);
    if (outcome === 'late') {
      socket.end();
      outcome = await Promise.race([answered, wait(MAX_WAIT_MS)]);
    }
    const answers = parseAnswers(Buffer.concat(received), isHead);
    return { answers, isHung: outcome === 'late' && answers.length === 0 };
  } finally {
    timers.abort();
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

/** Parses the complete answers, without 1xx. For an endless stream the head is enough. */
function parseAnswers(bytes: Buffer, isHead: boolean): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  for (let at = 0; at < bytes.length;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) break;
    const [line = '', ...fields] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not an answer: ${line.slice(0, 200)}`);
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const body =
      status < 200 || isHead || status === 204 || status === 304 ? EMPTY : readBody(bytes, headEnd + 4, headers);
    if (body === undefined) break;
    if (status >= 200) answers.push({ status, headers, text: body.text });
    at = headEnd + 4 + body.length;
  }
  return answers;
}

const EMPTY = { text: '', length: 0 };

/** Reads a body; undefined if a part of it is missing. */
function readBody(
  bytes: Buffer,
  at: number,
  headers: Readonly<Record<string, string>>,
): { readonly text: string; readonly length: number } | undefined {
  if (headers['content-type']?.startsWith('text/event-stream') === true) return { text: '', length: bytes.length - at };
  if (headers['transfer-encoding'] !== 'chunked') {
    const length = Number(headers['content-length'] ?? 0);
    return bytes.length < at + length ? undefined : { text: bytes.toString('utf8', at, at + length), length };
  }
  const parts: Buffer[] = [];
  for (let next = at; ;) {
    const lineEnd = bytes.indexOf('\r\n', next);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', next, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), length: end - at };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    next = end;
  }
}
