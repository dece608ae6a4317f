// Refusals with the same cause form a group. So a till that retries all day takes one row in the console.

import { expect, test } from 'vitest';

import type { NewRefusal } from '../../../server/store/records/ledger.ts';
import { makeKey, openTemporaryStore, refusalOf } from '../../support/temp-store.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const FAULTS = [{ pointer: '/timestamp', code: 'format' }];

async function open() {
  let now = NOW;
  const store = await openTemporaryStore({ now: () => now });
  const note = (at: number, more: Partial<NewRefusal> = {}): void => store.records.noteRefusal(refusalOf(at, more));
  return { store, note, setNow: (to: number): void => void (now = to) };
}

test('a group is one code of one key, from any address, and shows its latest call', async () => {
  const { store, note } = await open();
  const key = await makeKey(store, 'Till 2');
  note(NOW - 5000, { keyId: key.id, code: 'key_revoked', detail: 'first' });
  note(NOW - 1000, {
    keyId: key.id,
    code: 'key_revoked',
    address: '192.0.2.9',
    method: 'GET',
    path: '/x',
    detail: 'last',
    excerpt: '…',
    faults: FAULTS,
  });
  note(NOW - 3000, { keyId: key.id, code: 'field_invalid' });
  expect(await store.records.groupRefusals({ journalId: key.journalId, since: 0, limit: 10 })).toEqual([
    {
      code: 'key_revoked',
      till: 'Till 2',
      keyId: key.id,
      address: '192.0.2.9',
      calls: 2,
      firstAt: NOW - 5000,
      lastAt: NOW - 1000,
      method: 'GET',
      path: '/x',
      detail: 'last',
      excerpt: '…',
      faults: FAULTS,
    },
    expect.objectContaining({ code: 'field_invalid', calls: 1 }),
  ]);
});

test('without a known key a group is one code of one network, and appears in every journal', async () => {
  const { store, note } = await open();
  const [key, other] = [await makeKey(store), await makeKey(store, 'Till 1', { mode: 'test' })];
  note(NOW - 3);
  note(NOW - 2, { address: '192.0.2.2' });
  note(NOW - 1);
  note(NOW, { keyId: other.id, code: 'field_invalid' });
  expect(await store.records.groupRefusals({ journalId: key.journalId, since: 0, limit: 10 })).toMatchObject([
    { address: '192.0.2.1', calls: 2, till: null, keyId: null },
    { address: '192.0.2.2', calls: 1 },
  ]);
  expect(await store.records.groupRefusals({ journalId: other.journalId, since: 0, limit: 10 })).toHaveLength(3);
  expect(await store.records.groupRefusals({ journalId: other.journalId, since: 0, limit: 1 })).toMatchObject([
    { code: 'field_invalid', till: 'Till 1' },
  ]);
});

test('the addresses of one IPv6 network are one group, which shows the latest call', async () => {
  const { store, note } = await open();
  const { journalId } = await makeKey(store);
  note(NOW - 4, { address: '2001:db8:1:2::1' });
  note(NOW - 3, { address: '2001:db8:1:3::1' });
  note(NOW - 1, { address: '2001:db8:1:2::7', path: '/latest' });
  note(NOW - 2, { address: '2001:db8:1:2:3:4:5:6', path: '/written last' });
  expect(await store.records.groupRefusals({ journalId, since: 0, limit: 10 })).toMatchObject([
    { address: '2001:db8:1:2::7', calls: 3, firstAt: NOW - 4, lastAt: NOW - 1, path: '/latest' },
    { address: '2001:db8:1:3::1', calls: 1 },
  ]);
});

test('the groups of one day are requested by its beginning', async () => {
  const { store, note } = await open();
  const { journalId } = await makeKey(store);
  note(NOW - DAY_MS);
  note(NOW);
  expect(await store.records.groupRefusals({ journalId, since: NOW, limit: 10 })).toMatchObject([
    { calls: 1, firstAt: NOW },
  ]);
});

test('refusals older than thirty days are not listed', async () => {
  const { store, note, setNow } = await open();
  const key = await makeKey(store);
  note(NOW);
  expect(await store.records.groupRefusals({ journalId: key.journalId, since: 0, limit: 10 })).toHaveLength(1);
  setNow(NOW + 30 * DAY_MS + 1);
  expect(await store.records.groupRefusals({ journalId: key.journalId, since: 0, limit: 10 })).toEqual([]);
});
