// The hosts that a new authority may issue certificates for.

import { describe, expect, test } from 'vitest';

import { isPermittable, localConstraints } from '../../../server/network/local-constraints.ts';
import { isPermitted, parseHost } from '../../../server/network/name-constraints.ts';

const LOCAL_NAMES = ['local', 'localhost'];

describe('the constraints for the names of a shop', async () => {
  const names = ['Kassa-PC', 'kassa-pc.local', 'till.kassa-pc', '*.Shop.example.com', '192.0.2.1', 'kassa_1', ''];
  const constraints = await localConstraints(names);
  const permits = (text: string): boolean => {
    const host = parseHost(text);
    return host !== undefined && isPermitted(constraints, host);
  };

  test('leave out addresses, invalid names, and names below another one', () => {
    expect(constraints.names).toEqual([...LOCAL_NAMES, 'kassa-pc', 'shop.example.com']);
  });

  test.each([
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.255.255'],
    ['::1', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe80::', 'febf::ffff', '::ffff:10.0.0.1'],
    ['localhost', 'a.localhost', 'kassa.local', 'a.b.local', '*.local', 'kassa-pc.local', 'kassa-pc', 'KASSA-PC.'],
    ['shop.example.com', '*.shop.example.com', '*.7.shop.example.com'],
  ])('permit %s, %s …', (...hosts) => {
    expect(hosts.filter((host) => !permits(host))).toEqual([]);
  });

  test.each([
    ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '128.0.0.0'],
    ['126.255.255.255', '169.253.255.255', '169.255.0.0', '0.0.0.0', '8.8.8.8', '100.64.0.1', '255.255.255.255'],
    ['::', '::2', 'fbff::', 'fe00::', 'fe7f::', 'fec0::', '2001:db8::1', '::ffff:8.8.8.8', '::10.0.0.1'],
    ['example.com', 'ashop.example.com', 'notlocal', 'local.example', 'kassa', 'kassa-pc-2', '*.example.com', '*.com'],
  ])('do not permit %s, %s …', (...hosts) => {
    expect(hosts.filter((host) => permits(host))).toEqual([]);
  });
});

describe('a name', () => {
  test.each(
    [
      ['haus', 'edeka', 'support', 'arpa', 'onion', 'com', 'nl', '*.shop', 'рф', '中国', 'онлайн', 'xn--p1ai'],
      ['co.uk', '*.com.br', 'ma.us', 'e164.arpa'], // names of registries
      ['github.io', 'duckdns.org', 'myfritz.net', 'vercel.app', 's3.amazonaws.com'], // names of companies
      // the list of public suffixes contains *.ck and similar patterns
      ['ck', 'x.ck', 'kawasaki.jp', 'x.kawasaki.jp', 'compute.amazonaws.com'],
      ['k12.ma.us', 'pvt.k12.ma.us', 'k12.hi.us', 'pvt.k12.ca.us'], // schools
    ].flat(),
  )('such as %s is left out, because anyone may have a host below it', async (name) => {
    expect((await localConstraints([name])).names).toEqual(LOCAL_NAMES);
    expect(await isPermittable(name)).toBe(false);
    expect(await isPermittable(`tills.bakery.${name.replace('*.', '')}`)).toBe(true);
  });

  test.each(
    [
      ['kassa-pc', 'till-1', '3f9a1c2b', 'bäckerei', 'касса', 'bakery'], // machines
      ['bakery.com', 'bäckerei.de', 'bakery.co.uk', 'bakery.github.io', 'www.ck', 'city.kawasaki.jp', 'fritz.box'],
      ['lan', 'home.arpa', 'shop.lan', 'shop.internal', 'shop.home', 'shop.corp', 'shop.home.arpa', 'shop.example'],
    ].flat(),
  )('such as %s is permitted with all names below it', async (name) => {
    const { text = '' } = parseHost(name) ?? {};
    expect((await localConstraints([name])).names).toEqual([...LOCAL_NAMES, text]);
    expect(await isPermittable(name)).toBe(true);
    expect(await isPermittable(`*.7.${name}`)).toBe(true);
  });

  test('that no certificate may contain is not permitted', async () => {
    for (const name of ['', 'kassa_1', '8.8.8.8', '.', `${'a.'.repeat(130)}example`])
      expect([name, await isPermittable(name)]).toEqual([name, false]);
  });
});
