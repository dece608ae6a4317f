import { expect, test } from 'vitest';

import { isPlainHttp, keepsKey } from '../../../renderer/upstream/upstream-address.ts';

test.each([
  ['http://api.example.com', true],
  [' http://192.168.1.9:8080 ', true],
  ['https://api.example.com', false],
  ['http://127.0.0.1:7420', false],
  ['http://localhost:7420', false],
  ['http://[::1]:7420', false],
  ['api.example.com', false],
  ['', false],
])('%s sends the key unencrypted to another machine: %s', (address, expected) => {
  expect(isPlainHttp(address)).toBe(expected);
});

test('a stored key stays only for the origin it was entered for', () => {
  const current = 'https://api.example.com/pos';
  expect(keepsKey('https://api.example.com/other', current)).toBe(true);
  expect(keepsKey('https://API.example.com:443', current)).toBe(true);
  expect(keepsKey('http://api.example.com/pos', current)).toBe(false);
  expect(keepsKey('https://evil.example.com/pos', current)).toBe(false);
  expect(keepsKey('https://api.example.com', null)).toBe(false);
  expect(keepsKey('', current)).toBe(false);
});
