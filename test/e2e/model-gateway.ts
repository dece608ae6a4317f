// A small gateway for tests of its callers. It classifies calls by their bytes, on both interfaces, keeps them in memory, and
// can break connections, refuse or lie.

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

/** The connection breaks: before the call is kept, after it, or in the middle of the answer. */
type Break = 'drop before' | 'drop after' | 'cut';
/** The reaction to the n-th call, counted from 1, with its right answer. */
type Twist = (answer: ModelAnswer, n: number) => ModelAnswer | Break;

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  /** The part of a call that identifies the caller. */
  readonly key: string;
  /** The parameters of a GET as JSON. */
  readonly body: string;
  readonly at: number;
}

/** Classifies calls by their bytes, for senders that never re-order anything. */
export async function openModelGateway(twist: Twist = (answer) => answer) {
  const originals = new Map<string, { readonly recordId: number; readonly body: string }>();
  const received: ReceivedCall[] = [];
  let records = 0;

  const server = createServer((req, res) => {
    void readCall(req).then((call) => {
      if (call === undefined) return res.end('{}'); // a till checks its key once
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

/** Undefined for a query: a GET without a transaction id. */
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

/** Pointers to the different values of two documents with the same form. */
function listChanges(before: string, after: string): string[] {
  const [a, b] = [before, after].map((body) => listValues(JSON.parse(body), ''));
  return [...(a ?? [])].filter(([pointer, value]) => b?.get(pointer) !== value).map(([pointer]) => pointer);
}

function listValues(value: unknown, pointer: string): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[pointer, JSON.stringify(value)]]);
  return new Map(Object.entries(value).flatMap(([name, part]) => [...listValues(part, `${pointer}/${name}`)]));
}
