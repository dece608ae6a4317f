// The interfaces and addresses of a machine, in the order in which a till should try them.

import { expect, test } from 'vitest';

import { machineClock } from '../../../server/lib/clock.ts';
import type { Interfaces } from '../../../server/lib/own-address.ts';
import { listInterfaces, watchAddresses } from '../../../server/network/addresses.ts';

function card(...addresses: string[]): Interfaces[string] {
  return addresses.map((address) => {
    const common = { address, mac: '', internal: /^(127\.|::1$)/.test(address), cidr: null };
    return address.includes(':')
      ? { ...common, family: 'IPv6', netmask: 'ffff:ffff:ffff:ffff::', scopeid: 0 }
      : { ...common, family: 'IPv4', netmask: '255.255.255.0' };
  });
}

const addressesOf = (interfaces: Interfaces) => listInterfaces(interfaces).map(({ addresses }) => addresses);

test('private IPv4 comes first, then public IPv4, then IPv6; virtual interfaces are last', () => {
  const found = listInterfaces({
    docker0: card('172.17.0.1'),
    wan0: card('203.0.113.5'),
    eth0: card('2001:db8::5', 'fd00::5', '192.168.1.5'),
  });
  expect(found).toEqual([
    { name: 'eth0', addresses: ['192.168.1.5', 'fd00::5', '2001:db8::5'], isVirtual: false },
    { name: 'wan0', addresses: ['203.0.113.5'], isVirtual: false },
    { name: 'docker0', addresses: ['172.17.0.1'], isVirtual: true },
  ]);
});

test.each([
  [
    'docker0',
    'br-1a2b3c4d5e6f',
    'veth12',
    'virbr0',
    'vboxnet0',
    'vmnet8',
    'bridge100',
    'VMware Network Adapter VMnet8',
  ],
  ['vEthernet (Default Switch)', 'vEthernet (WSL (Hyper-V firewall))', 'vEthernet (nat)'],
])('%s, %s … are virtual', (...names) => {
  const found = listInterfaces(Object.fromEntries(names.map((name, i) => [name, card(`10.0.0.${i}`)])));
  expect(found.filter(({ isVirtual }) => !isVirtual)).toEqual([]);
});

test.each([['eth0', 'br0', 'br-lan', 'vmbr0', 'bond0', 'vEthernet (External Switch)', 'Ethernet', 'bridge0', 'tun0']])(
  '%s, %s … may lead to tills',
  (...names) => {
    const found = listInterfaces(Object.fromEntries(names.map((name, i) => [name, card(`10.0.0.${i}`)])));
    expect(found.filter(({ isVirtual }) => isVirtual)).toEqual([]);
  },
);

test('physical networks come before VPNs, whatever the order of the system', () => {
  const found = listInterfaces({
    tun0: card('10.8.0.2'),
    wg0: card('10.9.0.2'),
    utun3: card('10.7.0.2'),
    eth0: card('192.0.2.5', '192.168.1.5'),
    Tailscale: card('100.64.0.7'),
  });
  expect(found.map(({ name }) => name)).toEqual(['eth0', 'tun0', 'wg0', 'utun3', 'Tailscale']);
});

test('loopback and link-local IPv6 are left out, and an interface without addresses too', () => {
  expect(
    addressesOf({ lo: card('127.0.0.1', '::1'), eth0: card('fe80::1'), eth1: card('10.0.0.1', 'fe80::2') }),
  ).toEqual([['10.0.0.1']]);
});

test('link-local IPv4 counts only if the machine has no other IPv4 address', () => {
  expect(addressesOf({ eth0: card('169.254.7.7') })).toEqual([['169.254.7.7']]);
  expect(addressesOf({ eth0: card('169.254.7.7'), eth1: card('10.0.0.1') })).toEqual([['10.0.0.1']]);
});

test('addresses with a label belong to the interface itself', () => {
  expect(listInterfaces({ lan0: card('10.0.0.1'), 'lan0:2': card('10.0.0.2'), 'lan1:web': card('10.0.1.1') })).toEqual([
    { name: 'lan0', addresses: ['10.0.0.1', '10.0.0.2'], isVirtual: false },
    { name: 'lan1', addresses: ['10.0.1.1'], isVirtual: false },
  ]);
});

test('a change is noticed once', () => {
  let interfaces: Interfaces = { eth0: card('10.0.0.1') };
  let look = (): void => {};
  let changes = 0;
  const watch = watchAddresses({
    clock: { ...machineClock, after: (_ms, work) => ((look = work), () => {}) },
    readInterfaces: () => interfaces,
    onChange: () => void (changes += 1),
  });
  look();
  expect(changes).toBe(0);
  interfaces = { eth0: card('10.0.0.2') };
  look();
  look();
  expect(changes).toBe(1);
  expect(watch.interfaces()).toMatchObject([{ addresses: ['10.0.0.2'] }]);
  watch.close();
});

test('interfaces that cannot be read once stay as they were, and are read again later', () => {
  let read = (): Interfaces => ({ eth0: card('10.0.0.1') });
  let look = (): void => {};
  let changes = 0;
  const watch = watchAddresses({
    clock: { ...machineClock, after: (_ms, work) => ((look = work), () => {}) },
    readInterfaces: () => read(),
    onChange: () => void (changes += 1),
  });
  read = () => {
    throw new Error('uv_interface_addresses returned Unknown system error 24');
  };
  look();
  expect([changes, watch.interfaces()]).toMatchObject([0, [{ addresses: ['10.0.0.1'] }]]);
  read = () => ({ eth0: card('10.0.0.2') });
  look();
  expect([changes, watch.interfaces()]).toMatchObject([1, [{ addresses: ['10.0.0.2'] }]]);
  watch.close();
});
