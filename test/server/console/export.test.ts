// Exports as such; what each export contains is tested beside its route.

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';

import express, { type Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';

import { openExports } from '../../../server/console/export.ts';

test('other calls get turns while a long file is made', async () => {
  const send = openExports({ error() {} });
  const client = new PassThrough();
  client.resume();
  const res = Object.assign(client, {
    locals: { session: { person: 'Ann', ended: new AbortController().signal } },
    attachment: () => res,
    type: () => res,
  }) as unknown as Response;
  let turns = 0;
  let isSent = false;
  const countTurns = (): void => {
    turns += 1;
    if (!isSent) setImmediate(countTurns);
  };
  countTurns();
  const rows = Array.from({ length: 50_000 }, (_, n) => n);
  await send(res, () => Promise.resolve({ name: ['a'], columns: { n: String }, rows, format: 'comma' }));
  isSent = true;
  expect(turns).toBeGreaterThan(rows.length / 1000);
});

test.each([
  { reason: 'the client disconnects', end: 'client' as const },
  { reason: 'the session ends', end: 'session' as const },
])('an export stops without an error if $reason before the first row', async ({ end }) => {
  const errors: unknown[] = [];
  const send = openExports({ error: (...args: unknown[]) => void errors.push(args) });
  const session = new AbortController();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  async function* rowsOf(res: Response): AsyncGenerator<number> {
    await once(res, 'close');
    yield 0;
  }
  const app = express().get('/', async (_, res) => {
    res.locals['session'] = { person: 'Ann', ended: session.signal };
    const file = { name: ['a'], columns: { n: String }, rows: rowsOf(res), format: 'comma' as const };
    const sent = send(res, () => Promise.resolve(file));
    begun.resolve();
    await sent.then(ended.resolve, ended.reject);
  });
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  if (end === 'client') client.destroy();
  else session.abort();
  await ended.promise;
  if (!client.closed) await once(client, 'close');
  expect(errors).toEqual([]);
});
