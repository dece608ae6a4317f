// What is open to other machines. People decide this, unless a start setting fixes it.

import { describe, expect, test } from 'vitest';

import { loadConfig } from '../../../server/config.ts';
import type { NetworkSettings } from '../../../server/contract/network.ts';
import { decideOpening, type FixedOpening, readFixedOpening } from '../../../server/network/opening.ts';
import { CLOSED_NETWORK } from '../../../server/store/network/ledger.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const INTERFACES = [
  { name: 'eth0', addresses: ['192.168.1.5', 'fd00::5'], isVirtual: false },
  { name: 'eth1', addresses: ['10.0.0.5'], isVirtual: false },
  { name: 'docker0', addresses: ['172.17.0.1'], isVirtual: true },
];

function readFixed(flags: Record<string, unknown> = {}): FixedOpening {
  return readFixedOpening(loadConfig(temporaryFolder(), flags, {}));
}

function decide(settings: Partial<NetworkSettings>, flags?: Record<string, unknown>) {
  const opening = decideOpening({ ...CLOSED_NETWORK, ...settings }, readFixed(flags), INTERFACES);
  const used = opening.interfaces.filter(({ isUsed }) => isUsed).map(({ name }) => name);
  return { ...opening, used };
}

describe('a setting of the gateway', () => {
  test.each([
    ['none', {}, []],
    ['the address of this machine', { host: '127.0.0.1' }, ['host']],
    ['all addresses', { host: '0.0.0.0' }, ['host']],
    ['an address of the console', { consoleHost: '192.168.1.5' }, ['consoleHost']],
  ])('%s decides about %s', (_name, flags, by) => expect(readFixed(flags).by).toEqual(by));

  test('that opens the gateway leaves people no choice of addresses', () => {
    expect(decide({ isOpen: true, interfaces: ['eth1'] }, { host: '0.0.0.0' })).toMatchObject({
      hosts: [],
      used: ['eth0', 'eth1', 'docker0'],
      needsHttps: true,
    });
  });

  test('that allows plain HTTP without a certificate needs no HTTPS', () => {
    expect(decide({}, { host: '0.0.0.0', plainHttp: true })).toMatchObject({ needsHttps: false });
  });

  test('that names loopback keeps the gateway closed', () => {
    expect(decide({ isOpen: true, allowsPlainHttp: true, isConsoleOpen: true }, { host: '127.0.0.1' })).toMatchObject({
      hosts: [],
      used: [],
      wantsConsole: false,
      allowsPlainHttp: false,
      needsHttps: false,
    });
  });
});

describe('people', () => {
  test('open nothing at first, also with other choices made before', () => {
    expect(decide({ allowsPlainHttp: true, isConsoleOpen: true, interfaces: ['eth0'] })).toMatchObject({
      hosts: [],
      used: [],
      wantsConsole: false,
      allowsPlainHttp: false,
      needsHttps: false,
    });
  });

  test.each([
    ['all: but no containers', null, ['192.168.1.5', 'fd00::5', '10.0.0.5'], ['eth0', 'eth1']],
    ['one', ['eth1'], ['10.0.0.5'], ['eth1']],
    ['containers, by their name', ['docker0'], ['172.17.0.1'], ['docker0']],
    ['one that is unplugged', ['usb0'], [], []],
  ])('choose %s', (_name, interfaces, hosts, used) => {
    expect(decide({ isOpen: true, interfaces })).toMatchObject({ hosts, used, needsHttps: true });
  });

  test('open the console unless a setting decides about it', () => {
    expect(decide({ isOpen: true, isConsoleOpen: true }).wantsConsole).toBe(true);
    expect(decide({ isOpen: true, isConsoleOpen: true }, { consoleHost: '127.0.0.1' }).wantsConsole).toBe(false);
  });
});
