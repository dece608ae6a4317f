// Forwarding slows down while tills wait for the disk, so that tills come first.

import { expect, onTestFinished, test } from 'vitest';

import { openLane } from '../../../server/forward/lane.ts';
import type { WaitingRecord } from '../../../server/store/outbox/ledger.ts';
import { answered } from '../../support/forwarding.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const WAITING = 50_000;

/**
 * Opens a lane with enough records. Its upstream accepts a record `answerMs` after the call began. The test sets the number of
 * tills that wait for the disk.
 */
function openBusyLane(answerMs: number) {
  const time = startVirtualTime();
  const sentAt: number[] = [];
  let unanswered = 0;
  const lane = openLane(
    {
      id: 1,
      journalId: 1,
      administration: 'Bakery',
      mode: 'production',
      interface: 'current',
      upstream: { url: 'https://upstream.test', token: 'prod_x' },
      isKeyUnreadable: false,
      tokenDigest: null,
      isPaused: false,
      isRestored: false,
      asksUpTo: null,
      triedAt: null,
      senders: [],
      upstreamSetCount: 0,
      releasedForSet: 0,
      endPoints: [],
    },
    {
      store: {
        outbox: {
          listWaiting: async (_, after) => ({
            records: Array.from({ length: Math.min(256, WAITING - after) }, (__, i) => recordOf(after + i + 1)),
            last: Math.min(after + 256, WAITING),
            hasMore: after + 256 < WAITING,
            hasPassedOver: false,
          }),
          findWaiting: async () => undefined,
          settle: async () => [],
          noteLane: async () => {},
          noteEndPoint: async () => {},
          forgetEndPoints: async () => {},
          holdsRecords: async () => false,
          noteReleased: async () => {},
          performAct: async () => ({ kind: 'done', records: 0 }),
        },
        health: { load: () => ({ waiting: 0, unanswered, walPages: 0 }) },
      },
      viaOf: () => 'AAAAAAAAAAAAAAAA',
      openClient: () => ({
        send() {
          sentAt.push(time.monotonic());
          return new Promise((resolve) => void time.after(answerMs, () => resolve(answered(201))));
        },
        close: () => Promise.resolve(),
      }),
      clock: time,
      queryPauses: { noteRecords() {}, endRecords() {} },
      random: () => 0.5,
      onState: () => {},
      onFault(doing, error) {
        throw new Error(doing, { cause: error });
      },
    },
  );
  onTestFinished(async () => {
    const closing = lane.close();
    await time.pass(2000);
    await closing;
  });
  lane.wake();
  return {
    /** The number of records that are sent within the next `ms` milliseconds. */
    async sentIn(ms: number): Promise<number> {
      const before = sentAt.length;
      await time.pass(ms);
      return sentAt.length - before;
    },
    tills: (waiting: number) => void (unanswered = waiting),
  };
}

function recordOf(recordId: number): WaitingRecord {
  return { recordId, status: 'NEW', soldAt: 0, earlier: undefined, body: Buffer.from('{}') };
}

test('records leave a millisecond apart while many tills wait for the disk, and at full speed afterwards', async () => {
  const { sentIn, tills } = openBusyLane(0.5);
  await sentIn(100);
  expect(await sentIn(50)).toBeGreaterThan(1000);
  tills(64);
  await sentIn(1);
  expect(await sentIn(50)).toBe(50);
  tills(2);
  expect(await sentIn(50)).toBeGreaterThan(1000);
});

test('over a slow line, waiting tills change nothing: sixteen records are in flight', async () => {
  const { sentIn, tills } = openBusyLane(100);
  tills(64);
  await sentIn(2000);
  expect(await sentIn(1000)).toBe(160);
});
