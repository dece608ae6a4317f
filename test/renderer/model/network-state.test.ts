// What the console says about the network: its headline, its problems, and where files can be downloaded.

import { describe, expect, test } from 'vitest';

import {
  allowsPlainHttp,
  downloadBase,
  fixedBySetting,
  headlineOf,
  listProblems,
} from '../../../renderer/model/network-state.ts';
import type { NetworkView } from '../../../server/contract/network.ts';
import { CLOSED_NETWORK } from '../../../server/store/network/ledger.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 12);

function viewOf(more: Partial<NetworkView> = {}): NetworkView {
  return {
    settings: CLOSED_NETWORK,
    fixedBy: [],
    interfaces: [],
    addresses: [],
    names: [],
    consoleAddresses: [],
    localAddress: 'http://127.0.0.1:7410',
    announcement: { state: 'off' },
    certificate: null,
    authority: null,
    tillsAtOldAddress: [],
    tillsToTrust: [],
    failures: [],
    ...more,
  };
}
const OPEN = { ...CLOSED_NETWORK, isOpen: true };
const ADDRESS = 'https://192.168.1.20:7410';
const FAILURE = {
  kind: 'failed',
  address: '192.168.1.20:7410',
  detail: 'Another program uses this port.',
  since: NOW,
} as const;
const TILL = { till: 'Till 2', administration: 'Bakery', address: 'https://192.168.1.9:7410', at: NOW - DAY };

describe('the headline', () => {
  test.each([
    ['closed', viewOf(), { kind: 'closed' }],
    ['opening', viewOf({ settings: OPEN, isApplying: true }), { kind: 'applying' }],
    ['closing', viewOf({ addresses: [ADDRESS], isApplying: true }), { kind: 'applying' }],
    [
      'open while another change is applied',
      viewOf({ settings: OPEN, addresses: [ADDRESS], isApplying: true }),
      { kind: 'open', address: ADDRESS },
    ],
    [
      'open at the first address',
      viewOf({ settings: OPEN, addresses: [ADDRESS, 'x'] }),
      { kind: 'open', address: ADDRESS },
    ],
    [
      'open without encryption',
      viewOf({ settings: OPEN, addresses: ['http://192.168.1.20:7410'] }),
      { kind: 'plain', address: 'http://192.168.1.20:7410' },
    ],
    ['open, but this machine has no address', viewOf({ settings: OPEN }), { kind: 'noAddress' }],
    ['open, but the gateway cannot listen', viewOf({ settings: OPEN, failures: [FAILURE] }), { kind: 'failed' }],
    [
      'open by a setting, whatever people decided',
      viewOf({ fixedBy: ['host'], addresses: [ADDRESS] }),
      { kind: 'open', address: ADDRESS },
    ],
    ['closed by a setting, whatever people decided', viewOf({ settings: OPEN, fixedBy: ['host'] }), { kind: 'closed' }],
  ])('says: %s', (_name, view, expected) => expect(headlineOf(view)).toEqual(expected));
});

describe('the problems', () => {
  const ends = (source: 'own' | 'files', inMs: number) =>
    viewOf({ certificate: { source, names: [], expiresAt: NOW + inMs, fingerprint: '' } });

  test('none while all is well', () =>
    expect(listProblems(viewOf({ settings: OPEN, addresses: [ADDRESS] }), NOW)).toEqual([]));

  test('the worst first', () => {
    const view = viewOf({ tillsAtOldAddress: [TILL], tillsToTrust: [TILL], failures: [FAILURE] });
    expect(listProblems(view, NOW).map(({ kind }) => kind)).toEqual(['notListening', 'newAuthority', 'oldAddress']);
  });

  test('an address outside the certificate is last, and no failure', () => {
    const uncertified = { ...FAILURE, kind: 'uncertified' } as const;
    const view = viewOf({ tillsAtOldAddress: [TILL], failures: [uncertified] });
    expect(listProblems(view, NOW)).toMatchObject([
      { kind: 'oldAddress' },
      { kind: 'uncertified', failures: [uncertified] },
    ]);
  });

  test.each([
    ['in 15 days', ends('files', 15 * DAY), []],
    ['in 14 days', ends('files', 14 * DAY), [{ kind: 'certificateEnds', expiresAt: NOW + 14 * DAY, isOver: false }]],
    ['a second ago', ends('files', -1000), [{ kind: 'certificateEnds', expiresAt: NOW - 1000, isOver: true }]],
    ['tomorrow, but the gateway renews its own', ends('own', DAY), []],
  ])('the shop’s certificate ends %s', (_name, view, expected) => expect(listProblems(view, NOW)).toEqual(expected));
});

test('a setting of the gateway decides what it is about', () => {
  expect(fixedBySetting(viewOf({ fixedBy: ['host'] }), 'allowsPlainHttp')).toBe('host');
  expect(fixedBySetting(viewOf({ fixedBy: ['host', 'consoleHost'] }), 'isConsoleOpen')).toBe('consoleHost');
  expect(fixedBySetting(viewOf({ fixedBy: ['consoleHost'] }), 'isOpen')).toBeUndefined();
});

test('a gateway whose setting host opens plain HTTP accepts it, whatever people decided', () => {
  const fixed = (address: string) => viewOf({ fixedBy: ['host'], addresses: [address] });
  expect(allowsPlainHttp(fixed('http://192.168.1.20:7410'))).toBe(true);
  expect(allowsPlainHttp(fixed(ADDRESS))).toBe(false);
  expect(allowsPlainHttp(viewOf({ settings: { ...OPEN, allowsPlainHttp: true }, addresses: [ADDRESS] }))).toBe(true);
});

describe('files are downloaded from an address that this browser reaches:', () => {
  const view = viewOf({ addresses: [ADDRESS, 'https://counterfoil.local:7410'] });
  test.each([
    ['on this machine', '127.0.0.1', 'http://127.0.0.1:7410'],
    ['on this machine by name', 'localhost', 'http://127.0.0.1:7410'],
    ['by the name that the browser used', 'counterfoil.local', 'https://counterfoil.local:7410'],
    ['otherwise by the first address', 'shop.example.com', ADDRESS],
  ])('%s', (_name, hostname, expected) => expect(downloadBase(view, hostname)).toBe(expected));
});
