// A day is final only after a check that ran when all its records were visible upstream. A check during the day is not enough,
// and neither is a signature.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { prepareConnections } from '../../../server/forward/connection.ts';
import { type Clock, machineClock } from '../../../server/lib/clock.ts';
import { runCheck } from '../../../server/reconcile/check.ts';
import { openDays } from '../../../server/reconcile/days.ts';
import { signAsItIs } from '../../support/reconciling.ts';
import { arrivalOf, makeKey, openTemporaryStore, settleRecords } from '../../support/temp-store.ts';

const DATE = '2026-11-19';
const at = (time: string): number => Date.parse(`${time}Z`);
const OPENS = at(`${DATE}T09:00:00`);

/** A shop in UTC whose upstream immediately counts every record that it received. */
async function open() {
  let [now, there] = [OPENS, 0];
  const clock: Clock = { ...machineClock, now: () => now };
  const upstream = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ raw_transaction_count: there }));
  });
  await new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const dispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined })({
    connections: 1,
    connectTimeoutMs: 5000,
    answerTimeoutMs: 30_000,
    maxAnswerBytes: 8 * 1024 * 1024,
  });
  onTestFinished(async () => {
    await dispatcher.destroy();
    upstream.closeAllConnections();
    upstream.close();
  });

  const store = await openTemporaryStore({ now: clock.now });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  const { journalId } = key;
  const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
  const days = openDays({ store, clock });
  const laneId =
    store.outbox.lanes().find((each) => each.journalId === journalId && each.interface === 'current')?.id ?? 0;
  const request = { journal: journalId, from: DATE, to: DATE, byIds: false };
  return {
    waitUntil: (time: string) => void (now = at(time)),
    setUpstream: () =>
      store.outbox.performAct(lane, { kind: 'set upstream', upstream: { url, token: 'test_there' } }, 'test'),
    /** Sells a record and delivers it immediately. */
    async sell(externalId: string) {
      const { recordId } = await store.records.append(arrivalOf(key, { externalId, soldAt: OPENS / 1000 }));
      await settleRecords(store, laneId, [recordId], { state: 'delivered', answeredAt: now });
      there += 1;
    },
    async check() {
      await days.check(request, 'Ann');
      for (const check of await store.checks.listOpen())
        await runCheck(check, {
          store,
          dispatcher,
          clock,
          random: () => 0.5,
          holder: 'test',
          isForwarding: true,
          signal: new AbortController().signal,
          onVerdict() {},
        });
    },
    sign: () => signAsItIs(days, journalId, DATE),
    day: async () => (await days.get(journalId, DATE))?.day,
  };
}

test('a check made during the day is provisional after the end of the day', async () => {
  const { waitUntil, setUpstream, sell, check, day } = await open();
  await setUpstream();
  await sell('a');
  waitUntil('2026-11-19T17:30:00');
  await check();
  expect(await day()).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'not_over' }], basis: 'counts' });
  waitUntil('2026-11-20T00:00:00');
  expect(await day()).toMatchObject({ verdict: 'complete', isProvisional: true });
  waitUntil('2026-11-20T04:00:00');
  await check();
  expect(await day()).toMatchObject({ verdict: 'complete', isProvisional: false });
});

test('a signature does not complete a day that was never checked', async () => {
  const { waitUntil, setUpstream, sell, sign, day } = await open();
  await setUpstream();
  await sell('a');
  waitUntil('2026-11-20T05:00:00');
  expect(await sign()).toBe('done');
  expect(await day()).toMatchObject({
    verdict: 'waiting',
    reasons: [{ code: 'to_be_checked' }],
    signOff: { name: 'Ann', isReopened: false },
  });
});

test('a signature does not complete a day with records that came after its check', async () => {
  const { waitUntil, setUpstream, sell, check, sign, day } = await open();
  await setUpstream();
  await sell('a');
  waitUntil('2026-11-20T05:00:00');
  await check();
  expect(await day()).toMatchObject({ verdict: 'complete', isProvisional: false });
  waitUntil('2026-11-20T06:00:00');
  await sell('b');
  waitUntil('2026-11-20T11:00:00');
  expect(await sign()).toBe('done');
  const reasons = [{ code: 'late_records', count: 1 }, { code: 'to_be_checked' }];
  expect(await day()).toMatchObject({ verdict: 'waiting', reasons });
  await check();
  expect(await day()).toMatchObject({ verdict: 'complete', isProvisional: false, here: 2, upstream: 2 });
});

test('a result without an upstream proves nothing about an upstream set later', async () => {
  const { waitUntil, setUpstream, sell, check, day } = await open();
  await sell('a');
  waitUntil('2026-11-20T05:00:00');
  await check();
  expect(await day()).toMatchObject({ verdict: 'cannot tell', reasons: [{ code: 'no_upstream' }] });
  await setUpstream();
  expect(await day()).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'to_be_checked' }] });
});
