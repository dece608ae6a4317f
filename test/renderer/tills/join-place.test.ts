// The address and the authority on a join card.

import { expect, test } from 'vitest';

import { joinPlace, qrText } from '../../../renderer/tills/join-place.ts';
import type { AuthorityView, CertificateView, NetworkView } from '../../../server/contract/network.ts';

const API = 'http://127.0.0.1:7410';
const AUTHORITY = { fingerprint: 'AB:CD', file: '/data/ca.pem', createdAt: 0, expiresAt: 1 } satisfies AuthorityView;
const CERTIFICATE = { source: 'own', names: [], expiresAt: 1, fingerprint: 'EF' } satisfies CertificateView;

function viewOf(more: Partial<NetworkView>): NetworkView {
  return { addresses: [], localAddress: API, certificate: CERTIFICATE, authority: AUTHORITY, ...more } as NetworkView;
}
const open = viewOf({ addresses: ['https://192.168.1.20:7410', 'https://10.0.0.3:7410'] });

test('an open network gives the first address and the authority', () => {
  expect(joinPlace(open, API)).toEqual({
    address: 'https://192.168.1.20:7410',
    isLocalOnly: false,
    authority: { fingerprint: 'AB:CD', from: 'http://192.168.1.20:7410' },
  });
});

test('a closed network gives the local address, which needs no authority', () => {
  expect(joinPlace(viewOf({}), API)).toEqual({ address: API, isLocalOnly: true, authority: null });
});

test('the shop’s own certificate needs no authority of ours', () => {
  const files = viewOf({ addresses: ['https://gw.shop:7410'], certificate: { ...CERTIFICATE, source: 'files' } });
  expect(joinPlace(files, API)).toEqual({ address: 'https://gw.shop:7410', isLocalOnly: false, authority: null });
});

test('plain HTTP needs no authority', () => {
  expect(joinPlace(viewOf({ addresses: ['http://192.168.1.20:7410'] }), API).authority).toBe(null);
});

test.each([
  ['http://127.0.0.1:7410', true],
  ['http://localhost:7410', true],
  ['http://[::1]:7410', true],
  ['https://192.168.1.10:7410', false],
  ['https://gateway.local', false],
])(
  'while the state of the network is unknown, %s is the address; reachable from here only: %s',
  (address, expected) => {
    expect(joinPlace(undefined, address)).toEqual({ address, isLocalOnly: expected, authority: null });
  },
);

test('the QR code has the address, the key and the authority, as far as they exist', () => {
  expect(JSON.parse(qrText(joinPlace(open, API), 'both', 'test_k'))).toEqual({
    counterfoil: 1,
    url: 'https://192.168.1.20:7410/v1/raw_transactions',
    key: 'test_k',
    ca: 'http://192.168.1.20:7410/ca.pem',
    sha256: 'AB:CD',
  });
  expect(JSON.parse(qrText(joinPlace(undefined, API), 'earlier', null))).toEqual({
    counterfoil: 1,
    url: `${API}/v1/transaction`,
  });
});
