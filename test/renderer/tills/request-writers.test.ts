// The requests on a join card, as text. test/scenarios/console/join-requests.long.test.ts runs them.

import { describe, expect, test } from 'vitest';

import { joinRequest, LANGUAGES } from '../../../renderer/tills/request-writers.ts';
import { joinRequestKind, type JoinRequestParts } from '../../../server/contract/join-request.ts';

const KEY = { id: 7, interface: 'both', createdAt: Date.parse('2026-11-20T13:04:51.123Z') } as const;
const TRUSTED = { fingerprint: 'AB:CD', from: 'http://192.168.1.20:7410' };
const partsOf = (more: Partial<JoinRequestParts> = {}): JoinRequestParts => ({
  address: 'https://192.168.1.20:7410',
  authority: TRUSTED,
  secret: 'test_k',
  key: KEY,
  mode: 'test',
  ...more,
});

test('a sale with curl', () => {
  expect(joinRequest('curl', partsOf())).toBe(
    `NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)
curl -sSo counterfoil-ca.pem 'http://192.168.1.20:7410/ca.pem' &&
if openssl x509 -in counterfoil-ca.pem -noout -fingerprint -sha256 | grep -F 'AB:CD'
then curl --cacert counterfoil-ca.pem 'https://192.168.1.20:7410/v1/raw_transactions' \\
  -H 'token: test_k' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"sale","external_id":"T7-'$NOW'","timestamp":"'$NOW'","object":{"total":12.50}}'
else echo 'The certificate has another fingerprint, or openssl is missing.' >&2; false; fi`,
  );
});

test('only a test key posts a sale', () => {
  const kind = (mode: 'test' | 'production', by: 'both' | 'earlier') =>
    joinRequestKind({ mode, key: { ...KEY, interface: by } });
  expect([kind('test', 'both'), kind('test', 'earlier')]).toEqual(['sale', 'sale']);
  expect([kind('production', 'both'), kind('production', 'earlier')]).toEqual(['count', 'health']);
});

describe.each(LANGUAGES)('in %s', (language) => {
  const write = (more?: Partial<JoinRequestParts>): string => joinRequest(language, partsOf(more));

  test('the request of a production key posts nothing', () => {
    for (const by of ['both', 'current', 'earlier'] as const) {
      const request = write({ mode: 'production', secret: 'prod_k', key: { ...KEY, interface: by } });
      expect(request).not.toMatch(/post|-d |12\.5|sale\b/i);
      expect(request.includes('prod_k')).toBe(by !== 'earlier');
    }
  });

  test('the request of a test key posts a sale to the key’s interface', () => {
    expect(write()).toMatch(/192\.168\.1\.20:7410\/v1\/raw_transactions/);
    expect(write()).toMatch(/external_id/);
    const earlier = write({ key: { ...KEY, interface: 'earlier' } });
    expect(earlier).toMatch(/192\.168\.1\.20:7410\/v1\/transaction\b/);
    expect(earlier).toMatch(/transactionid/);
    expect(earlier).toContain('Bearer test_k');
  });

  test('the authority is downloaded and compared only if there is one', () => {
    expect(write()).toMatch(/http:\/\/192\.168\.1\.20:7410\/ca\.(pem|der)/);
    expect(write()).toMatch(/AB:?CD/);
    expect(write({ authority: null })).not.toMatch(/ca\.(pem|der)|AB:?CD|x509/i);
  });

  test('a key that is not shown is left out', () => {
    expect(write({ secret: null })).toMatch(/\bKEY\b/);
  });
});
