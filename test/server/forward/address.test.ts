// Which upstream addresses and keys are accepted, and why the others are refused (docs/security.md, promise S9).

import { describe, expect, test } from 'vitest';

import { UsageError } from '../../../server/errors.ts';
import { parseUpstream } from '../../../server/forward/address.ts';

type UpstreamInput = Parameters<typeof parseUpstream>[0];

const input = (more: Partial<UpstreamInput>): UpstreamInput => ({
  url: 'https://api.example.com',
  token: 'prod_abc',
  tokenOption: '--token',
  mode: 'production',
  interface: 'current',
  plainHttp: false,
  ...more,
});

describe('is accepted', () => {
  test.each<[url: string, as: string]>([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/api', 'https://api.example.com/api'],
    ['https://api.example.com/api/', 'https://api.example.com/api'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['HTTPS://API.EXAMPLE.COM/Api', 'https://api.example.com/Api'],
    ['https://192.0.2.7', 'https://192.0.2.7'],
    ['https://[2001:db8::1]:8443/x', 'https://[2001:db8::1]:8443/x'],
    ['https://käse.example', 'https://xn--kse-qla.example'],
    ['https://api.example.com/a/../b', 'https://api.example.com/b'],
    ['https://api.example.com/raw_transactions/x', 'https://api.example.com/raw_transactions/x'],
    ['  https://api.example.com  ', 'https://api.example.com'],
    ['http://localhost:7410', 'http://localhost:7410'],
    ['http://LOCALHOST:7410', 'http://localhost:7410'],
    ['http://127.0.0.1:7410/', 'http://127.0.0.1:7410'],
    ['http://127.255.255.254', 'http://127.255.255.254'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://0x7f000001', 'http://127.0.0.1'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://[::1]:7410', 'http://[::1]:7410'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ])('%s', (url, as) => {
    expect(parseUpstream(input({ url }))).toEqual({ url: as, token: 'prod_abc' });
  });

  test.each(['http://till.lan:8080', 'http://192.168.1.4', 'http://[fd00::1]'])('%s, with --plain-http', (url) => {
    expect(parseUpstream(input({ url, plainHttp: true }))).toEqual({ url, token: 'prod_abc' });
  });
});

describe('is refused', () => {
  test.each<[url: string, fault: RegExp]>([
    ['', /begins with https/],
    [' ', /begins with https/],
    ['api.example.com', /begins with https/],
    ['//api.example.com', /begins with https/],
    ['/v1', /begins with https/],
    ['https://', /begins with https/],
    ['https://?', /begins with https/],
    ['https://exa mple.com', /begins with https/],
    ['https://example.com:99999', /begins with https/],
    ['https://[::1', /begins with https/],
    ['https://256.256.256.256', /begins with https/],
    ['ftp://example.com', /begins with https/],
    ['file:///etc/passwd', /begins with https/],
    ['javascript:alert(1)', /begins with https/],
    ['data:text/plain,x', /begins with https/],
    ['ws://example.com', /begins with https/],
    ['unix:/var/run/docker.sock', /begins with https/],
    ['https://me@example.com', /name or password/],
    ['https://me:secret@example.com', /name or password/],
    ['https://:secret@example.com', /name or password/],
    ['http://localhost@example.com', /name or password/],
    ['https://example.com?x=1', /the base address only, without \? or #/],
    ['https://example.com/?', /the base address only, without \? or #/],
    ['https://example.com?', /the base address only, without \? or #/],
    ['https://example.com/#a', /the base address only, without \? or #/],
    ['https://example.com/#', /the base address only, without \? or #/],
    ['https://example.com/v1/raw_transactions', /the gateway adds/],
    ['https://example.com/v1/raw_transactions/', /the gateway adds/],
    ['https://example.com/v1/raw_transactions//', /the gateway adds/],
    ['http://example.com', /--plain-http/],
    ['http://192.168.1.4', /--plain-http/],
    ['http://10.0.0.1', /--plain-http/],
    ['http://169.254.169.254', /--plain-http/],
    ['http://0.0.0.0', /--plain-http/],
    ['http://127.0.0.1.example.com', /--plain-http/],
    ['http://localhost.example.com', /--plain-http/],
    ['http://notlocalhost', /--plain-http/],
    ['http://[::2]', /--plain-http/],
    ['http://[fe80::1]', /--plain-http/],
    ['http://1270.0.0.1', /begins with https|--plain-http/],
  ])('%j', (url, fault) => {
    const error = catching(() => parseUpstream(input({ url })));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(fault);
    expect((error as UsageError).message).not.toContain('secret');
  });

  test.each<[token: string]>([
    [''],
    [' '],
    ['prod_a b'],
    ['prod_a\n'],
    ['prod_a\r\nX: y'],
    ['prod_é'],
    ['prod_\u0000'],
    ['x'.repeat(4097)],
  ])('the key %j', (token) => {
    expect(() => parseUpstream(input({ token }))).toThrow(/--token must be a key/);
  });

  test('a fault never names the key', () => {
    const error = catching(() => parseUpstream(input({ token: 'test_canary', mode: 'production' })));
    expect((error as UsageError).message).not.toContain('canary');
  });
});

describe('a test journal never reaches production, and a production journal never reaches test', () => {
  test.each<[name: string, more: Partial<UpstreamInput>, fault: RegExp | undefined]>([
    ['a production key for test', { mode: 'test', token: 'prod_x' }, /production key, but --mode is test/],
    ['a test key for production', { mode: 'production', token: 'test_x' }, /test key, but --mode is production/],
    ['a test key for test', { mode: 'test', token: 'test_x' }, undefined],
    ['a key that says neither', { mode: 'test', token: 'abc' }, undefined],
    [
      'a production address for test, earlier interface',
      { mode: 'test', token: 'abc', interface: 'earlier', url: 'https://bakery.12.example.com' },
      /not a test address, but --mode is test\. .*such as https:\/\/bakery\.12\.example\.com\/c\/dev-plem\/bakery\/1207\.$/,
    ],
    [
      'a test address for production, earlier interface',
      { mode: 'production', token: 'abc', interface: 'earlier', url: 'https://dev-plem.bakery.12.example.com' },
      /a test address, but --mode is production\. Remove dev-plem/,
    ],
    [
      'a test address by path for production, earlier interface',
      { mode: 'production', token: 'abc', interface: 'earlier', url: 'https://gateway.example/c/dev-plem/bakery/12' },
      /a test address, but --mode is production\. Remove dev-plem/,
    ],
    [
      'a test address for test, earlier interface',
      { mode: 'test', token: 'abc', interface: 'earlier', url: 'https://dev-plem.bakery.12.example.com' },
      undefined,
    ],
    [
      'a test address by path for test, earlier interface',
      { mode: 'test', token: 'abc', interface: 'earlier', url: 'https://gateway.example/c/dev-plem/bakery/12' },
      undefined,
    ],
    [
      'a name that only contains the prefix',
      { mode: 'test', token: 'abc', interface: 'earlier', url: 'https://dev-plem-not.example.com' },
      /not a test address/,
    ],
    [
      'the earlier production key for test',
      { mode: 'test', token: 'prod_x', interface: 'earlier', url: 'https://dev-plem.bakery.12.example.com' },
      /production key/,
    ],
  ])('%s', (_name, more, fault) => {
    if (fault === undefined) expect(parseUpstream(input(more)).token).toBe(more.token);
    else expect(() => parseUpstream(input(more))).toThrow(fault);
  });
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
