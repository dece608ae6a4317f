// The contract of the ledger of alerts, for every engine.

import { describe, expect, test } from 'vitest';

import type { NewReceiver } from '../../../../server/store/alerts/ledger.ts';
import { engines } from './engines.ts';

const MIA: NewReceiver = {
  settings: { name: 'Mia', language: 'nl', timeZone: 'UTC', choice: 'all', quiet: { from: 1, to: 2 }, digestAt: 480 },
  destination: { kind: 'slack', url: 'https://hooks.example.org/canary', plainHttp: false },
  shown: 'https://hooks.example.org/…',
  digestOn: '2026-11-20',
};
const TASK = { name: 'clock', journalId: null, fact: { kind: 'clock_wrong' }, digest: '', size: [] } as const;
const MAIL = {
  host: 'mail.example.org',
  port: 587,
  security: 'starttls',
  user: 'shop',
  from: 'shop@example.org',
} as const;

describe.each(engines)('alerts on $name', ({ makeSite }) => {
  test('receivers are listed by name, changed, removed and noted', async () => {
    const store = await makeSite().open();
    const { alerts } = store;
    expect(await alerts.add(MIA, 'Ann')).toBe(1);
    expect(await alerts.add({ ...MIA, settings: { ...MIA.settings, name: 'mia' } }, 'Ann')).toBeUndefined();
    expect(await alerts.add({ ...MIA, settings: { ...MIA.settings, name: 'Ben' } }, 'Ann')).toBe(2);
    expect(await alerts.change(2, { name: 'MIA' }, 'Ann')).toBe('name taken');
    expect(await alerts.change(9, {}, 'Ann')).toBe('unknown');
    expect(await alerts.change(1, { digestAt: null }, 'Ann')).toBe('changed');
    const state = { lastSentAt: null, failing: null };
    expect(await alerts.list()).toMatchObject([
      { id: 2, settings: { name: 'Ben' } },
      { ...MIA, id: 1, kind: 'slack', settings: { ...MIA.settings, digestAt: null }, state, alerts: [] },
    ]);
    expect(await alerts.remove(2, 'Ann')).toBe(true);
    expect(await alerts.remove(2, 'Ann')).toBe(false);
    expect(await alerts.add({ ...MIA, settings: { ...MIA.settings, name: 'Ben' } }, 'Ann')).toBe(3); // no id is used again
    const acts = await store.setup.listActs({ limit: 10 });
    expect(acts.map(({ act }) => act.kind)).toEqual([
      'add receiver',
      'remove receiver',
      'change receiver',
      'add receiver',
      'add receiver',
    ]);
    expect(JSON.stringify(acts)).not.toContain('canary');
  });

  test('new, sent and dropped alerts survive a restart, and end with their task or receiver', async () => {
    const site = makeSite();
    const before = await site.open();
    await before.alerts.add(MIA, 'Ann');
    const begun = ['a', 'b', 'c'].map((name) => ({ ...TASK, name }));
    await before.tasks.update({ begun, changed: [], ended: [], at: 1 });
    const keys = [1, 2, 3].map((taskId) => ({ taskId, opening: 1 }));
    const failing = { code: 'rejected', detail: '500', since: 1, attempts: 2, nextAt: 9 } as const;
    const report = { receiverId: 1, added: keys, sent: keys.slice(0, 1), dropped: keys.slice(2) };
    await before.alerts.note({ ...report, state: { lastSentAt: 4, failing }, digestOn: '2026-11-21' });
    await before.alerts.note({ receiverId: 1, added: keys.slice(0, 1), sent: [], dropped: keys.slice(0, 1) });
    await before.close();
    const after = await site.open();
    expect(await after.alerts.list()).toMatchObject([
      {
        digestOn: '2026-11-21',
        state: { lastSentAt: 4, failing },
        alerts: [
          { taskId: 1, opening: 1, state: 'sent' },
          { taskId: 2, opening: 1, state: 'waiting' },
        ],
      },
    ]);
    await after.tasks.update({ begun: [], changed: [], ended: [1], at: 2 });
    expect(await after.alerts.list()).toMatchObject([{ alerts: [{ taskId: 2 }] }]);
    await after.alerts.remove(1, 'Ann');
    await after.alerts.note({ receiverId: 1, added: keys, sent: [], dropped: [] });
    expect(await after.alerts.list()).toEqual([]);
  });

  test('secrets are sealed with the key of the keyring, also those that were stored without it', async () => {
    const site = makeSite();
    const plain = await site.open();
    await plain.alerts.add(MIA, 'Ann');
    await plain.alerts.setMail({ ...MAIL, password: 'canary' }, 'Ann');
    await plain.close();
    const sealed = await site.open({ sealKey: new Uint8Array(32).fill(1) });
    expect(await sealed.alerts.mail()).toEqual({ ...MAIL, password: 'canary' });
    // Opening the store has sealed the stored secrets. This call must seal its password too.
    await sealed.alerts.setMail({ ...MAIL, password: 'canary' }, 'Ann');
    await sealed.close();
    const other = await site.open({ sealKey: new Uint8Array(32).fill(2) });
    expect(await other.alerts.mail()).toEqual({ ...MAIL, password: undefined });
    expect(await other.alerts.list()).toMatchObject([{ destination: undefined, shown: MIA.shown }]);
    await other.alerts.setMail({ ...MAIL, from: 'till@example.org', password: undefined }, 'Ann');
    await other.close();
    const again = await site.open({ sealKey: new Uint8Array(32).fill(1) });
    expect(await again.alerts.mail()).toEqual({ ...MAIL, from: 'till@example.org', password: 'canary' });
    await again.alerts.setMail(null, 'Ann');
    expect(await again.alerts.mail()).toBeNull();
  });
});
