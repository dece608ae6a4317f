import { describe, expect, test } from 'vitest';

import { openLinks } from '../../../server/console/link.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

/** A store that cannot write. */
const full = { useLink: () => Promise.reject(new Error('the disk is full')) };
const empty = { useLink: () => Promise.resolve(false) };

describe('a link of the gateway', () => {
  test('admits a browser when the disk is full', async () => {
    const links = openLinks(full, startVirtualTime());
    expect(await links.use(links.create())).toBe(true);
  });

  test('works once, and up to its last millisecond', async () => {
    const clock = startVirtualTime();
    const links = openLinks(empty, clock);
    const [one, other, late] = [links.create(), links.create(), links.create()];
    expect(one).toMatch(/^[\w-]{43}$/);
    expect([await links.use(one), await links.use(one)]).toEqual([true, false]);
    clock.jump(10 * 60_000 - 1);
    expect(await links.use(other)).toBe(true);
    clock.jump(1);
    expect(await links.use(late)).toBe(false);
  });
});

test('an unknown link may belong to another process', async () => {
  const links = openLinks({ useLink: (code) => Promise.resolve(code === 'elsewhere') }, startVirtualTime());
  expect([await links.use('elsewhere'), await links.use('nowhere')]).toEqual([true, false]);
});
