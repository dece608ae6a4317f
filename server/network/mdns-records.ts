// The DNS records that lead tills to the gateway by mDNS (RFC 6762) and DNS-SD (RFC 6763). Also compares the records of two
// machines that ask for the same name at the same time, to decide which machine wins.

import { isIP, isIPv4 } from 'node:net';

import { bytesOfAddress } from '../lib/host.ts';

/** A record in the form of the mDNS library. `flush` tells caches to discard older data of this name and type. */
export type MdnsRecord = { readonly name: string; readonly ttl: number; readonly flush?: boolean } & (
  | { readonly type: 'A' | 'AAAA' | 'PTR'; readonly data: string }
  | { readonly type: 'SRV'; readonly data: { readonly port: number; readonly target: string } }
  | { readonly type: 'TXT'; readonly data: readonly Buffer[] }
  | { readonly type: 'NSEC'; readonly data: { readonly nextDomain: string; readonly rrtypes: readonly string[] } }
);

export type AddressRecord = MdnsRecord & { readonly type: 'A' | 'AAAA' };

/** The data to announce on one network interface. */
export interface Announced {
  /** The host name, such as counterfoil.local. */
  readonly host: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

const SERVICE = '_counterfoil._tcp.local';
/** Seconds that other machines may cache a record: RFC 6762, section 10. */
const HOST_TTL = 120;
const SERVICE_TTL = 4500;

/** Returns one record for each address of the host. */
export function listAddressRecords({ host, addresses }: Announced): readonly AddressRecord[] {
  return addresses.map((data) => ({
    name: host,
    type: isIPv4(data) ? 'A' : 'AAAA',
    ttl: HOST_TTL,
    data,
    flush: true,
  }));
}

/**
 * Returns all records: those of the addresses, and those of the service. With the records of the service, a program finds the
 * gateway without knowing its name.
 */
export function listRecords(announced: Announced): readonly MdnsRecord[] {
  const { host, port, scheme } = announced;
  // This name is unique in the network: no other machine has this host name, and no other program on this machine has this
  // port.
  const instance = `${host.replace(/\.local$/, '')} ${port}.${SERVICE}`;
  return [
    ...listAddressRecords(announced),
    { name: '_services._dns-sd._udp.local', type: 'PTR', ttl: SERVICE_TTL, data: SERVICE },
    { name: SERVICE, type: 'PTR', ttl: SERVICE_TTL, data: instance },
    { name: instance, type: 'SRV', ttl: HOST_TTL, data: { port, target: host }, flush: true },
    {
      name: instance,
      type: 'TXT',
      ttl: SERVICE_TTL,
      data: [Buffer.from('txtvers=1'), Buffer.from(`scheme=${scheme}`)],
      flush: true,
    },
  ];
}

/**
 * A record that lists which types of address the host has (RFC 6762, section 6.1). So a till does not wait for an IPv6 address
 * if there are only IPv4 addresses, or for an IPv4 address if there are only IPv6 addresses.
 */
export function missingAddressRecord(announced: Announced): MdnsRecord {
  const rrtypes = [...new Set(listAddressRecords(announced).map(({ type }) => type))];
  const { host } = announced;
  return { name: host, type: 'NSEC', ttl: HOST_TTL, data: { nextDomain: host, rrtypes }, flush: true };
}

/** Whether two DNS names are equal, ignoring case. */
export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * Returns the address records of `host` that come from another machine. `isOwn` says whether an address belongs to this
 * machine. Leaves out records that end an announcement.
 */
export function listForeign(
  records: readonly MdnsRecord[],
  host: string,
  isOwn: (address: string) => boolean,
): readonly AddressRecord[] {
  return records
    .filter(isAddressRecord)
    .filter(({ name, ttl, data }) => ttl > 0 && isSameName(name, host) && !isOwn(data));
}

/**
 * Whether our records win the comparison with those of another machine that is asking for the same name: RFC 6762, section 8.2.
 */
export function winsTie(ours: readonly AddressRecord[], theirs: readonly AddressRecord[]): boolean {
  const order = (records: readonly AddressRecord[]): string =>
    records
      .map(({ type, data }) => `${type === 'A' ? '01' : '1c'}${addressBytes(data)}`)
      .toSorted()
      .join('');
  return order(ours) >= order(theirs);
}

/**
 * Returns the bytes of an address in hexadecimal, because the same IPv6 address can be written in several ways. Returns any
 * other text unchanged.
 */
export function addressBytes(address: string): string {
  const plain = address.replace(/%.*$/, ''); // removes the interface (such as %eth0) from a link-local address
  return isIP(plain) === 0 ? address : bytesOfAddress(plain).toString('hex');
}

function isAddressRecord(record: MdnsRecord): record is AddressRecord {
  return record.type === 'A' || record.type === 'AAAA';
}
