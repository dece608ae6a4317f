// The reported trouble of a store has the name of the latest disk error and the time of the first error.

import { expect, onTestFinished, test } from 'vitest';

import type { StoreTrouble } from '../../../../../server/contract/machine.ts';
import { openTroubleWatch } from '../../../../../server/store/sqlite/engine/disk-trouble.ts';

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });
const FULL = errorOf('SQLITE_FULL');
const BROKEN = errorOf('SQLITE_IOERR_WRITE');

function openTrouble(recover: () => Promise<void> = () => Promise.reject(FULL)) {
  let now = 1000;
  const told: (StoreTrouble['code'] | undefined)[] = [];
  let tries = 0;
  const watch = openTroubleWatch({
    recover: () => {
      tries += 1;
      return recover();
    },
    makeDo: () => Promise.resolve(),
    reserve: undefined,
    now: () => now++,
    onTrouble: (trouble) => void told.push(trouble?.code),
    onFault: () => {},
  });
  onTestFinished(watch.close);
  return { watch, told, tries: () => tries };
}

test.each([
  ['store_full', 'store_unavailable', FULL, BROKEN],
  ['store_unavailable', 'store_full', BROKEN, FULL],
] as const)('%s becomes %s with the next error, and keeps the time of the first', (first, second, one, other) => {
  const { watch, told } = openTrouble();
  watch.begin(one);
  watch.begin(one);
  expect(watch.current()).toMatchObject({ code: first, since: 1000 });
  watch.begin(other);
  expect(watch.current()).toMatchObject({ code: second, since: 1000 });
  expect(watch.current()?.hint).toMatch(second === 'store_full' ? /disk is full/ : /Check the disk/);
  expect(told).toEqual([first, second]);
});

test('the trouble has the code of the latest failed attempt to end it, and only one attempt runs at a time', async () => {
  const { watch, told, tries } = openTrouble();
  watch.begin(BROKEN);
  watch.begin(FULL);
  watch.begin(BROKEN);
  await expect.poll(() => watch.current()?.code).toBe('store_full');
  expect(told).toEqual(['store_unavailable', 'store_full', 'store_unavailable', 'store_full']);
  expect(tries()).toBe(1);
});
