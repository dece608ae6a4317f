// What `keys create` prints after the key: an address that works, and steps that a person can copy.

import { describe, expect, test } from 'vitest';

import { type JoinChoice, joinSteps } from '../../../server/command/join-steps.ts';
import type { NetworkView } from '../../../server/contract/network.ts';
import { parseBound } from '../../../server/lib/instant.ts';
import { networkView } from '../../support/network-view.ts';

const KEY: JoinChoice = {
  key: { id: 7, mode: 'test', interface: 'both' },
  secret: 'test_secret',
  dataDir: '/data',
  now: Date.UTC(2026, 10, 19, 13, 4, 51),
};
const PRODUCTION: JoinChoice = { ...KEY, key: { id: 8, mode: 'production', interface: 'both' }, secret: 'prod_secret' };

const stepsOf = (view: NetworkView | undefined, more: Partial<JoinChoice> = {}): string =>
  joinSteps(view, { ...KEY, ...more }).join('\n');

test('a test key gets three steps: fetch the authority, compare it, send a sale', () => {
  const { fingerprint } = networkView().authority!;
  expect(stepsOf(networkView())).toBe(`Address for the till: https://192.168.1.20:7410/v1/raw_transactions

1. On the machine of the till, fetch the authority of this gateway:
   curl -o ca.pem http://192.168.1.20:7410/ca.pem
2. Compare its fingerprint. If it differs from this one, do not use the file:
   openssl x509 -in ca.pem -noout -fingerprint -sha256
   SHA-256 ${fingerprint}
3. Send a first sale. It is a test:
   curl --cacert ca.pem https://192.168.1.20:7410/v1/raw_transactions -H 'token: test_secret' -H 'Content-Type: application/json' -d '{"type":"sale","external_id":"T7-000001","timestamp":"2026-11-19T13:04:51Z","object":{"total":12.5}}'`);
});

describe('a production key', () => {
  test('gets no request that stores a sale', () => {
    const steps = stepsOf(networkView(), PRODUCTION);
    expect(steps).not.toMatch(/ -d |--data|POST|first sale/);
    expect(steps).toContain('3. Set address and key in the till and let it trust ca.pem.');
    expect(steps).toContain(
      "curl --cacert ca.pem 'https://192.168.1.20:7410/v1/raw_transactions?timestamp_gte=2026-11-19T00:00:00&timestamp_lt=2026-11-19T13:04:52&expand=none' -H 'token: prod_secret'",
    );
  });

  test.each([0, 1])('asks for a valid range at %i ms after midnight', (ms) => {
    const steps = stepsOf(networkView(), { ...PRODUCTION, now: Date.UTC(2026, 10, 19) + ms });
    const [, from = '', to = ''] = /timestamp_gte=([^&]+)&timestamp_lt=([^&]+)&/.exec(steps) ?? [];
    expect(parseBound(from)).toBeLessThan(parseBound(to)!);
  });
});

test('a key that the till keeps is not printed', () => {
  const steps = stepsOf(networkView(), { secret: undefined });
  expect(steps).toContain("-H 'token: KEY'");
  expect(steps).toContain('KEY stands for the key of the till.');
});

test('a key of the earlier interface gets its address and no request', () => {
  const steps = stepsOf(networkView(), { key: { id: 9, mode: 'production', interface: 'earlier' }, secret: undefined });
  expect(steps).toContain('Address for the till: https://192.168.1.20:7410/v1/transaction');
  expect(steps).toContain('3. Set the address in the till and let it trust ca.pem. It keeps its key.');
});

test('an address with IPv6 is in quotes, because some shells read brackets as a pattern', () => {
  const steps = stepsOf(networkView({ addresses: ['https://[fd00::2]:7410'] }));
  expect(steps).toContain('curl -o ca.pem "http://[fd00::2]:7410/ca.pem"');
  expect(steps).toContain('curl --cacert ca.pem "https://[fd00::2]:7410/v1/raw_transactions"');
});

test('further addresses are listed in their order', () => {
  const addresses = ['https://192.168.1.20:7410', 'https://10.0.0.5:7410', 'http://192.168.1.20:7410'];
  expect(stepsOf(networkView({ addresses }))).toContain(
    'If the till cannot reach it: https://10.0.0.5:7410, http://192.168.1.20:7410',
  );
});

test.each<[string, Partial<NetworkView>]>([
  ['with the certificate of the shop', { authority: null }],
  ['by plain HTTP', { addresses: ['http://192.168.1.20:7410'] }],
])('%s there is no authority to fetch', (_how, changed) => {
  const steps = stepsOf(networkView(changed));
  expect(steps).not.toContain('ca.pem');
  expect(steps).toContain('Send a first sale. It is a test:\n   curl http');
});

test('in a closed network, the request works on this machine, and the command that opens it is named', () => {
  const { settings } = networkView();
  const steps = stepsOf(networkView({ addresses: [], settings: { ...settings, isOpen: false } }));
  expect(steps).toContain('Address for the till: http://127.0.0.1:7410/v1/raw_transactions');
  expect(steps).toContain('For tills on other machines: counterfoil lan on --data "/data"');
  expect(steps).toContain('curl http://127.0.0.1:7410/v1/raw_transactions');
});

test('without a running gateway, a command shows the address later', () => {
  expect(stepsOf(undefined)).toBe(
    'When the gateway runs, this shows the address for the till: counterfoil lan status --data "/data"',
  );
});
