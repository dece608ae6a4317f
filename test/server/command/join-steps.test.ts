// What `keys create` prints after the key: an address that works, and shell commands that a person can copy.

import { describe, expect, test } from 'vitest';

import { type JoinChoice, joinSteps } from '../../../server/command/join-steps.ts';
import type { NetworkView } from '../../../server/contract/network.ts';
import { networkView } from '../../support/network-view.ts';

const createdAt = Date.UTC(2026, 10, 19, 13, 4, 51);
const KEY: JoinChoice = {
  key: { id: 7, interface: 'both', createdAt },
  mode: 'test',
  secret: 'test_secret',
  dataDir: '/data',
};
const PRODUCTION: JoinChoice = { ...KEY, mode: 'production', secret: 'prod_secret' };
const EARLIER = { id: 9, interface: 'earlier', createdAt } as const;

const stepsOf = (view: NetworkView | undefined, more: Partial<JoinChoice> = {}): string =>
  joinSteps(view, { ...KEY, ...more }).join('\n');

test('a test key gets lines that check the certificate, then send a sale that is new on each run', () => {
  const { fingerprint } = networkView().authority!;
  expect(stepsOf(networkView())).toBe(`Address for the till: https://192.168.1.20:7410/v1/raw_transactions

On the machine of the till, run these lines. They check the certificate of the gateway and send a test sale:

NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)
curl -sSo counterfoil-ca.pem 'http://192.168.1.20:7410/ca.pem' &&
if openssl x509 -in counterfoil-ca.pem -noout -fingerprint -sha256 | grep -F '${fingerprint}'
then curl --cacert counterfoil-ca.pem 'https://192.168.1.20:7410/v1/raw_transactions' \\
  -H 'token: test_secret' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"sale","external_id":"T7-'$NOW'","timestamp":"'$NOW'","object":{"total":12.50}}'
else echo 'The certificate has another fingerprint, or openssl is missing.' >&2; false; fi

Then set address and key in the till, and let it trust counterfoil-ca.pem.`);
});

describe('a production key', () => {
  test.each(['both', 'current', 'earlier'] as const)('of %s gets no request that stores a sale', (by) => {
    const steps = stepsOf(networkView(), { ...PRODUCTION, key: { ...KEY.key, interface: by } });
    expect(steps).not.toMatch(/ -d |--data|POST|sale\b/);
    expect(steps).toContain('They store nothing:');
  });

  test('asks for the number of sales of the day when it was made', () => {
    expect(stepsOf(networkView(), PRODUCTION)).toContain(
      `then curl --cacert counterfoil-ca.pem 'https://192.168.1.20:7410/v1/raw_transactions?timestamp_gte=2026-11-19T00:00:00&timestamp_lt=2026-11-19T23:59:59' \\
  -H 'token: prod_secret'`,
    );
  });

  test('of the earlier interface tests only the connection', () => {
    const steps = stepsOf(networkView(), { ...PRODUCTION, key: EARLIER, secret: null });
    expect(steps).toContain('Address for the till: https://192.168.1.20:7410/v1/transaction\n');
    expect(steps).toContain("then curl --cacert counterfoil-ca.pem 'https://192.168.1.20:7410/healthz'\n");
    expect(steps).not.toContain('KEY');
  });
});

test('a key that the till keeps is not printed', () => {
  const steps = stepsOf(networkView(), { secret: null });
  expect(steps).toContain("-H 'token: KEY'");
  expect(steps).toContain('KEY stands for the key of the till.');
  expect(steps).toContain('Then set the address in the till, and let it trust counterfoil-ca.pem. It keeps its key.');
});

test('a test key of the earlier interface sends a sale there', () => {
  const steps = stepsOf(networkView(), { key: EARLIER });
  expect(steps).toContain("'https://192.168.1.20:7410/v1/transaction' \\\n  -H 'Authorization: Bearer test_secret'");
  expect(steps).toContain('"transactionid":"T9-\'$NOW\'"');
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
  expect(steps).toMatch(/They send a test sale:\n\nNOW=.*\ncurl 'http/);
});

test('in a closed network, the request works on this machine, and the command that opens it is named', () => {
  const { settings } = networkView();
  const steps = stepsOf(networkView({ addresses: [], settings: { ...settings, isOpen: false } }));
  expect(steps).toContain('Address for the till: http://127.0.0.1:7410/v1/raw_transactions');
  expect(steps).toContain('For tills on other machines: counterfoil lan on --data "/data"');
  expect(steps).toContain("curl 'http://127.0.0.1:7410/v1/raw_transactions'");
});

test('without a running gateway, a command shows the address later', () => {
  expect(stepsOf(undefined)).toBe(
    'When the gateway runs, this shows the address for the till: counterfoil lan status --data "/data"',
  );
});
