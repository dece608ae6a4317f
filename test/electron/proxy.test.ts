// Which proxy the gateway uses for its upstream, depending on the proxy that the operating system names.

import { expect, test } from 'vitest';

import { proxyOf } from '../../electron/proxy.ts';

test.each([
  ['DIRECT', null],
  ['PROXY proxy.example.com:3128', 'http://proxy.example.com:3128'],
  ['HTTPS proxy.example.com:443; DIRECT', 'https://proxy.example.com:443'],
  ['SOCKS5 127.0.0.1:1080;PROXY 10.0.0.1:8080', 'http://10.0.0.1:8080'],
  ['SOCKS 127.0.0.1:1080', null],
  ['PROXY [2001:db8::1]:8080', 'http://[2001:db8::1]:8080'],
  ['DIRECT; PROXY late.example.com:1', null],
  ['', null],
])('the answer "%s" gives %s', (ways, proxy) => {
  expect(proxyOf(ways)).toBe(proxy);
});
