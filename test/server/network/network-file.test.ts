// The file with which a running gateway tells commands its network state.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readNetworkFile, removeNetworkFile, writeNetworkFile } from '../../../server/network/network-file.ts';
import { networkView } from '../../support/network-view.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

test('a command reads the state that the gateway wrote last', () => {
  const folder = temporaryFolder();
  writeNetworkFile(folder, networkView());
  const open = networkView({
    addresses: ['https://192.168.1.20:7410'],
    announcement: { state: 'failed', detail: 'The port for mDNS is used.' },
    tillsToTrust: [{ till: 'Till 1', administration: 'Corner Bakery', address: 'https://192.168.1.20:7410', at: 1 }],
    failures: [{ address: '192.168.1.20', detail: 'Another program uses port 7410.' }],
  });
  writeNetworkFile(folder, open);
  expect(readNetworkFile(folder)).toEqual(open);
  expect(readdirSync(folder)).toEqual(['network.json']);
});

test.skipIf(process.platform === 'win32')('only its owner can read the file', () => {
  const folder = temporaryFolder();
  writeNetworkFile(folder, networkView());
  expect(statSync(join(folder, 'network.json')).mode & 0o777).toBe(0o600);
});

test('there is no state before the first gateway or after its stop', () => {
  const folder = temporaryFolder();
  expect(readNetworkFile(folder)).toBeUndefined();
  writeNetworkFile(folder, networkView());
  removeNetworkFile(folder);
  removeNetworkFile(folder);
  expect(readNetworkFile(folder)).toBeUndefined();
});

test.each(['', '{', '[]', '{"settings":{}}'])('a file of another form is no state: %j', (text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'network.json'), text);
  expect(readNetworkFile(folder)).toBeUndefined();
});

test('after a failed write, no old state misleads a command', () => {
  const folder = temporaryFolder();
  writeNetworkFile(folder, networkView());
  mkdirSync(join(folder, 'network.json.new'));
  expect(() => writeNetworkFile(folder, networkView())).toThrow(/EISDIR/);
  expect(readNetworkFile(folder)).toBeUndefined();
});
