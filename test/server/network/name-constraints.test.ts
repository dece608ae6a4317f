// The hosts that the gateway's own authority may issue certificates for.

import { describe, expect, test } from 'vitest';

import {
  decodeConstraints,
  encodeConstraints,
  isPermittable,
  isPermitted,
  localConstraints,
  parseHost,
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

describe('the constraints', () => {
  const constraints = localConstraints(['Till-PC', 'till-pc.local', '*.Shop.example.com', '192.0.2.1', 'kassa_1', '']);
  const permits = (text: string): boolean => {
    const host = parseHost(text);
    return host !== undefined && isPermitted(decodeConstraints(encodeConstraints(constraints)), host);
  };

  test('leave out addresses, invalid names, and names below another one', () => {
    expect(constraints.names).toEqual(['local', 'localhost', 'shop.example.com']);
  });

  test.each([
    'haus',
    'edeka',
    'support',
    'arpa',
    'onion',
    'nl',
    '*.shop',
    'рф',
    '中国',
    'касса',
    'till-pc',
    'bäckerei',
  ])('leave out %s, because any name of one label may be a top-level domain', (name) => {
    expect(localConstraints([name]).names).toEqual(['local', 'localhost']);
    expect(isPermittable(name)).toBe(false);
    expect(isPermittable(`${name.replace('*.', '')}.local`)).toBe(true);
  });

  test.each(['co.uk', '*.com.br', 'github.io', 'duckdns.org', 'bakery.com', 'xn--bckerei-5wa.de'])(
    'leave out %s, because anyone may have a host below a name of two labels',
    (name) => {
      expect(localConstraints([name]).names).toEqual(['local', 'localhost']);
      expect(isPermittable(name)).toBe(false);
      expect(isPermittable(`tills.${name.replace('*.', '')}`)).toBe(true);
    },
  );

  test.each(['k12.ma.us', 'pvt.k12.ma.us'])('leave out %s, because many schools have hosts below it', (name) => {
    expect(isPermittable(name)).toBe(false);
  });

  test.each(['shop.lan', 'shop.internal', 'shop.home', 'shop.corp', 'shop.example', 'shop.local', 'home.arpa', 'lan'])(
    'may have %s, which is no name of the internet',
    (name) => expect(isPermittable(name)).toBe(true),
  );

  test.each([
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.255.255'],
    ['::1', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe80::', 'febf::ffff', '::ffff:10.0.0.1'],
    ['localhost', 'a.localhost', 'kassa.local', 'a.b.local', '*.local', 'till-pc.local'],
    ['shop.example.com', '*.shop.example.com', '*.7.shop.example.com'],
  ])('permit %s, %s …', (...hosts) => {
    expect(hosts.filter((host) => !permits(host))).toEqual([]);
  });

  test.each([
    ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '128.0.0.0'],
    ['126.255.255.255', '169.253.255.255', '169.255.0.0', '0.0.0.0', '8.8.8.8', '100.64.0.1', '255.255.255.255'],
    ['::', '::2', 'fbff::', 'fe00::', 'fe7f::', 'fec0::', '2001:db8::1', '::ffff:8.8.8.8', '::10.0.0.1'],
    ['example.com', 'ashop.example.com', 'notlocal', 'local.example', 'till-pc', 'a.till-pc', '*.example.com', '*.com'],
  ])('do not permit %s, %s …', (...hosts) => {
    expect(hosts.filter((host) => permits(host))).toEqual([]);
  });

  test('are read back as they were written, however many names they have', () => {
    for (const length of [0, 1, 8, 100, 1000]) {
      const many = localConstraints(Array.from({ length }, (_, i) => `till-${i}.${'a'.repeat(60)}.example`));
      expect(decodeConstraints(encodeConstraints(many))).toEqual(many);
    }
  });
});
