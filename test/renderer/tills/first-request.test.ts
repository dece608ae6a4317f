import { expect, test } from 'vitest';

import { isLocalOnly, firstRequest } from '../../../renderer/tills/first-request.ts';

const AT = Date.parse('2026-11-20T13:04:51.123Z');

test('the first request uses the interface of the key', () => {
  expect(firstRequest('https://gw:7410', 'test_k', { id: 1, interface: 'both', createdAt: AT })).toBe(
    `curl https://gw:7410/v1/raw_transactions \\
  -H 'token: test_k' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"sale","external_id":"T1-000001","timestamp":"2026-11-20T13:04:51Z","object":{"total":12.5}}'`,
  );
  expect(firstRequest('https://gw:7410', 'test_k', { id: 1, interface: 'earlier', createdAt: AT })).toBe(
    `curl -G https://gw:7410/v1/transaction \\
  -H 'Authorization: Bearer test_k' \\
  -d transactionid=T1-000001 -d timestamp=2026-11-20T13:04:51Z -d amount=12.50`,
  );
});

test.each([
  ['http://127.0.0.1:7410', true],
  ['http://localhost:7410', true],
  ['http://[::1]:7410', true],
  ['https://192.168.1.10:7410', false],
  ['https://gateway.local', false],
])('%s is reachable from this machine only: %s', (address, expected) => {
  expect(isLocalOnly(address)).toBe(expected);
});
