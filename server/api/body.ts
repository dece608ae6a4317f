// Reads the body of a call, after a check of its headers. Limits the bytes of each body, and of all bodies that are being read.

import type { IncomingMessage } from 'node:http';

import { MAX_BODY_BYTES } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import type { Call } from './call.ts';

/** Maximum bytes of all bodies that are being read. */
const MAX_UNDERWAY_BYTES = 64 * 1024 * 1024;
/**
 * A body up to this size is always read, even if all bodies together have reached the limit. So large bodies never block a
 * sale.
 */
const ALWAYS_ADMITTED_BYTES = 64 * 1024;

/** The error for a sender that left, or timed out, before its body was complete. Nobody waits for an answer. */
export class IncompleteBodyError extends Error {
  override readonly name = 'IncompleteBodyError';
}

/** Throws unless the headers announce uncompressed JSON below the size limit. */
export function assertJsonBody(req: IncomingMessage): void {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = req.headers;
  const { 'transfer-encoding': transferCoding = 'chunked' } = req.headers;
  if (!isIdentity(encoding) || transferCoding.toLowerCase() !== 'chunked') {
    throw new GatewayError('encoding_unsupported', {
      detail: 'Send the body uncompressed, without a Content-Encoding header.',
    });
  }
  if (!isJsonType(type)) {
    throw new GatewayError('media_type_unsupported', { detail: 'Send Content-Type: application/json, in UTF-8.' });
  }
  assertBearableLength(req);
}

/** Throws if Content-Length is too large. */
export function assertBearableLength({ headers: { 'content-length': length } }: IncomingMessage): void {
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) throw tooLarge();
}

/** Whether a Content-Encoding is empty or contains only `identity`. Then the body is not compressed. */
function isIdentity(encoding: string): boolean {
  return (
    encoding === '' || encoding.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()))
  );
}

/** Maximum characters of a Content-Type, because the regular expressions below take quadratic time. */
const MAX_CONTENT_TYPE_LENGTH = 1000;
const TOKEN = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
const MEDIA_TYPE = new RegExp(String.raw`^application\/(?:${TOKEN}\+)?json$`, 'i');
const PARAMETER = new RegExp(String.raw`^(${TOKEN})=(${TOKEN})$`);

/**
 * Whether a media type is JSON or ends in `+json` (RFC 6839). Its charset must be UTF-8 or absent, and must not be repeated.
 */
function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  if (type.length > MAX_CONTENT_TYPE_LENGTH) return false;
  const [media = '', ...parameters] = withoutQuotes(type)
    .split(';')
    .map((part) => part.trim());
  if (!MEDIA_TYPE.test(media)) return false;
  const charsets: string[] = [];
  for (const parameter of parameters) {
    const [, name = '', value = ''] = PARAMETER.exec(parameter) ?? [];
    if (name === '' && parameter !== '') return false;
    if (name.toLowerCase() === 'charset') charsets.push(value);
  }
  return charsets.length <= 1 && charsets.every((charset) => /^utf-?8$/i.test(charset));
}

/** Replaces the quoted values of a media type. The caller splits the text at semicolons, and a quoted value may contain one. */
function withoutQuotes(type: string): string {
  return type.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, value: string) => (/^[\w-]+$/.test(value) ? value : 'quoted'));
}

/** Reads the whole body of a call. Rejects with `body_too_large`, `store_busy`, or an IncompleteBodyError. */
export type ReadBody = (call: Call) => Promise<Buffer>;

/**
 * Makes the body reader of one listener. `maxUnderwayBytes` limits the total size of all bodies that are being read at one
 * time.
 */
export function openBodyReader(maxUnderwayBytes = MAX_UNDERWAY_BYTES): ReadBody {
  let underwayBytes = 0;
  return ({ req, res }) => {
    if (req.socket.destroyed || res.writableEnded) return Promise.reject(tooLate());
    if (req.headers.expect !== undefined && req.httpVersion !== '1.0') res.writeContinue();
    // A small body usually arrives with its headers. Reading it at once needs no listeners, which cost more than the rest of this
    // function. Node buffers at most 128 KiB, so such a body is below the size limit, and it takes no further memory.
    if (req.complete) return Promise.resolve((req.read() as Buffer | null) ?? EMPTY);
    return new Promise((resolve, reject) => {
      let body: Buffer = EMPTY;
      let bytes = 0;
      let isSettled = false;
      const settle = (outcome: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        underwayBytes -= bytes;
        outcome();
        body = EMPTY; // frees the memory; the rest of the body is read and dropped
      };
      req.on('data', (chunk: Buffer) => {
        if (isSettled) return;
        body = append(body, bytes, chunk, Number(req.headers['content-length']));
        bytes += chunk.length;
        underwayBytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) settle(() => reject(tooLarge()));
        else if (underwayBytes > maxUnderwayBytes && bytes > ALWAYS_ADMITTED_BYTES) settle(() => reject(tooMany()));
      });
      req.on('end', () => settle(() => resolve(body.subarray(0, bytes))));
      const onBreak = (): void => settle(() => reject(tooLate()));
      req.on('error', onBreak).on('close', onBreak);
      // If a call is refused in the middle of its body, only the response emits `close`. The request emits no more events.
      res.on('close', onBreak);
    });
  };
}

const EMPTY = Buffer.alloc(0);

/**
 * Adds a chunk to a body of which `bytes` bytes have been read. A body that comes in one chunk is not copied. Several chunks
 * are joined in one buffer, which grows as needed.
 */
function append(body: Buffer, bytes: number, chunk: Buffer, declared: number): Buffer {
  if (bytes === 0 && chunk.length === declared) return chunk;
  const needed = bytes + chunk.length;
  let target = body;
  if (target.length < needed) {
    target = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * needed, MAX_BODY_BYTES)));
    body.copy(target, 0, 0, bytes);
  }
  chunk.copy(target, bytes);
  return target;
}

function tooLate(): IncompleteBodyError {
  return new IncompleteBodyError('the connection ended before the body');
}

function tooMany(): GatewayError {
  return new GatewayError('store_busy', {
    detail: 'Too many large calls at the same time. Send this call again.',
    retryAfterSeconds: 1,
  });
}

function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', { detail: `A body may have at most ${MAX_BODY_BYTES} bytes (1 MiB).` });
}
