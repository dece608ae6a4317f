// Reads the body of a call: bounded for one call and for all calls together, and only when its headers allow it.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { MAX_BODY_BYTES } from '../contract.ts';
import { GatewayError } from '../errors.ts';

/** Bodies being read at one time, over all connections. */
const MOST_UNDERWAY_BYTES = 64 * 1024 * 1024;
let underwayBytes = 0;

/** The sender went away, or was too slow, before the body was complete: nobody is there to be answered. */
export class IncompleteBodyError extends Error {
  override readonly name = 'IncompleteBodyError';
}

/** Throws unless the headers announce uncompressed JSON of bearable size. */
export function assertJsonBody(req: IncomingMessage): void {
  const { 'content-type': type = '', 'content-length': length } = req.headers;
  const { 'content-encoding': encoding, 'transfer-encoding': transferCoding = 'chunked' } = req.headers;
  if (encoding !== undefined || transferCoding.toLowerCase() !== 'chunked') {
    throw new GatewayError('encoding_unsupported', {
      detail: 'Send the body uncompressed, without a Content-Encoding header.',
    });
  }
  if (type !== 'application/json' && !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new GatewayError('media_type_unsupported', { detail: 'Send Content-Type: application/json, in UTF-8.' });
  }
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) throw tooLarge();
}

/** The whole body. Rejects with `body_too_large`, `store_busy`, or an IncompleteBodyError. */
export function readBody(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  if (req.headers.expect !== undefined && req.httpVersion !== '1.0') res.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isSettled = false;
    const settle = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      underwayBytes -= bytes;
      return true;
    };
    const onData = (chunk: Buffer): void => {
      if (isSettled) return;
      chunks.push(chunk);
      bytes += chunk.length;
      underwayBytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES && underwayBytes <= MOST_UNDERWAY_BYTES) return;
      settle();
      reject(
        bytes > MAX_BODY_BYTES
          ? tooLarge()
          : new GatewayError('store_busy', {
              detail: 'Too many large calls at once; send this one again.',
              retryAfterSeconds: 1,
            }),
      );
    };
    const onEnd = (): void => {
      if (settle()) resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const onBreak = (): void => {
      if (settle()) reject(new IncompleteBodyError('the connection ended before the body was complete'));
    };
    req.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', { detail: `A body may have at most ${MAX_BODY_BYTES} bytes (1 MiB).` });
}
