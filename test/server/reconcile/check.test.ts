// Checks of store days over HTTP. The upstream is a stand-in that loses or delays records, hangs or refuses calls, or it is
// another gateway.

import { createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf, signAsItIs } from '../../support/reconciling.ts';
import { arrivalOf } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;
const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

/** The current verdict of the day, without the members that never change. */
async function verdictOn(shop: Reconciling, date = DAY) {
  const { day, findings } = await shop.day(date);
  const { verdict, isProvisional, reasons, basis, here, upstream } = day;
  const ids = findings.map(({ kind, externalId }) => `${kind}: ${externalId}`);
  return { verdict, isProvisional, reasons, basis, here, upstream, ids };
}

const bodyOf = (id: string, at: string, object: object = {}): string =>
  JSON.stringify({ type: 'sale', external_id: id, timestamp: at, object });

/** Sends a record to the upstream directly. This gateway never receives the record. */
async function putUpstream(url: string, id: string, at: string, token = 'test_upstream', object = {}): Promise<void> {
  expect((await postBody(url, token, bodyOf(id, at, object))).status).toBe(201);
}

describe('against a stand-in', () => {
  test('nothing is missing: one query, and the day is complete, provisionally', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    await shop.check(DAY);
    expect(await verdictOn(shop)).toEqual({
      verdict: 'complete',
      isProvisional: true,
      reasons: [],
      basis: 'counts',
      here: 20,
      upstream: 20,
      ids: [],
    });
    expect(upstream.summary().queries).toBe(1);
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', isProvisional: false });
  });

  test('missing sales are found, resent and checked again; nothing else is sent', async () => {
    const upstream = await openUpstream('id=S-7 attempt=1: accept untaken; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', here: 20, upstream: 20, ids: [] });
    expect(shop.verdicts).toMatchObject([
      { verdict: 'waiting', reasons: [{ code: 'sent_again', count: 1 }], upstream: 19 },
      { verdict: 'complete', upstream: 20 },
    ]);
    expect(upstream.attempts.filter(({ method }) => method === 'POST')).toHaveLength(21);
    const [act] = await shop.store.setup.listActs({ limit: 1 });
    expect(act).toMatchObject({ actor: 'gateway', act: { kind: 'send again' } });
  });

  test('sales that stay missing are listed, and not resent automatically', async () => {
    const upstream = await openUpstream('id=S-7: accept untaken; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    for (let n = 1; n <= 3; n++) {
      shop.clock.skip(5 * HOUR);
      await shop.check(DAY, DAY, { actor: 'gateway' });
      const posts = upstream.attempts.filter(({ id, method }) => id === 'S-7' && method === 'POST');
      expect(posts).toHaveLength(2);
    }
    expect(await verdictOn(shop)).toMatchObject({
      verdict: 'differs',
      isProvisional: false,
      reasons: [{ code: 'missing_upstream', count: 1 }],
      ids: ['missing upstream: S-7'],
    });
  });

  test('a swap is hidden from counts and found by ids: the missing sale is resent, the foreign one listed', async () => {
    const upstream = await openUpstream('id=S-7 attempt=1: accept untaken; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    await putUpstream(upstream.url, 'foreign', `${DAY}T12:00:00Z`);
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', basis: 'counts', upstream: 20 });
    await shop.check(DAY, DAY, { byIds: true });
    expect(await verdictOn(shop)).toMatchObject({
      verdict: 'differs',
      basis: 'ids',
      reasons: [{ code: 'missing_here', count: 1 }],
      ids: ['missing here: foreign'],
      upstream: 21,
    });
  });

  test('thousands of missing sales are all found and resent', async () => {
    const upstream = await openUpstream('attempt=1 50%: accept untaken; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(5000, MORNING, 10));
    const before = upstream.summary().records;
    expect(before).toBeLessThan(3000);
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', here: 5000, upstream: 5000 });
    expect(upstream.summary().statuses).toMatchObject({ NEW: 5000, IGNORED: 0, ERROR: 0 });
  });

  test('other content upstream is reported, and so are held sales', async () => {
    const upstream = await openUpstream('id=S-3: 422; accept');
    const shop = await openReconciling(upstream);
    await putUpstream(upstream.url, 'S-5', `${DAY}T12:00:00Z`); // a later time of sale than in the gateway's record
    await shop.sell(salesOf(10, MORNING));
    await shop.check(DAY, DAY, { byIds: true });
    const { verdict, reasons, ids } = await verdictOn(shop);
    expect([verdict, reasons.map(({ code }) => code)]).toEqual(['differs', ['held', 'other_upstream']]);
    expect(ids).toEqual(['missing upstream: S-3', 'other upstream: S-5']);
  });

  test('a record that the upstream reported with other content is found when every id is compared', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await putUpstream(upstream.url, 'S-1', MORNING, undefined, { amount: 999 });
    await shop.sell({ 'S-1': MORNING });
    expect(upstream.summary().statuses).toMatchObject({ ERROR: 1 });
    await shop.check(DAY, DAY, { byIds: true });
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'differs', ids: ['other upstream: S-1'] });
  });

  test('a record that waits during a check and is held afterwards leaves the day not complete', async () => {
    const upstream = await openUpstream('id=late: 422; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    await shop.store.outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
    await shop.store.records.append(arrivalOf(shop.key, { externalId: 'late', soldAt: Date.parse(MORNING) / 1000 }));
    await shop.check(DAY);
    await shop.store.outbox.performAct(LANE, { kind: 'resume' }, 'Ann');
    await shop.sell({});
    expect(await shop.day(DAY)).toMatchObject({ day: { verdict: 'waiting' }, deliveries: { held: 1 } });
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'differs', reasons: [{ code: 'held', count: 1 }] });
  });

  test('a resent record that waits and is then held leaves the day not complete', async () => {
    const upstream = await openUpstream('id=S-2 attempt=1: accept untaken; id=S-2: 422; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    shop.clock.skip(5 * HOUR);
    await shop.store.outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
    const checking = shop.check(DAY).then(() => true);
    while (!(await Promise.race([checking, delay(50, false)]))) shop.clock.skip(5000); // skips the pauses of the check until it stops waiting for the record
    expect(shop.verdicts.map(({ verdict }) => verdict)).toEqual(['waiting', 'waiting']);
    await shop.store.outbox.performAct(LANE, { kind: 'resume' }, 'Ann');
    await shop.sell({});
    expect(await shop.day(DAY)).toMatchObject({ day: { verdict: 'waiting' }, deliveries: { held: 1 } });
  });

  test('a verdict about other hours does not apply, even with the same number of sales', async () => {
    const upstream = await openUpstream('id=dawn: accept untaken; accept');
    const shop = await openReconciling(upstream);
    await shop.sell({ night: `${DAY}T00:30:00Z`, noon: `${DAY}T12:00:00Z`, dawn: '2025-10-10T00:30:00Z' });
    await shop.check(DAY);
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', isProvisional: true, here: 2 });
    await shop.store.setup.changeAdministration('Bakery', { dayStartsAt: 240 }, 'test');
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'waiting', here: 2 });
  });

  test('the upstream gets one query at a time, after its Retry-After, with its cursor unchanged', async () => {
    const upstream = await openUpstream('query: 429 retry-after 1s x2, 503 retry-after 2s, 500, reset, accept; accept');
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(1300, MORNING, 5));
    await shop.check(DAY, DAY, { byIds: true });
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', basis: 'ids', upstream: 1300 });
    expect(upstream.summary().queriesAtOnce).toBe(1);
    const pages = upstream.attempts.filter(
      ({ path }) => path.includes('expand=raw_transactions') && path.includes('cursor='),
    );
    expect(pages).toHaveLength(2);
    for (const { path } of pages) expect(path).toContain('limit=500');
  });

  test('refused cursors are not used', async () => {
    const refusing = await openCursorless();
    const shop = await openReconciling(refusing);
    await shop.sell(salesOf(1300, MORNING, 5));
    await shop.check(DAY, DAY, { byIds: true });
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', basis: 'ids', upstream: 1300 });
  });

  test('the upstream becomes unreachable half-way: the check says so, keeps its results, and resumes automatically', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell({ a: `${DAY}T10:00:00Z`, b: '2025-10-10T10:00:00Z', c: '2025-10-11T10:00:00Z' });
    await upstream.setScript('query: accept x1, 500 x8, accept; accept');
    await shop.check(DAY, '2025-10-11');
    expect(shop.verdicts.map(({ day, verdict }) => `${day.date} ${verdict}`)).toEqual([
      `${DAY} complete`,
      '2025-10-10 cannot tell',
      '2025-10-10 complete',
      '2025-10-11 complete',
    ]);
    expect(shop.verdicts[1]?.reasons).toEqual([{ code: 'upstream_silent', cause: { code: 'trouble', detail: '500' } }]);
  });

  test('a complete day stays complete while the upstream is silent', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    await shop.check(DAY);
    await upstream.setScript('query: 500 x8, accept; accept');
    await shop.check(DAY);
    expect(shop.verdicts.map(({ verdict }) => verdict)).toEqual(['complete', 'complete']);
  });

  test('an interrupted check resumes at the day it had reached', async () => {
    const upstream = await openUpstream('query: accept x2, hang; accept');
    const shop = await openReconciling(upstream);
    await shop.sell({ a: `${DAY}T10:00:00Z`, b: '2025-10-10T10:00:00Z', c: '2025-10-11T10:00:00Z' });
    const cut = new AbortController();
    const { journalId, clock } = shop;
    await shop.store.checks.request({
      journalId,
      from: DAY,
      to: '2025-10-11',
      byIds: false,
      resend: false,
      actor: 'Ann',
      askedAt: clock.now(),
    });
    const first = shop.goOn(cut.signal);
    await upstream.waitUntil(({ queries }) => queries === 3);
    cut.abort(new Error('the machine stops'));
    await expect(first).rejects.toThrow('the machine stops');
    expect(await shop.store.checks.listOpen()).toMatchObject([{ next: '2025-10-11' }]);
    await upstream.setScript('accept');
    await shop.goOn();
    expect(shop.verdicts.map(({ day }) => day.date)).toEqual([DAY, '2025-10-10', '2025-10-11']);
    expect(await shop.store.checks.listOpen()).toEqual([]);
  });

  test('a comparison with a replaced upstream proves nothing about the new one', async () => {
    const [upstream, other] = [await openUpstream('query: accept after 300ms; accept'), await openUpstream()];
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    shop.clock.skip(5 * HOUR);
    const checking = shop.check(DAY);
    await upstream.waitUntil(({ queries }) => queries === 1);
    const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
    const to = { url: other.url, token: 'test_other' };
    await shop.store.outbox.performAct(lane, { kind: 'set upstream', upstream: to }, 'test');
    await checking;
    expect(await verdictOn(shop)).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'to_be_checked' }] });
  });

  test('a late record re-opens a signed day, until the day is checked and signed again', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    const sign = () => signAsItIs(shop.days, shop.journalId, DAY, 'counted twice');
    expect(await sign()).toBe('done');
    expect((await shop.day(DAY)).day.signOff).toMatchObject({ name: 'Ann', note: 'counted twice', isReopened: false });

    await shop.sell({ late: `${DAY}T20:00:00Z` });
    const { day } = await shop.day(DAY);
    expect(day).toMatchObject({ verdict: 'waiting', signOff: { isReopened: true } });
    expect(day.reasons.map(({ code }) => code)).toEqual(['late_records', 'settling']);
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', signOff: { isReopened: true } });
    expect(await sign()).toBe('done');
    expect((await shop.day(DAY)).day.signOff).toMatchObject({ isReopened: false });
    const takeBack = { journal: shop.journalId, date: DAY, kind: 'take back', signedFor: '' } as const;
    expect(await shop.days.sign({ ...takeBack, name: 'Ben', note: 'wrong day' }, 'ben')).toBe('done');
    expect((await shop.day(DAY)).day.signOff).toBeNull();
    const kinds = (await shop.day(DAY)).history.map((entry) => (entry.kind === 'verdict' ? entry.verdict : entry.kind));
    expect(kinds).toEqual(['signature taken back', 'signed off', 'complete', 'signed off', 'complete']);
  });

  test('a day is signed only in the form that the person saw', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
    const { signedFor } = (await shop.day(DAY)).day;
    await shop.sell({ late: `${DAY}T20:00:00Z` });
    const sign = { journal: shop.journalId, date: DAY, kind: 'sign off', signedFor, name: 'Ann', note: '' } as const;
    expect(await shop.days.sign(sign, 'ann')).toBe('changed');
    expect((await shop.day(DAY)).day.signOff).toBeNull();
    expect(await signAsItIs(shop.days, shop.journalId, DAY)).toBe('done');
  });

  test('a signature covers the differences of its time: other differences re-open the day', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(3, MORNING));
    const putAndCheck = async (id: string): Promise<void> => {
      await putUpstream(upstream.url, id, `${DAY}T12:00:00Z`);
      await shop.check(DAY);
    };
    await putAndCheck('foreign');
    await signAsItIs(shop.days, shop.journalId, DAY, 'known');
    await shop.check(DAY);
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', signOff: { isReopened: false } });
    await putAndCheck('another');
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', signOff: { isReopened: true } });
  });

  test('without an upstream the verdict of a day rests on its declared totals', async () => {
    const upstream = await openUpstream();
    const shop = await openReconciling(upstream);
    const { store, journalId } = shop;
    await shop.sell(salesOf(3, MORNING));
    const by = { actor: 'Ann', source: 'typed' } as const;
    await store.declared.declare(
      journalId,
      [{ date: DAY, type: null, tillId: null, records: 4, ids: ['S-1', 'S-2', 'X', 'Y'] }],
      by,
    );
    await shop.check(DAY);
    const { day, declared } = await shop.day(DAY);
    expect(day).toMatchObject({
      verdict: 'differs',
      declared: 4,
      reasons: [
        { code: 'declared_more', count: 2 },
        { code: 'declared_less', count: 1 },
      ],
    });
    expect(declared).toMatchObject([{ records: 4, here: 3, ids: { missing: ['X', 'Y'], undeclared: ['S-3'] } }]);
    await store.declared.declare(journalId, [{ date: DAY, type: null, tillId: null, records: 3 }], by);
    expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', declared: 3 });
  });
});

test('another gateway is an upstream like any other', async () => {
  const head = await openTestGateway();
  onTestFinished(() => head.close());
  const shop = await openReconciling({ url: head.apiUrl, token: head.test.secret });
  await shop.sell(salesOf(1200, MORNING, 5));
  await putUpstream(head.apiUrl, 'foreign', `${DAY}T12:00:00Z`, head.test.secret);
  await shop.check(DAY);
  expect(await verdictOn(shop)).toMatchObject({
    verdict: 'differs',
    here: 1200,
    upstream: 1201,
    ids: ['missing here: foreign'],
  });
  await shop.check(DAY, DAY, { byIds: true });
  expect(await verdictOn(shop)).toMatchObject({ verdict: 'differs', basis: 'ids', ids: ['missing here: foreign'] });
});

test('records that arrive during the comparison are not missing', async () => {
  const upstream = await openUpstream('query: accept after 20ms; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(600, MORNING, 5));
  const arriving = (async () => {
    for (let n = 0; n < 10; n++) {
      await shop.sell(salesOf(20, `${DAY}T15:00:00Z`, 1, `late-${n}`));
      await delay(5);
    }
  })();
  await shop.check(DAY, DAY, { byIds: true });
  await arriving;
  expect(shop.verdicts.flatMap(({ reasons }) => reasons.map(({ code }) => code))).not.toContain('missing_upstream');
  await shop.check(DAY, DAY, { byIds: true });
  expect(await verdictOn(shop)).toMatchObject({ verdict: 'complete', here: 800, upstream: 800 });
});

/** Opens a stand-in upstream behind a proxy that refuses every cursor. */
async function openCursorless() {
  const standIn = await openStandIn({ script: 'accept' });
  onTestFinished(() => standIn.close());
  const server = createServer((req, res) => {
    if (req.url?.includes('cursor=')) return void res.writeHead(400).end('{}');
    const onward = request(`${standIn.url}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return { url: `http://127.0.0.1:${address.port}` };
}
