// The hosts of certificates, and name constraints in DER.

import { describe, expect, test } from 'vitest';

import {
  decodeConstraints,
  encodeConstraints,
  isPermitted,
  type NameConstraints,
  parseHost,
  parseNetwork,
} from '../../../server/network/name-constraints.ts';

describe('a host is written as certificates write it', () => {
  test.each([
    ['Kassa-1.LOCAL.', 'kassa-1.local'],
    ['bäckerei.local', 'xn--bckerei-5wa.local'],
    ['*.Gateway.example.com', '*.gateway.example.com'],
    ['[FD00:0:0::12]', 'fd00::12'],
    ['fe80::1%eth0', 'fe80::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::ffff:192.168.1.20', '192.168.1.20'],
    ['192.168.1.20', '192.168.1.20'],
    [`${'a'.repeat(63)}.local`, `${'a'.repeat(63)}.local`],
  ])('%s → %s', (text, written) => {
    expect(parseHost(text)?.text).toBe(written);
  });

  test.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['an underscore, which Java rejects', 'kassa_1'],
    ['a space', 'kassa 1'],
    ['a number, which clients read as an address', '12345'],
    ['an address with a number too few', '192.168.1'],
    ['a leading dot', '.local'],
    ['a hyphen at the end', 'kassa-'],
    ['a wildcard in the middle', 'till.*.local'],
    ['only a wildcard', '*.'],
    ['a URL', 'https://kassa.local'],
    ['a port', 'kassa.local:7410'],
    ['a label of 64 characters', `${'a'.repeat(64)}.local`],
    ['a name of 254 characters', `${'a.'.repeat(124)}local1`],
    ['a NUL', 'kassa\0.local'],
    ['a name with a zone', 'example.com%.local'],
    ['an IPv4 address with a zone', '192.168.1.20%eth0'],
  ])('%s is no host', (_, text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

describe('constraints', () => {
  test.each([
    ['kassa-pc', 'kassa-pc', true],
    ['kassa-pc', 'a.kassa-pc', true],
    ['kassa-pc', 'xkassa-pc', false],
    ['bakery.com', '*.7.bakery.com', true],
    ['bakery.com', '*.bakery.com', true],
    ['bakery.com', 'com', false],
    ['bakery.com', '*.com', false],
    ['bakery.com', '10.0.0.1', true],
    ['bakery.com', '11.0.0.1', false],
  ])('of %s and 10.0.0.0/8, as a certificate has them, answer for %s: %s', (name, text, isExpected) => {
    const constraints = { names: [name], networks: [parseNetwork('10.0.0.0/8')] };
    const host = parseHost(text) ?? expect.fail(`no host: ${text}`);
    expect(isPermitted(decodeConstraints(encodeConstraints(constraints)), host)).toBe(isExpected);
  });

  test('are read back as they were written, however many names they have', () => {
    for (const length of [0, 1, 8, 100, 1000]) {
      const names = Array.from({ length }, (_, i) => `till-${i}.${'a'.repeat(60)}.example`);
      const many: NameConstraints = { names, networks: ['10.0.0.0/8', 'fc00::/7'].map(parseNetwork) };
      expect(decodeConstraints(encodeConstraints(many))).toEqual(many);
    }
  });
});
