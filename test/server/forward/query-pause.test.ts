// If the upstream requests a pause for records, the gateway's own queries wait too. Tested in virtual time and in a whole
// gateway.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import { openQueryPauses } from '../../../server/forward/query-pause.ts';
import { prepareUpstreamCheck } from '../../../server/forward/upstream-check.ts';
import { openUpstreamSide } from '../../../server/reconcile/ask.ts';
import { addUser, signIn } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { startHastyClock } from '../../support/reconciling.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';
import { waitUntil } from '../../support/wait-until.ts';

const UPSTREAM = { url: 'https://upstream.test', token: 'prod_x' };
const SLOW_DOWN = causeOf('slow_down', 429);

describe('the pause of an upstream', () => {
  test('is not shortened by a shorter one, but extended by a longer one', async () => {
    const time = startVirtualTime();
    const queryPauses = openQueryPauses(time);
    expect(queryPauses.find(UPSTREAM)).toBeUndefined();
    queryPauses.noteRecords(UPSTREAM, 5000, SLOW_DOWN);
    queryPauses.noteQuery(UPSTREAM, 1000, SLOW_DOWN);
    queryPauses.noteRecords(UPSTREAM, 1000, SLOW_DOWN);
    expect(queryPauses.find(UPSTREAM)).toEqual({ leftMs: 5000, cause: SLOW_DOWN });
    await time.pass(2000);
    queryPauses.noteQuery(UPSTREAM, 60_000, causeOf('come_back', 503));
    expect(queryPauses.find(UPSTREAM)).toEqual({ leftMs: 60_000, cause: causeOf('come_back', 503) });
    await time.pass(60_000);
    expect(queryPauses.find(UPSTREAM)).toBeUndefined();
  });

  test('applies to one address and key, and ends when records are accepted again', () => {
    const queryPauses = openQueryPauses(startVirtualTime());
    queryPauses.noteRecords(UPSTREAM, 5000, SLOW_DOWN);
    expect(queryPauses.find({ ...UPSTREAM, token: 'prod_y' })).toBeUndefined();
    expect(queryPauses.find({ ...UPSTREAM, url: 'https://other.test' })).toBeUndefined();
    queryPauses.endRecords(UPSTREAM);
    expect(queryPauses.find(UPSTREAM)).toBeUndefined();
  });
});

async function openUpstream(script: string) {
  const standIn = await openStandIn({ script });
  onTestFinished(() => standIn.close());
  return { standIn, upstream: { url: standIn.url, token: 'test_upstream' } };
}

/**
 * Opens the part of a check that queries the upstream. `silences` collects the reported causes while no answer comes, and null
 * when answers come again.
 */
function openSide(upstream: () => typeof UPSTREAM, clock = startHastyClock(), queryPauses = openQueryPauses(clock)) {
  const silences: unknown[] = [];
  const dispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined })({
    connections: 1,
    connectTimeoutMs: 5000,
    answerTimeoutMs: 5000,
    maxAnswerBytes: 64 * 1024,
  });
  onTestFinished(() => dispatcher.destroy());
  const side = openUpstreamSide({
    dispatcher,
    upstream,
    clock,
    queryPauses,
    random: () => 0.5,
    signal: new AbortController().signal,
    takeTurn: async () => {},
    onSilence: async (cause) => void silences.push(cause ?? null),
    onAnswer() {},
  });
  return { side, silences };
}

describe('a query of a check', () => {
  const range = { from: 0, to: 1 };

  test('waits as long as the upstream asked for records to wait', async () => {
    const { standIn, upstream } = await openUpstream('accept');
    const clock = startHastyClock();
    const queryPauses = openQueryPauses(clock);
    queryPauses.noteRecords(upstream, 3_600_000, SLOW_DOWN);
    const { side, silences } = openSide(() => upstream, clock, queryPauses);
    const before = clock.monotonic();
    const count = side.count(range);
    await standIn.waitUntil(({ queries }) => queries === 1);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(3_600_000);
    expect(await count).toBe(0);
    expect(silences[0]).toEqual(SLOW_DOWN);
    expect(silences.at(-1)).toBeNull();
  });

  test('that draws interim answers without an end is repeated later', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100);
    let asked = 0;
    const server = createServer((socket) => {
      const more = (): void => void (socket.writable && socket.write(interim, more));
      socket
        .on('error', () => {})
        .once('data', () => {
          if ((asked += 1) < 3) more();
          else socket.end('HTTP/1.1 200 OK\r\n\r\n{"raw_transaction_count":7}');
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'test_upstream' };
    const { side, silences } = openSide(() => upstream);
    expect(await side.count(range)).toBe(7);
    expect(silences).toContainEqual({ code: 'answer_too_long', detail: null });
  });

  test('is repeated at the requested time, even an hour later', async () => {
    const { upstream } = await openUpstream('query: 429 retry-after 3600s, accept; accept');
    const clock = startHastyClock();
    const before = clock.monotonic();
    expect(await openSide(() => upstream, clock).side.count(range)).toBe(0);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(3_600_000);
  });

  test('does not wait for a replaced upstream, nor longer than the upstream asked', async () => {
    const { standIn, upstream } = await openUpstream('accept');
    const clock = startHastyClock();
    const queryPauses = openQueryPauses(clock);
    const old = { ...upstream, token: 'test_old' };
    let now = old;
    queryPauses.noteRecords(old, 24 * 3_600_000, SLOW_DOWN);
    const { side, silences } = openSide(() => now, clock, queryPauses);
    const before = clock.monotonic();
    const count = side.count(range);
    await waitUntil(() => silences.length > 2);
    now = upstream;
    expect(await count).toBe(0);
    expect(clock.monotonic() - before).toBeLessThan(3_600_000);
    expect(standIn.summary().queries).toBe(1);
  });

  test('waits as long as the upstream asked another query to wait', async () => {
    const { upstream } = await openUpstream('query: 429 retry-after 60s, accept; accept');
    const clock = startHastyClock();
    const queryPauses = openQueryPauses(clock);
    const before = clock.monotonic();
    const stopped = { ...clock, after: () => () => {} }; // this clock's timers never fire, so the check queries only once
    void openSide(() => upstream, stopped, queryPauses).side.count(range);
    await expect.poll(() => queryPauses.find(upstream)).toBeDefined();
    const { side, silences } = openSide(() => upstream, clock, queryPauses);
    expect(await side.count(range)).toBe(0);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(60_000);
    expect(silences[0]).toEqual(SLOW_DOWN);
  });
});

test.each(['current', 'earlier'] as const)(
  '“test connection” (%s) does not call an upstream during its pause',
  async (by) => {
    const { standIn, upstream } = await openUpstream('accept');
    const queryPauses = openQueryPauses(startVirtualTime());
    const settings = { upstreamProxy: undefined, upstreamCa: undefined };
    const check = prepareUpstreamCheck(prepareConnections(settings), settings, queryPauses);
    queryPauses.noteRecords(upstream, 5000, SLOW_DOWN);
    const { steps } = await check(upstream, by);
    expect(steps).toMatchObject([{ step: 'path', isFine: false, finding: 'come_back', code: '429' }]);
    expect(standIn.summary()).toMatchObject({ queries: 0, attempts: 0, invalid: 0 });
    await check({ ...upstream, token: 'test_another' }, by);
    expect(standIn.summary().attempts).toBe(1);
  },
);

test('in a gateway, neither a check of a day nor “test connection” sends a query while Retry-After runs for its sales', async () => {
  const { standIn, upstream } = await openUpstream('record: 429 retry-after 3600s; accept');
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Mia', 'manager');
  const manager = await signIn(gateway, 'Mia');
  const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
  await gateway.store.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
  await postBody(gateway.apiUrl, gateway.test.secret, bodyOf());
  const causeNow = async () =>
    (await gateway.store.outbox.listLaneStatus()).find(({ url }) => url !== null)?.cause?.code ?? null;
  await expect.poll(causeNow).toBe('slow_down');

  const laneId = gateway.store.outbox.lanes().find((each) => each.upstream !== null)?.id;
  const answer = await manager.send('POST', '/api/upstream-check', { laneId });
  expect(answer.json()).toMatchObject({ steps: [{ step: 'path', finding: 'come_back' }] });
  const day = new Date().toISOString().slice(0, 10);
  const { journalId } = gateway.test;
  await gateway.store.checks.request({
    journalId,
    from: day,
    to: day,
    byIds: false,
    resend: false,
    actor: 'Mia',
    askedAt: Date.now(),
  });
  const silence = async () => (await gateway.store.checks.listOpen())[0]?.cause?.code ?? null;
  await expect.poll(silence).toBe('slow_down');
  expect(standIn.summary()).toMatchObject({ attempts: 1, queries: 0 });
});
