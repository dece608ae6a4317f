// A small gateway for tests of tills. It classifies calls on both interfaces by their bytes and keeps them in memory. It can
// break connections, refuse calls or give wrong answers.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

export interface ModelAnswer {
  readonly http: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** When the connection breaks: before the call is kept, after it is kept, or in the middle of the answer. */
type Break = 'drop before' | 'drop after' | 'cut';
/** Decides what happens to the n-th call, counted from 1. `answer` is the right answer. */
type Twist = (answer: ModelAnswer, n: number) => ModelAnswer | Break;

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  /** The caller's key. */
  readonly key: string;
  /** The body, or the parameters of a GET as JSON. */
  readonly body: string;
  readonly at: number;
}

/** Opens the gateway. It compares bytes, so it works only with tills that never reorder the members of a body. */
export async function openModelGateway(twist: Twist = (answer) => answer) {
  const originals = new Map<string, { readonly recordId: number; readonly body: string }>();
  const received: ReceivedCall[] = [];
  let records = 0;

  const server = createServer((req, res) => {
    void readCall(req).then((call) => {
      if (call === undefined) return res.end('{}'); // a till first sends a query to check its key
      received.push(call);
      const { path, body } = call;
      const members = JSON.parse(body) as Record<string, string>;
      const isCurrent = path.endsWith('/v1/raw_transactions');
      const external_id = members[isCurrent ? 'external_id' : 'transactionid'] ?? '';
      const original = originals.get(external_id);
      const recordId = records + 1;
      const status = original === undefined ? 'NEW' : original.body === body ? 'IGNORED' : 'ERROR';
      const answer = twist(
        {
          http: isCurrent && original === undefined ? 201 : 200,
          body: {
            record_id: recordId,
            external_id,
            status,
            ...(original !== undefined && { original_record_id: original.recordId }),
            ...(status === 'ERROR' && { differences: listChanges(original?.body ?? '', body) }),
          },
        },
        received.length,
      );
      const isKept = typeof answer === 'string' ? answer !== 'drop before' : answer.http < 300;
      if (isKept) {
        records = recordId;
        if (original === undefined) originals.set(external_id, { recordId, body });
      }
      if (answer === 'cut') return res.writeHead(200, { 'content-length': 100 }).write('{', () => req.socket.destroy());
      if (typeof answer === 'string') return req.socket.destroy();
      return res.writeHead(answer.http, answer.headers).end(JSON.stringify(answer.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, records: () => records, close };
}

/** Reads a call. Undefined for a query: a GET without a transaction id. */
async function readCall(req: IncomingMessage): Promise<ReceivedCall | undefined> {
  const { method = '', url = '', headers } = req;
  const { pathname: path, searchParams } = new URL(url, 'http://gateway');
  if (method === 'GET' && !searchParams.has('transactionid')) return undefined;
  return {
    method,
    path,
    key: String(headers['token'] ?? headers.authorization),
    body: method === 'GET' ? JSON.stringify(Object.fromEntries(searchParams)) : await text(req),
    at: performance.now(),
  };
}

/** Pointers to the values that differ between two documents of the same structure. */
function listChanges(before: string, after: string): string[] {
  const [a, b] = [before, after].map((body) => listValues(JSON.parse(body), ''));
  return [...(a ?? [])].filter(([pointer, value]) => b?.get(pointer) !== value).map(([pointer]) => pointer);
}

function listValues(value: unknown, pointer: string): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[pointer, JSON.stringify(value)]]);
  return new Map(Object.entries(value).flatMap(([name, part]) => [...listValues(part, `${pointer}/${name}`)]));
}
