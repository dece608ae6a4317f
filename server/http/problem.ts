// Writes refusals as problem documents (RFC 9457), for tills and for the console. A document has a stable code, and one entry
// per fault.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ErrorCode, ProblemView } from '../contract/codes.ts';
import { type ConsoleError, GatewayError } from '../errors.ts';

/**
 * Maximum bytes of a refused body that the gateway still reads and drops. Many senders read the answer only when they have sent
 * the whole body.
 */
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;

/** Makes the problem document of a refusal. If tills can get its code, `type` is a link to the code in /docs. */
function problemBody(refusal: GatewayError | ConsoleError): string {
  const { code, title, status, message: detail, errors } = refusal;
  const type = refusal instanceof GatewayError ? `/docs#${code}` : 'about:blank';
  const problem: ProblemView = { title, status, detail, code, ...(errors.length > 0 && { errors }) };
  return JSON.stringify({ type, ...problem });
}

/** Makes a whole HTTP answer as text, for a connection that Node's HTTP server does not handle. */
export function rawProblem(code: ErrorCode, detail: string): string {
  const refusal = new GatewayError(code, { detail });
  const body = problemBody(refusal);
  return `HTTP/1.1 ${refusal.status} ${code}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
}

/** Answers a call with a refusal. Does nothing if the sender has left. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, error: GatewayError | ConsoleError): void {
  const body = problemBody(error);
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...error.headers,
  };
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  // A client that waits for "100 Continue" may or may not send its body. So the gateway cannot use this connection for another
  // call.
  if (req.headers.expect !== undefined && !req.complete) headers['Connection'] = 'close';
  res.writeHead(error.status, headers);
  res.end(body);
  if (!req.complete) discardRest(req);
}

/**
 * Answers a call while the gateway restores or updates its data: with 503, so that a till sends the call again. Only the probe
 * /healthz succeeds, because nobody should restart the process meanwhile.
 */
export function answerMeanwhile(req: IncomingMessage, res: ServerResponse, doing: string): void {
  const headers = { Connection: 'close' }; // other servers will have the ports soon
  if (req.method === 'GET' && req.url === '/healthz') {
    res.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    return void res.end('{"status":"ok"}');
  }
  const detail = `The gateway is ${doing}. Send the call again later.`;
  sendProblem(req, res, new GatewayError('store_busy', { detail, retryAfterSeconds: 5, headers }));
}

function discardRest(req: IncomingMessage): void {
  let left = MAX_DISCARDED_BYTES;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.socket.destroy();
  });
  req.on('error', () => {}); // ignored: the sender may leave before the end of the body
}
