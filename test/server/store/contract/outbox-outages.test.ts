// Outages as lanes report them: start, end and cause.

import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../../server/cause.ts';
import type { Cause, LaneState } from '../../../../server/contract/codes.ts';
import type { Store } from '../../../../server/store/store.ts';
import { makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
const NO_ANSWER = causeOf('unanswered', 'UND_ERR_SOCKET');
const KEY_REFUSED = causeOf('key_refused', 401);
const UPSTREAM = { url: 'https://upstream.example', token: 'prod_there' };
/** The start and the end of each outage, in seconds. */
async function listOutages(store: Store, journalId: number, from: number, to: number) {
  const { outages } = await store.glance.getOverview({ journalId, day: { from, to }, timeZone: 'UTC', now: 0 });
  return outages.map(({ laneId: _, ...outage }) => outage);
}

describe.each(engines)('outages on $name', ({ makeSite }) => {
  async function open(site = makeSite()) {
    const store = await site.open();
    const [key] = [...(await store.setup.listKeys()), await makeKey(store)];
    await store.outbox.performAct(LANE, { kind: 'set upstream', upstream: UPSTREAM }, 'test');
    const laneId = store.outbox.lanes().find(({ interface: by }) => by === 'current')?.id ?? 0;
    const note = (state: LaneState, since: number, cause: Cause | null = null) =>
      store.outbox.noteLane(laneId, { state, cause, since, perSecond: 0 });
    const list = (from: number, to: number) => listOutages(store, key?.journalId ?? 0, from, to);
    return { store, site, note, list, laneId };
  }

  test('an outage begins and ends when the lane says so, and another state is another outage', async () => {
    const { note, list, laneId, store } = await open();
    await note('running', 1000);
    await note('line down', 5000, NO_ANSWER);
    await note('line down', 5000, NO_ANSWER);
    await note('refused', 7000, KEY_REFUSED);
    await note('running', 9000);
    await note('paused', 12_000);
    expect(await list(0, 100)).toEqual([
      { state: 'line down', cause: NO_ANSWER, from: 5000, to: 7000 },
      { state: 'refused', cause: KEY_REFUSED, from: 7000, to: 9000 },
      { state: 'paused', cause: null, from: 12_000, to: null },
    ]);
    expect(
      (await store.glance.getOverview({ journalId: 1, day: { from: 0, to: 6 }, timeZone: 'UTC', now: 0 })).outages[0],
    ).toMatchObject({
      laneId,
    });
  });

  test('an open outage shows its latest cause', async () => {
    const { note, list } = await open();
    await note('line down', 5000, NO_ANSWER);
    await note('line down', 5000, causeOf('unreachable', 'ENOTFOUND'));
    expect(await list(0, 100)).toEqual([
      { state: 'line down', cause: causeOf('unreachable', 'ENOTFOUND'), from: 5000, to: null },
    ]);
  });

  test('outages that touch a range are listed, also an open one', async () => {
    const { note, list } = await open();
    await note('line down', 5000);
    await note('running', 7000);
    await note('refused', 20_000);
    for (const [from, to, states] of [
      [0, 5, []],
      [0, 6, ['line down']],
      [6, 7, ['line down']],
      [7, 20, []],
      [6, 21, ['line down', 'refused']],
      [900, 901, ['refused']],
    ] as const)
      expect({ from, to, states: (await list(from, to)).map(({ state }) => state) }).toEqual({ from, to, states });
  });

  test('an outage that is open when the gateway stops stays open until the lane reports another state', async () => {
    const first = await open();
    await first.note('line down', 5000, NO_ANSWER);
    await first.store.close();
    const second = await open(first.site);
    expect(await second.list(0, 100)).toMatchObject([{ from: 5000, to: null }]);
    await second.note('line down', 60_000, NO_ANSWER);
    expect(await second.list(0, 100)).toMatchObject([{ from: 5000, to: null }]);
    await second.note('running', 70_000);
    expect(await second.list(0, 100)).toMatchObject([{ from: 5000, to: 70_000 }]);
  });

  test('after the clock was set back, an outage does not end before it began', async () => {
    const { note, list } = await open();
    await note('line down', 5000);
    await note('running', 4000);
    expect(await list(0, 100)).toMatchObject([{ from: 5000, to: 5000 }]);
  });

  test('a lane without an upstream has no outages', async () => {
    const store = await makeSite().open();
    const { journalId } = await makeKey(store);
    for (const { id } of store.outbox.lanes())
      await store.outbox.noteLane(id, { state: 'paused', cause: null, since: 1000, perSecond: 0 });
    expect(await listOutages(store, journalId, 0, 100)).toEqual([]);
  });
});
