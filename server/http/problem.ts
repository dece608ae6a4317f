// Refusals as tills and the console see them: RFC 9457 problem documents with a stable code, one entry per fault.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ErrorCode, ProblemView } from '../contract/codes.ts';
import { type ConsoleError, GatewayError } from '../errors.ts';

/** How much of a refused body is read on and thrown away, so that its sender gets to see the answer. */
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;

/** The problem document of a refusal; the codes of tills are described at /docs. */
function problemBody(refusal: GatewayError | ConsoleError): string {
  const { code, title, status, message: detail, errors } = refusal;
  const type = refusal instanceof GatewayError ? `/docs#${code}` : 'about:blank';
  const problem: ProblemView = { title, status, detail, code, ...(errors.length > 0 && { errors }) };
  return JSON.stringify({ type, ...problem });
}

/** A whole answer, for a connection that Node's HTTP does not answer on. */
export function rawProblem(code: ErrorCode, detail: string): string {
  const refusal = new GatewayError(code, { detail });
  const body = problemBody(refusal);
  return `HTTP/1.1 ${refusal.status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
}

/** Answers a call with a refusal; its sender may have gone. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, error: GatewayError | ConsoleError): void {
  const body = problemBody(error);
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
  let left = MAX_DISCARDED_BYTES;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.socket.destroy();
  });
  req.on('error', () => {}); // the sender may go away meanwhile
}
