// Checks of store days: how they are requested and resumed, and which process may query the upstream.

import { describe, expect, test, vi } from 'vitest';

import { causeOf } from '../../../../server/cause.ts';
import type { NewCheck } from '../../../../server/store/checks/ledger.ts';
import { makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const NOW = 1_760_000_000_000;
const STALLED = { next: '2026-11-18', stalledAt: NOW, cause: causeOf('unanswered', 'UND_ERR_SOCKET') };
const UNKNOWN_CHECK = 999;

describe.each(engines)('checks on $name', ({ makeSite }) => {
  async function open(site = makeSite()) {
    let now = NOW;
    const store = await site.open({ now: () => now });
    const { journalId } = await makeKey(store);
    const wanted: NewCheck = {
      journalId,
      from: '2026-11-17',
      to: '2026-11-19',
      byIds: false,
      resend: true,
      actor: 'Ann',
      askedAt: NOW,
    };
    return { store, checks: store.checks, journalId, wanted, show: (at: number): void => void (now = at) };
  }

  test('without a request, no check is open', async () => {
    const { checks } = await open();
    expect(await checks.listOpen()).toEqual([]);
  });

  test('a requested check is open and begins at its first day; the watchers are notified', async () => {
    const { store, checks, journalId, wanted } = await open();
    const [checkRequested, daysChanged] = [vi.fn<(journalId: number) => void>(), vi.fn<() => void>()];
    store.watch({ checkRequested, daysChanged });
    const check = await checks.request(wanted);
    expect(check).toEqual({ ...wanted, id: check.id, next: wanted.from, stalledAt: null, cause: null });
    expect(await checks.listOpen()).toEqual([check]);
    expect(checkRequested).toHaveBeenCalledExactlyOnceWith(journalId);
    expect(daysChanged).toHaveBeenCalledOnce();
  });

  test('a repeated request returns the same check until it has begun', async () => {
    const { checks, wanted } = await open();
    const first = await checks.request(wanted);
    expect(await checks.request({ ...wanted, actor: 'Ben', askedAt: NOW + 1 })).toEqual(first);
    await checks.noteProgress(first.id, { ...STALLED, requests: 1, bytes: 10 });
    const second = await checks.request(wanted);
    expect(second.id).not.toBe(first.id);
    expect((await checks.listOpen()).map(({ id }) => id)).toEqual([first.id, second.id]); // oldest first
  });

  test.each<[what: string, other: Partial<NewCheck>]>([
    ['first day', { from: '2026-11-16' }],
    ['last day', { to: '2026-11-18' }],
    ['comparison', { byIds: true }],
    ['resending', { resend: false }],
  ])('a request with another %s is another check', async (_what, other) => {
    const { checks, wanted } = await open();
    const first = await checks.request(wanted);
    const second = await checks.request({ ...wanted, ...other });
    expect(second).toMatchObject(other);
    expect(await checks.listOpen()).toEqual([first, second]);
  });

  test('new progress replaces the old one, and survives a restart', async () => {
    const site = makeSite();
    const { store, checks, wanted } = await open(site);
    const { id } = await checks.request(wanted);
    await checks.noteProgress(id, { ...STALLED, requests: 1, bytes: 10 });
    await store.close();
    const again = await site.open();
    expect(await again.checks.listOpen()).toMatchObject([{ id, ...STALLED }]);
    await again.checks.noteProgress(id, { next: '2026-11-19', stalledAt: null, cause: null, requests: 0, bytes: 0 });
    expect(await again.checks.listOpen()).toMatchObject([{ id, next: '2026-11-19', stalledAt: null, cause: null }]);
  });

  test('a finished check is no longer open; finishing it again changes nothing', async () => {
    const { checks, wanted } = await open();
    const [first, second] = [await checks.request(wanted), await checks.request({ ...wanted, byIds: true })];
    await checks.end(first.id, NOW);
    await checks.end(first.id, NOW + 1);
    expect(await checks.listOpen()).toEqual([second]);
  });

  test('an unknown check is refused', async () => {
    const { checks } = await open();
    const progress = { ...STALLED, requests: 0, bytes: 0 };
    await expect(checks.noteProgress(UNKNOWN_CHECK, progress)).rejects.toMatchObject({ code: 'internal' });
    await expect(checks.end(UNKNOWN_CHECK, NOW)).rejects.toMatchObject({ code: 'internal' });
  });

  describe('the lease to query an upstream', () => {
    const MINUTE = 60_000;

    test('belongs to one holder until it expires or the holder releases it', async () => {
      const { checks, journalId, show } = await open();
      expect(await checks.takeTurn(journalId, 'gateway', NOW + MINUTE)).toBe(true);
      expect(await checks.takeTurn(journalId, 'command', NOW + MINUTE)).toBe(false);
      expect(await checks.takeTurn(journalId, 'gateway', NOW + 2 * MINUTE)).toBe(true); // the same process extends its lease
      show(NOW + 2 * MINUTE - 1);
      expect(await checks.takeTurn(journalId, 'command', NOW + 3 * MINUTE)).toBe(false);
      show(NOW + 2 * MINUTE);
      expect(await checks.takeTurn(journalId, 'command', NOW + 3 * MINUTE)).toBe(true);
      await checks.leaveTurns('command');
      await checks.leaveTurns('command');
      expect(await checks.takeTurn(journalId, 'gateway', NOW + 3 * MINUTE)).toBe(true);
    });

    test('is separate for each journal, and a release affects only the holder’s own leases', async () => {
      const { store, checks, journalId } = await open();
      const other = await makeKey(store, 'Till 1', { mode: 'test' });
      expect(await checks.takeTurn(journalId, 'gateway', NOW + MINUTE)).toBe(true);
      expect(await checks.takeTurn(other.journalId, 'command', NOW + MINUTE)).toBe(true);
      await checks.leaveTurns('command');
      expect(await checks.takeTurn(journalId, 'command', NOW + MINUTE)).toBe(false);
      expect(await checks.takeTurn(other.journalId, 'gateway', NOW + MINUTE)).toBe(true);
    });

    test('is free after the clock was set back by more than a lease', async () => {
      const { checks, journalId, show } = await open();
      expect(await checks.takeTurn(journalId, 'gateway', NOW + MINUTE)).toBe(true);
      show(NOW - 60 * MINUTE);
      expect(await checks.takeTurn(journalId, 'command', NOW - 59 * MINUTE)).toBe(true);
    });
  });
});
