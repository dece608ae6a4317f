// Which of its own addresses the gateway prints for other machines.

import { expect, test } from 'vitest';

import {
  chooseHost,
  type Interfaces,
  listLanAddresses,
  reachableUrl,
  type Resolve,
} from '../../../server/lib/own-address.ts';

const ipv4 = (address: string, internal = false) => [
  { address, internal, family: 'IPv4' as const, netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: null },
];
const interfaces: Interfaces = {
  lo: ipv4('127.0.0.1', true),
  docker0: ipv4('172.17.0.1'),
  eth0: ipv4('192.0.2.10'),
  wlan0: ipv4('198.51.100.7'),
  usb0: ipv4('169.254.3.3'),
};
const resolve: Resolve = async (name) => {
  const addresses = { 'here.example': ['192.0.2.10'], 'router.example': ['203.0.113.1'] }[name];
  if (addresses === undefined) throw new Error('ENOTFOUND');
  return addresses;
};

test('networks of containers come last; loopback and link-local addresses are left out', () => {
  expect(listLanAddresses(interfaces)).toEqual(['192.0.2.10', '198.51.100.7', '172.17.0.1']);
});

test('a URL for every address gets one address, and every other URL stays unchanged', () => {
  expect(reachableUrl('http://0.0.0.0:7410', '192.0.2.10')).toBe('http://192.0.2.10:7410');
  expect(reachableUrl('http://[::]:7410/v1/x', '192.0.2.10')).toBe('http://192.0.2.10:7410/v1/x');
  expect(reachableUrl('http://127.0.0.1:7410')).toBe('http://127.0.0.1:7410');
});

test.each<[rule: string, hosts: string[], chosen: string | undefined]>([
  ['a name that resolves to this machine', ['gateway.local', '192.0.2.10', 'here.example'], 'here.example'],
  ['an own address before a name that leads elsewhere', ['router.example', '192.0.2.10'], '192.0.2.10'],
  ['a name that resolves elsewhere, as behind a router', ['gateway.local', 'router.example'], 'router.example'],
  ['an address of another machine if there is nothing else', ['gateway.local', '203.0.113.9'], '203.0.113.9'],
  ['nothing if no name resolves', ['gateway.local'], undefined],
  ['nothing for a wildcard', ['*.example'], undefined],
  ['nothing for loopback, which other machines cannot reach', ['localhost', '127.0.0.1', '::1'], undefined],
])('of a certificate’s hosts it prints %s', async (_rule, hosts, chosen) => {
  expect(await chooseHost(hosts, resolve, interfaces)).toBe(chosen);
});
