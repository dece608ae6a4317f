import { expect, test } from 'vitest';

import { type AddressRecord, addressBytes, listRecords, winsTie } from '../../../server/network/mdns-records.ts';

test.each([
  ['the higher address wins', ['10.0.0.2'], ['10.0.0.1'], true],
  ['the lower address loses', ['10.0.0.1'], ['10.0.0.2'], false],
  ['addresses are compared as numbers, not as text', ['10.0.0.9'], ['10.0.0.10'], false],
  ['the machine with more records wins after equal ones', ['10.0.0.1', 'fd00::1'], ['10.0.0.1'], true],
  ['the machine with fewer records loses after equal ones', ['10.0.0.1'], ['10.0.0.1', 'fd00::1'], false],
  ['the order in the packet does not count', ['10.0.0.1', '10.0.0.3'], ['10.0.0.2', '10.0.0.1'], true],
  ['IPv6 comes after IPv4', ['fd00::1'], ['192.168.0.1'], true],
])('of two claims at the same moment, %s', (_rule, ours, theirs, wins) => {
  expect(winsTie(ours.map(record), theirs.map(record))).toBe(wins);
});

test.each([
  ['192.168.1.20', 'c0a80114'],
  ['fd00::1', 'fd000000000000000000000000000001'],
  ['FD00:0:0:0:0:0:0:1', 'fd000000000000000000000000000001'],
  ['::1', '00000000000000000000000000000001'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
])('%s has the bytes %s', (address, bytes) => {
  expect(addressBytes(address)).toBe(bytes);
});

test('two gateways of one machine announce different services', () => {
  const announced = { host: 'counterfoil.local', addresses: ['10.0.0.1'], scheme: 'https' } as const;
  const services = [7410, 7510].map(
    (port) => listRecords({ ...announced, port }).find(({ type }) => type === 'SRV')?.name,
  );
  expect(services).toEqual(['counterfoil 7410._counterfoil._tcp.local', 'counterfoil 7510._counterfoil._tcp.local']);
});

function record(data: string): AddressRecord {
  return { name: 'counterfoil.local', type: data.includes(':') ? 'AAAA' : 'A', ttl: 120, data } as AddressRecord;
}
