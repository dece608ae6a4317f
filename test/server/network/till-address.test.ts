// Which tills still use an old address or authority after a change of the network.

import { expect, test } from 'vitest';

import { ownHosts } from '../../../server/network/own-host.ts';
import { listTillsAtOldAddress, listTillsToTrust } from '../../../server/network/till-address.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';

let lastId = 0;

/** A key of till 1, unless `more` says otherwise. */
function keyOf(lastAddress: string | null, lastUsedAt: number | null, more: Partial<Key> = {}): Key {
  return {
    id: ++lastId,
    tillId: 1,
    label: 'Till 1',
    administration: 'Bar',
    lastAddress,
    lastUsedAt,
    revokedAt: null,
    ...more,
  } as Key; // only these members are read
}

const isOwnHost = ownHosts(['192.168.1.20', 'fd00::2', 'counterfoil.local', '*.shop.example'], 'tills.example.com');
const atOld = (...keys: Key[]) => listTillsAtOldAddress(keys, isOwnHost).map(({ address }) => address);

test.each([
  'https://192.168.1.20:7410',
  'https://[fd00::2]:7410',
  'https://counterfoil.local:7410',
  'https://till.shop.example',
  'https://bakery.1207.tills.example.com:7410',
  'http://localhost:7410',
  'http://127.0.0.1:7410',
])('%s leads here', (address) => {
  expect(atOld(keyOf(address, 5))).toEqual([]);
});

test.each([
  'https://192.168.1.21:7410',
  'https://[fd00::3]:7410',
  'https://other.local:7410',
  'https://a.b.shop.example',
])('%s no longer leads here', (address) => {
  expect(atOld(keyOf(address, 5))).toEqual([address]);
});

test('the last call of a till counts, over all its keys that are not revoked', () => {
  const [old, now] = ['https://192.168.1.21:7410', 'https://192.168.1.20:7410'];
  expect(atOld(keyOf(old, 5), keyOf(now, 6))).toEqual([]);
  expect(atOld(keyOf(now, 5), keyOf(old, 6))).toEqual([old]);
  expect(atOld(keyOf(old, 5, { revokedAt: 6 }))).toEqual([]);
  expect(atOld(keyOf(null, 5), keyOf(old, null))).toEqual([]);
});

test('a till must trust the new authority if it called by HTTPS before, and not after', () => {
  const tills = listTillsToTrust(
    [
      keyOf('https://192.168.1.20:7410', 5, { label: 'before' }),
      keyOf('https://192.168.1.20:7410', 15, { tillId: 2, label: 'after' }),
      keyOf('http://192.168.1.20:7410', 5, { tillId: 3, label: 'plain' }),
    ],
    10,
  );
  expect(tills).toEqual([{ till: 'before', administration: 'Bar', address: 'https://192.168.1.20:7410', at: 5 }]);
});
