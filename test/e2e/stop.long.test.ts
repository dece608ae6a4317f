// How a gateway ends, and that only one gateway can use a data directory. SIGTERM under load loses nothing, and no client
// delays the end.

import { once } from 'node:events';
import { connect } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { call, postBody } from '../support/http-call.ts';
import { replaySales } from '../support/till/replay.ts';
import { openSales } from '../support/till/sales.ts';
import { openAnswers } from './answers.ts';
import { listReceived } from './read-back.ts';
import { BAKERY_DAYS, loadBakerySales, openTestSite } from './test-site.ts';

test('a gateway that gets SIGTERM under load ends with 0, and every answered record is stored', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const answers = openAnswers();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const replay = replaySales({
    url: gateway.url,
    keys: [key],
    sales: openSales(),
    tills: 16,
    duplicates: 20,
    changed: 20,
    signal: stop.signal,
    onAnswer: answers.note,
  });

  await answers.reach(1500, replay, gateway);
  const exit = await gateway.stop();
  stop.abort();
  const summary = await replay;
  expect(exit).toEqual({ code: 0, signal: null, stderr: '' });
  expect(summary).toMatchObject({ complete: false, faults: [] });

  const restarted = await site.startGateway();
  const listed = new Set(await listReceived(restarted.url, key, BAKERY_DAYS));
  expect([...answers.recordIds.keys()].filter((id) => !listed.has(id))).toEqual([]);
  const { ok, records } = (await site.runJson('check')) as { ok: boolean; records: number };
  expect(ok).toBe(true);
  expect(records).toBeGreaterThanOrEqual(answers.total());
  expect(records).toBeLessThanOrEqual(answers.total() + summary.lost);
});

test('a till that stopped in the middle of a call does not delay the end', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const socket = connect(gateway.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}); // the gateway may reset this connection
  await once(socket, 'connect');
  socket.write(
    `POST /v1/raw_transactions HTTP/1.1\r\nHost: till\r\nToken: ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n`,
  );
  await once(socket, 'data'); // "100 Continue" shows that the gateway is waiting for the body
  socket.write('{"type":"sale",');
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

test('a second gateway on the same data directory is refused, and the first continues', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();

  const second = await site.run('serve', '--port', '0', '--console-port', '0', '--json');
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(
    /^counterfoil: Another gateway is running on .+, or a command is .+\. Stop the gateway .+ choose another data directory\.\n$/,
  );
  expect(second.stderr).toContain(site.dataDir);

  const [sale] = await loadBakerySales();
  const answer = await postBody(gateway.url, key, sale?.body ?? '');
  expect(answer.json()).toMatchObject({ external_id: 'bakery-00001', status: 'NEW' });
});

test('a gateway that was killed leaves no lock behind', async () => {
  const site = await openTestSite();
  const gateway = await site.startGateway();
  gateway.kill('SIGKILL');
  await gateway.exited;
  const again = await site.startGateway(gateway.port);
  expect((await call(`${again.url}/readyz`)).status).toBe(200);
});
