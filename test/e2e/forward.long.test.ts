// Forwarding from end to end, with a scripted upstream. Gateway processes are killed and controlled from the command line. At
// the end, each test compares the records at the upstream with the sales of the tills.

import { globSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { bodyOf, call, postBody } from '../support/http-call.ts';
import { expectInEffect, LANE, laneOf, openStore, openUpstream, setUpstream, TOKEN } from './lane.ts';
import { openTestSite } from './test-site.ts';

/** Posts sales whose ids begin with `prefix`; each must be NEW. */
async function sell(url: string, key: string, count: number, prefix = 'S'): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (let i = 1; i <= count; i++) {
    const id = `${prefix}-${i}`;
    const body = bodyOf({ external_id: id, object: `{ "total": ${i}.50 }` });
    expect((await postBody(url, key, body)).status).toBe(201);
    bodies.set(id, body);
  }
  return bodies;
}

describe.concurrent('killed between sending a record and storing the outcome', () => {
  test.for([
    ['the record was accepted and never answered', 'accept x5, hang taken'],
    ['the record was not accepted', 'accept x5, hang'],
    ['the record was accepted and is answered late', 'accept x5, slow 1h'],
  ])('%s: it is sent again after the restart, and in effect once', async ([, script], { expect, onTestFinished }) => {
    const { site, key, upstream } = await openStore(onTestFinished, script);
    let gateway = await site.startGateway();
    const bodies = await sell(gateway.url, key, 20);
    await upstream.waitUntil(({ attempts }) => attempts > 5);
    gateway.kill('SIGKILL');
    await gateway.exited;
    await upstream.setScript('accept');
    const before = upstream.attempts.slice(5).map(({ id }) => id);
    const sent = upstream.attempts.length;

    gateway = await site.startGateway(gateway.port);
    await upstream.waitUntil(({ records }) => records === 20);
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', cause: null, waiting: 0, delivered: 20 });
    expectInEffect(upstream, bodies);
    const after = upstream.attempts.slice(sent).map(({ id }) => id);
    for (const id of before) expect(after).toContain(id);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  });

  test('a gateway killed several times while it drains puts every record in effect once', async ({
    expect,
    onTestFinished,
  }) => {
    const { site, key, upstream } = await openStore(onTestFinished, 'down');
    let gateway = await site.startGateway();
    const bodies = await sell(gateway.url, key, 400);
    await upstream.setScript('5%: close taken; accept');
    for (const reached of [30, 120, 250]) {
      gateway.kill('SIGKILL');
      await gateway.exited;
      gateway = await site.startGateway(gateway.port);
      await upstream.waitUntil(({ records }) => records >= reached);
    }
    gateway.kill('SIGKILL');
    await gateway.exited;
    gateway = await site.startGateway(gateway.port);
    await upstream.waitUntil(({ records }) => records === 400);
    await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, held: 0, delivered: 400 });
    expectInEffect(upstream, bodies);
    expect(await site.runJson('check')).toMatchObject({ ok: true, records: 400 });
  });
});

test.concurrent('during an outage status names its beginning and the waiting records; afterwards everything is sent', async ({
  expect,
  onTestFinished,
}) => {
  const { site, key, upstream } = await openStore(onTestFinished, 'down');
  let gateway = await site.startGateway();
  const bodies = await sell(gateway.url, key, 10);
  await expect.poll(() => laneOf(site)).toMatchObject({ state: 'line down', waiting: 10, held: 0, delivered: 0 });
  const down = await laneOf(site);
  expect(down.cause).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  expect(down.oldest_waiting_at).toMatch(/^\d{4}-.*Z$/);
  expect(down.last_delivery_at).toBeNull();
  const table = await site.run('status');
  expect(table.stdout).toMatch(/, current\), since \d{4}-\S+ \S+Z: .*ECONNREFUSED.*10 records wait; nothing is lost/);

  await gateway.stop();
  expect(await laneOf(site)).toMatchObject({
    state: 'paused',
    cause: 'The gateway is not running.',
    since: null,
    waiting: 10,
  });
  gateway = await site.startGateway(gateway.port);
  await expect.poll(() => laneOf(site)).toMatchObject({ state: 'line down', waiting: 10 });

  await upstream.setScript('accept');
  await site.runJson('upstream', 'try-now', ...LANE);
  await upstream.waitUntil(({ records }) => records === 10);
  await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', cause: null, waiting: 0, delivered: 10 });
  expect((await laneOf(site)).last_delivery_at).not.toBeNull();
  expectInEffect(upstream, bodies);
});

describe.concurrent('from the command line, while the gateway runs', () => {
  test('pause keeps everything, resume sends it, and a new key sends the records that the old one could not', async ({
    expect,
    onTestFinished,
  }) => {
    const tokens = { test_good: 'test' };
    const { site, key, upstream } = await openStore(onTestFinished, 'accept', { tokens }, 'test_revoked');
    const gateway = await site.startGateway();
    expect(await site.runJson('upstream', 'pause', ...LANE)).toEqual({ done: 'pause' });
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'paused' });
    const bodies = await sell(gateway.url, key, 10);
    expect(await laneOf(site)).toMatchObject({ state: 'paused', waiting: 10 });
    expect(upstream.attempts).toEqual([]);

    expect(await site.runJson('upstream', 'resume', ...LANE)).toEqual({ done: 'resume' });
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'refused', waiting: 10, held: 0 });
    expect((await laneOf(site)).cause).toMatch(/refuses our key \(401\)/);

    await setUpstream(site, upstream.url, 'test_good');
    await upstream.waitUntil(({ records }) => records === 10);
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', waiting: 0, delivered: 10 });
    expectInEffect(upstream, bodies);
  });

  test('held records are sent again or set aside, and every act is in the log without a key', async ({
    expect,
    onTestFinished,
  }) => {
    const { site, key, upstream } = await openStore(onTestFinished, 'id=bad-*: 422 body "no such product"; accept');
    const gateway = await site.startGateway();
    const good = await sell(gateway.url, key, 5, 'good');
    const bad = await sell(gateway.url, key, 3, 'bad');
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', waiting: 0, held: 3, delivered: 5 });
    const held = (await site.runJson('records', '--delivery', 'held')) as { record_id: number; delivery: unknown }[];
    expect(held).toHaveLength(3);
    expect((await site.run('status')).stdout).toMatch(
      /, current\): 3 records are held, because the upstream rejected them\. List: counterfoil records .* --delivery held\./,
    );
    expect(held[0]?.delivery).toMatchObject({
      state: 'held',
      attempts: 1,
      answer_status: 422,
      answer: 'no such product',
    });

    await upstream.setScript('accept');
    const first = String(held.at(-1)?.record_id);
    expect(await site.runJson('upstream', 'send-again', ...LANE, '--record', first)).toEqual({ records: 1 });
    await upstream.waitUntil(({ records }) => records === 6);
    const aside = ['upstream', 'set-aside', ...LANE, '--all', '--reason', 'typed in twice'];
    expect(await site.runJson(...aside)).toEqual({ records: 2 });
    await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, held: 0, set_aside: 2, delivered: 6 });
    expectInEffect(upstream, new Map([...good, ['bad-1', bad.get('bad-1') ?? '']]));

    expect(await site.runJson('upstream', 'send-again', ...LANE, '--day', '2026-11-20')).toEqual({ records: 2 });
    await upstream.waitUntil(({ records }) => records === 8);
    await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, held: 0, set_aside: 0, delivered: 8 });
    expectInEffect(upstream, new Map([...good, ...bad]));

    const again = ['upstream', 'send-again', ...LANE, '--day', '2026-11-20', '--delivered'];
    expect(await site.runJson(...again)).toEqual({ records: 8 });
    await upstream.waitUntil(({ statuses }) => statuses.IGNORED === 8);
    await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, delivered: 8 });

    const acts = (await site.runJson('upstream', 'acts')) as Record<string, unknown>[];
    expect(acts.map(({ act }) => act)).toEqual(['send again', 'send again', 'set aside', 'send again', 'set upstream']);
    for (const act of acts)
      expect(act).toMatchObject({
        actor: 'command line',
        administration: 'Bakery',
        mode: 'test',
        interface: 'current',
      });
    expect(acts[2]).toMatchObject({ detail: '2 records: {"kind":"all"} typed in twice' });
    expect(acts[4]).toMatchObject({ detail: upstream.url });
    const shown = JSON.stringify([acts, await site.runJson('upstream', 'show'), await site.runJson('status')]);
    expect(shown).not.toContain(TOKEN);
    expect((await site.run('upstream', 'acts', '--limit', '1')).stdout.trim().split('\n')).toHaveLength(2);
  });

  test('wrong usage ends with 2, an impossible act with 1, and each names the reason', async ({
    expect,
    onTestFinished,
  }) => {
    const site = await openTestSite(onTestFinished);
    await site.createKey('Till 1');
    const cases: [args: string[], code: number, said: RegExp][] = [
      [['set', ...LANE, '--url', 'https://upstream.example', '--token', 'prod_canary'], 2, /production key/],
      [['pause', '--administration', 'Cafe', '--mode', 'test'], 1, /administration Cafe does not exist/],
      [['pause', '--administration', 'Bakery'], 2, /--mode/],
    ];
    for (const [args, code, said] of cases) {
      const result = await site.run('upstream', ...args);
      expect({ args, code: result.code }).toEqual({ args, code });
      expect(result.stderr).toMatch(said);
      expect(result.stderr + result.stdout).not.toMatch(/canary/);
    }
    expect(await site.runJson('upstream', 'acts')).toEqual([]);
    expect(await site.run('upstream', 'set', '--help')).toMatchObject({ code: 0, stderr: '' });
  });
});

test.concurrent('a gateway as upstream of a gateway: its answer is kept, and its ERROR is shown', async ({
  expect,
  onTestFinished,
}) => {
  const [store, office] = [await openTestSite(onTestFinished), await openTestSite(onTestFinished)];
  const { key } = await store.createKey('Till 1');
  const { key: officeKey } = await office.createKey('Store 1');
  const [gateway, above] = [await store.startGateway(), await office.startGateway()];
  await store.runJson('administrations', 'set', '--administration', 'Bakery', '--forwarded', 'NEW,IGNORED,ERROR');
  expect((await postBody(above.url, officeKey, bodyOf({ external_id: 'S-2', object: '{"by":"hand"}' }))).status).toBe(
    201,
  );
  await setUpstream(store, above.url, officeKey);
  await sell(gateway.url, key, 3);
  await postBody(gateway.url, key, bodyOf({ external_id: 'S-1', object: '{ "total": 1.50 }' }));
  await postBody(gateway.url, key, bodyOf({ external_id: 'S-1', object: '{ "total": 9 }' }));
  await expect.poll(() => laneOf(store)).toMatchObject({ waiting: 0, held: 0, delivered: 5 });

  const records = (await store.runJson('records')) as Record<string, unknown>[];
  const told = records.map(({ external_id: id, status, delivery }) => [
    id,
    status,
    (delivery as Record<string, unknown>)['upstream_status'],
  ]);
  expect(told.toReversed()).toEqual([
    ['S-1', 'NEW', 'NEW'],
    ['S-2', 'NEW', 'ERROR'],
    ['S-3', 'NEW', 'NEW'],
    ['S-1', 'IGNORED', 'IGNORED'],
    ['S-1', 'ERROR', 'ERROR'],
  ]);
  const table = (await store.run('records', '--external-id', 'S-2')).stdout;
  expect(table).toMatch(/delivered, ERROR there/);
  const { journals } = (await office.runJson('status')) as { journals: { records: unknown }[] };
  expect(journals[0]?.records).toEqual({ NEW: 3, IGNORED: 1, ERROR: 2 });
});

test.concurrent('records of the earlier interface are sent unchanged to the earlier interface of their upstream', async ({
  expect,
  onTestFinished,
}) => {
  const site = await openTestSite(onTestFinished);
  const { key } = await site.createKey('Till 1');
  const upstream = await openUpstream('accept', {}, onTestFinished);
  const base = `${upstream.url}/c/dev-plem/bakery/12`;
  await setUpstream(site, base, 'test_earlier', '--interface', 'earlier');
  const gateway = await site.startGateway();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const query = "transactionid=7&name=it's+a%20caf%C3%A9&b=2&a=1&timestamp=2026-11-20T10:00:00Z";
  const body = ' {"data": {"transactionid":"8", "amount":12.50}}';
  expect((await call(`${gateway.url}/v1/transaction?transactionid=6`, { headers })).status).toBe(200);
  const { hostname, port } = new URL(gateway.url);
  const answer = await rawGet(hostname, Number(port), `/v1/transaction?${query}`, key);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect((await call(`${gateway.url}/v1/transaction`, { method: 'POST', headers, body })).status).toBe(200);
  await sell(gateway.url, key, 2); // sells on the current interface, which has no upstream yet

  await upstream.waitUntil(({ records }) => records === 3);
  await expect.poll(() => laneOf(site, 'earlier_lane')).toMatchObject({ state: 'running', waiting: 0, delivered: 3 });
  expect(await laneOf(site)).toMatchObject({ state: 'paused', waiting: 2 });
  const sent = upstream.attempts.map(({ method, path, bytes }) => [method, path, bytes.toString()]);
  // Records that are sent at the same time may arrive in any order.
  expect(sent.toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([
    ['GET', '/c/dev-plem/bakery/12/v1/transaction?transactionid=6', ''],
    ['GET', `/c/dev-plem/bakery/12/v1/transaction?${query}`, ''],
    ['POST', '/c/dev-plem/bakery/12/v1/transaction', body],
  ]);
  for (const attempt of upstream.attempts) expect(attempt.headers.authorization).toBe('Bearer test_earlier');
});

test.concurrent('the key for the upstream is in no log, whatever fails', async ({ expect, onTestFinished }) => {
  const { site, key, upstream } = await openStore(onTestFinished, '401, 302, 500, reset, garbage, cut, 422, accept');
  const gateway = await site.startGateway();
  await sell(gateway.url, key, 5);
  for (let attempts = 1; attempts < 6; attempts++) {
    await upstream.waitUntil((summary) => summary.attempts >= attempts);
    await site.runJson('upstream', 'try-now', ...LANE);
  }
  const { stderr } = await gateway.stop();
  const logs = globSync(join(site.dataDir, 'logs', '*')).map((path) => readFileSync(path, 'utf8'));
  expect(logs.join()).toContain('the state of a lane changed');
  for (const text of [...logs, stderr]) {
    expect(text).not.toContain('canary');
    expect(text).not.toContain(key);
  }
});

/** Sends a GET without normalising its path. */
async function rawGet(host: string, port: number, path: string, key: string): Promise<string> {
  const socket = connect(port, host);
  socket.end(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    'latin1',
  );
  return text(socket);
}
