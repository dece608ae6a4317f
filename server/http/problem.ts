// Refusals as tills see them: RFC 9457 problem documents with a stable code, one entry per fault.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { ERROR_CODES, type ErrorCode, type FieldError } from '../contract.ts';
import type { GatewayError } from '../errors.ts';

/** How much of a refused body is read on and thrown away, so that its sender gets to see the answer. */
const MOST_DISCARDED_BYTES = 4 * 1024 * 1024;

/** The problem document of a code. */
function problemBody(code: ErrorCode, detail: string, errors: readonly FieldError[] = []): string {
  const { status, title } = ERROR_CODES[code];
  return JSON.stringify({ type: `/docs#${code}`, title, status, detail, code, ...(errors.length > 0 && { errors }) });
}

/** A whole answer, for a connection that Node's HTTP does not answer on. */
export function rawProblem(code: ErrorCode, detail: string): string {
  const body = problemBody(code, detail);
  return `HTTP/1.1 ${ERROR_CODES[code].status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
}

/** Answers a call with a refusal; its sender may have gone. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, error: GatewayError): void {
  const body = problemBody(error.code, error.message, error.errors);
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...error.headers,
  };
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  // Whether a client that waits for "100 Continue" sends its body after all is open, so this connection can't go on.
  if (req.headers.expect !== undefined && !req.complete) headers['Connection'] = 'close';
  res.writeHead(error.status, headers);
  res.end(body);
  if (!req.complete) discardRest(req);
}

function discardRest(req: IncomingMessage): void {
  let left = MOST_DISCARDED_BYTES;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.socket.destroy();
  });
  req.on('error', () => {}); // the sender may go away meanwhile
}
