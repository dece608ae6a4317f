// When a lane reports to the store: a change of state immediately, its rate at intervals, and nothing if nothing changed.

import { expect, test } from 'vitest';

import { openLaneNotes } from '../../../server/forward/lane-note.ts';
import type { LaneNote } from '../../../server/store/outbox/ledger.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

/** The clock's timers fire `earlyMs` too early. Node's timers can fire a fraction of a millisecond too early. */
function open(write: (note: LaneNote) => Promise<void> = async () => {}, earlyMs = 0) {
  const time = startVirtualTime(0);
  const notes: LaneNote[] = [];
  const changes: LaneNote[] = [];
  const faults: unknown[] = [];
  const lane = openLaneNotes({
    clock: { ...time, after: (ms, work) => time.after(ms - earlyMs, work) },
    write(note) {
      notes.push(note);
      return write(note);
    },
    onChange: (note) => void changes.push(note),
    onFault: (error) => void faults.push(error),
  });
  return { time, notes, changes, faults, lane };
}

const RUNNING = { state: 'running', cause: null } as const;
const DOWN = { state: 'line down', cause: { code: 'unreachable', detail: 'ECONNREFUSED' } } as const;

test('a change is noted at once, a repetition is not', async () => {
  const { time, notes, changes, lane } = open();
  lane.tell(RUNNING);
  await time.pass(10);
  lane.tell(DOWN);
  await time.pass(10);
  lane.tell({ ...DOWN, cause: { ...DOWN.cause } });
  await time.pass(60_000);
  lane.tell(DOWN);
  expect(notes).toEqual([
    { ...RUNNING, since: 0, perSecond: 0 },
    { ...DOWN, since: 10, perSecond: 0 },
  ]);
  expect(changes).toEqual(notes);
});

test('`since` is the start of the state, whatever the cause', async () => {
  const { time, notes, lane } = open();
  lane.tell(DOWN);
  await time.pass(5000);
  lane.tell({ ...DOWN, cause: { code: 'unreachable', detail: 'ENOTFOUND' } });
  await time.pass(5000);
  lane.tell(RUNNING);
  expect(notes.map(({ since }) => since)).toEqual([0, 0, 10_000]);
});

test('the rate is noted every two seconds while records are delivered, then falls to zero automatically', async () => {
  const { time, notes, changes, lane } = open();
  lane.tell(RUNNING);
  for (let i = 0; i < 50; i++) {
    await time.pass(100);
    lane.noteDelivery();
    lane.tell(RUNNING);
  }
  await time.pass(60_000);
  const rates = notes.map(({ perSecond }) => perSecond);
  expect(rates.slice(0, 3).map(Math.round)).toEqual([0, 10, 10]);
  expect(rates.at(-1)).toBe(0);
  expect(rates.length).toBeLessThan(7);
  expect(changes).toHaveLength(1);
});

test('after closing nothing is noted automatically', async () => {
  const { time, notes, lane } = open();
  lane.tell(RUNNING);
  lane.noteDelivery();
  await time.pass(2000);
  lane.tell(RUNNING);
  expect(notes).toHaveLength(2);
  lane.close();
  await time.pass(60_000);
  expect(notes).toHaveLength(2);
});

test('a failed write is reported and retried automatically', async () => {
  let failures = 2;
  const { time, notes, faults, lane } = open(() =>
    failures-- > 0 ? Promise.reject(new Error('the disk')) : Promise.resolve(),
  );
  lane.tell(RUNNING);
  await time.pass(0);
  expect([notes.length, faults.length]).toEqual([1, 1]);
  await time.pass(60_000);
  expect([notes.length, faults.length]).toEqual([3, 2]);
});

test('the rate falls to zero after the last delivery, also when a timer fires early', async () => {
  const { time, notes, lane } = open(undefined, 1);
  lane.tell(RUNNING);
  await time.pass(2000);
  for (let i = 0; i < 9; i++) lane.noteDelivery();
  lane.tell(RUNNING);
  expect(notes.at(-1)?.perSecond).toBe(4.5);
  await time.pass(60_000);
  expect(notes.at(-1)?.perSecond).toBe(0);
});

test('a few deliveries soon after a change are noted, and then a rate of zero', async () => {
  const { time, notes, lane } = open();
  lane.tell(RUNNING);
  await time.pass(500);
  for (let i = 0; i < 4; i++) lane.noteDelivery();
  lane.tell(RUNNING);
  await time.pass(60_000);
  expect(notes.map(({ perSecond }) => perSecond)).toEqual([0, 2, 0]);
});

test('a cause that could not be written does not replace a newer one', async () => {
  let failures = 1;
  const { time, notes, lane } = open(async () => {
    if (failures-- <= 0) return;
    await Promise.resolve();
    throw new Error('the disk');
  });
  lane.tell(DOWN);
  lane.tell(RUNNING);
  await time.pass(60_000);
  expect(notes.at(-1)).toMatchObject(RUNNING);
});
