// Which upstream addresses lead back to this machine.

import { networkInterfaces } from 'node:os';

import { expect, test } from 'vitest';

import { findOwnAddressFault } from '../../../server/forward/own-address.ts';

const LAN = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ address }) => !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

test.each([
  ...LAN.map((host) => `http://${host}:7410`),
  'http://127.0.0.2:7410',
  'http://127.1:7410',
  'http://0.0.0.0:7410',
  'http://localhost:7410/base',
  'https://[::1]:7410',
  'https://[::]:7410',
  'https://[::ffff:127.0.0.1]:7410',
  'https://127.0.0.1',
  'http://127.0.0.1',
])('%s is this machine', async (url) => {
  expect(await findOwnAddressFault(url, [7410, 7411, 443, 80])).toContain(`${url} is this gateway itself`);
});

test.each([
  'http://127.0.0.1:7420',
  'http://192.0.2.200:7410',
  'https://[2001:db8::1]:7410',
  'https://upstream.invalid:7410',
  'http://127.0.0.1',
  'https://127.0.0.1',
])('%s is not this gateway', async (url) => {
  expect(await findOwnAddressFault(url, [7410, 7411])).toBeUndefined();
});
