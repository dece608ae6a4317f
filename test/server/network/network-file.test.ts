// The file with which a running gateway tells commands its network state, and the file with the gateway's announced name.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, test } from 'vitest';

import {
  keepAnnouncedName,
  readAnnouncedName,
  readNetworkFile,
  removeNetworkFile,
  writeNetworkFile,
} from '../../../server/network/network-file.ts';
import { failureAt, networkView } from '../../support/network-view.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const log = pino({ level: 'silent' });

test('a command reads the state that the gateway wrote last', () => {
  const folder = temporaryFolder();
  writeNetworkFile(folder, networkView());
  const open = networkView({
    addresses: ['https://192.168.1.20:7410'],
    announcement: { state: 'failed', detail: 'The port for mDNS is used.' },
    tillsToTrust: [{ till: 'Till 1', administration: 'Corner Bakery', address: 'https://192.168.1.20:7410', at: 1 }],
    failures: [failureAt('192.168.1.20', 'Another program uses port 7410.')],
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
  removeNetworkFile(folder, log);
  removeNetworkFile(folder, log);
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

test('the last announced name is kept, also without a running gateway', () => {
  const folder = temporaryFolder();
  expect(readAnnouncedName(folder)).toBeUndefined();
  for (const name of ['counterfoil.local', 'counterfoil-2.local']) keepAnnouncedName(folder, name);
  removeNetworkFile(folder, log);
  expect(readAnnouncedName(folder)).toBe('counterfoil-2.local');
  expect(readdirSync(folder)).toEqual(['announced-name']);
});

test('a folder in place of the file is no state, and removing the file leaves it', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'network.json'));
  removeNetworkFile(folder, log);
  expect(readNetworkFile(folder)).toBeUndefined();
  expect(() => writeNetworkFile(folder, networkView())).toThrow(/EISDIR|EPERM|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(['network.json']);
});

test.skipIf(process.platform === 'win32')('a pipe in place of a file is not waited for, and then replaced', () => {
  const folder = temporaryFolder();
  const names = ['network.json', 'network.json.new', 'announced-name', 'announced-name.new'];
  for (const name of names) execFileSync('mkfifo', [join(folder, name)]);
  expect(readNetworkFile(folder)).toBeUndefined();
  expect(readAnnouncedName(folder)).toBeUndefined();
  writeNetworkFile(folder, networkView());
  keepAnnouncedName(folder, 'counterfoil.local');
  expect(readNetworkFile(folder)).toEqual(networkView());
  expect(readAnnouncedName(folder)).toBe('counterfoil.local');
});

const OTHER_NAMES = ['-', 'localhost', 'till-pc', 'counterfoil-1', 'counterfoil-10000', 'a'.repeat(63)];

test.each(OTHER_NAMES)('the name %s.local, which the gateway never makes, is not taken', (name) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'announced-name'), `${name}.local\n`);
  expect(readAnnouncedName(folder)).toBeUndefined();
});

test.each(['', 'till.example\n', 'a.b.local\n', '\0'.repeat(20), 'counterfoil-2.local'])(
  'a damaged file keeps no name: %j',
  (text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'announced-name'), text);
    expect(readAnnouncedName(folder)).toBeUndefined();
  },
);
