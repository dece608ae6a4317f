// Watching the machine: how often it is checked, how the watch ends, and that it reports when a problem is over.

import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { ClockFault, HealthView, MachineState, StoreTrouble } from '../../server/contract/machine.ts';
import type { Log } from '../../server/log.ts';
import { openMachineWatch } from '../../server/machine-watch.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

const LOOK_MS = 15_000;
const WELL: MachineState = { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null };
const LOW: MachineState = {
  disk: { freeBytes: 1e6, totalBytes: 1e9, daysLeft: 1, isLow: true },
  clock: null,
  walDamage: null,
  damaged: null,
  indexFault: null,
};

/** Opens a watch over a fake machine. The test sets the machine's state. */
async function openWatch(machine: MachineState = WELL) {
  const clock = startVirtualTime();
  const said: string[] = [];
  const state: { machine: MachineState; trouble: StoreTrouble | undefined } = { machine, trouble: undefined };
  const looks: (() => void)[] = [];
  let isSlow = false;
  const read = async (): Promise<MachineState> => {
    if (isSlow) await new Promise<void>((resolve) => void looks.push(resolve));
    return state.machine;
  };
  const silent = () => {};
  let onTime: ((epochMs: number) => void) | undefined;
  let confirmations = 0;
  const watch = await openMachineWatch({
    store: {
      health: {
        trouble: () => state.trouble,
        readMachine: read,
        confirmClock: async () => void (confirmations += 1),
      },
      records: { unwrittenRefusals: () => 0 },
    },
    clock,
    dataDir: '/data',
    log: { info: silent, warn: silent, error: silent } as unknown as Log,
    listenForTime(listener) {
      if (onTime !== undefined) throw new Error('it listens twice');
      onTime = listener;
      return () => void (onTime = undefined);
    },
    tell: (sentence) => void said.push(sentence),
    onChange: silent,
    onFault: silent,
  });
  isSlow = true;
  return {
    clock,
    watch,
    said,
    looks,
    async answer(): Promise<void> {
      for (const resolve of looks.splice(0)) resolve();
      await nextTurn();
    },
    fall(code: StoreTrouble['code'] | undefined): void {
      state.trouble = code && { code, hint: '', since: clock.now() };
      watch.noteTrouble();
    },
    show: (to: MachineState) => void (state.machine = to),
    confirmations: () => confirmations,
    isListening: () => onTime !== undefined,
    hear: (epochMs: number) => onTime?.(epochMs),
  };
}

test('troubles during a slow poll start no second series of polls', async () => {
  const { clock, watch, looks, answer } = await openWatch();
  for (let i = 0; i < 5; i++) watch.noteTrouble();
  await answer();
  clock.jump(LOOK_MS);
  expect(looks).toHaveLength(1);
  await answer();
  clock.jump(LOOK_MS);
  expect(looks).toHaveLength(1);
});

test('after closing, no poll starts, and a running poll changes nothing', async () => {
  const { clock, watch, said, looks, answer, show } = await openWatch();
  for (let i = 0; i < 5; i++) watch.noteTrouble();
  watch.close();
  show(LOW);
  await answer();
  clock.jump(10 * LOOK_MS);
  expect(looks).toEqual([]);
  expect(said).toEqual([]);
  expect(watch.health().machine).toEqual(WELL);
});

test('a problem is not reported as over after a worse one has replaced it', async () => {
  const { said, fall, answer, show } = await openWatch(LOW);
  fall('store_full');
  fall('store_unavailable');
  expect(said.map((sentence) => sentence.slice(0, 20))).toEqual([
    'The disk is nearly f',
    'The disk is full: no',
    'The disk or the data',
    'The disk is nearly f',
  ]);
  said.length = 0;
  show(WELL);
  fall(undefined);
  await answer();
  expect(said).toEqual(['Sales are accepted again.', 'The disk has enough space again.']);
});

test('a second damage is reported like the first', async () => {
  const damaged = { count: 1, foundAt: 0, lastFoundAt: 0, recordIds: [7] };
  const { said, show, fall, answer } = await openWatch({ ...WELL, damaged });
  show({ ...WELL, damaged: { ...damaged, count: 20 } });
  fall(undefined);
  await answer();
  expect(said.map((sentence) => sentence.slice(0, 20))).toEqual(['1 record on the disk', '20 records on the di']);
});

test('a full disk is not also reported as nearly full', async () => {
  const { watch, fall } = await openWatch(LOW);
  const isLow = (): HealthView['machine']['disk'] => watch.health().machine.disk;
  expect(isLow()).toMatchObject({ isLow: true });
  fall('store_full');
  expect(isLow()).toMatchObject({ isLow: false, freeBytes: 1e6 });
});

describe('a clock before the newest record', () => {
  const doubtful = (code: ClockFault['code'] = 'before_newest'): MachineState => ({
    disk: null,
    clock: { code, now: 0, earliest: 1 },
    walDamage: null,
    damaged: null,
    indexFault: null,
  });

  test('is confirmed, once, by a time from another source within five minutes of it', async () => {
    const { clock, hear, answer, show, confirmations, isListening, said } = await openWatch(doubtful());
    hear(clock.now() - 5 * 60_001);
    hear(clock.now() + 3_600_000);
    expect(confirmations()).toBe(0);
    hear(clock.now() + 5 * 60_000);
    hear(clock.now());
    expect(confirmations()).toBe(1);
    said.length = 0;
    show(WELL);
    await nextTurn();
    await answer();
    expect(said).toEqual(['The clock of this machine is right again.']);
    expect(isListening()).toBe(false);
  });

  test('is still compared with other times if the confirmation did not end it, until closing', async () => {
    const { clock, watch, hear, answer, isListening } = await openWatch(doubtful());
    hear(clock.now());
    await nextTurn();
    await answer();
    expect(isListening()).toBe(true);
    watch.close();
    expect(isListening()).toBe(false);
  });

  test.each([
    ['is well', WELL],
    ['is before the build date', doubtful('before_build')],
  ])('nothing listens for other times while the clock %s', async (_how, machine) => {
    expect((await openWatch(machine)).isListening()).toBe(false);
  });
});
