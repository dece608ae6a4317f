// The DNS records that lead tills to the gateway by mDNS (RFC 6762) and DNS-SD (RFC 6763), and the comparison that decides between
// two machines that want one name at the same moment.

import { isIP, isIPv4 } from 'node:net';

import { bytesOfAddress } from '../lib/host.ts';

/** A record as the mDNS library reads and writes it. `flush` tells caches to forget other data of this name and type. */
export type MdnsRecord = { readonly name: string; readonly ttl: number; readonly flush?: boolean } & (
  | { readonly type: 'A' | 'AAAA' | 'PTR'; readonly data: string }
  | { readonly type: 'SRV'; readonly data: { readonly port: number; readonly target: string } }
  | { readonly type: 'TXT'; readonly data: readonly Buffer[] }
  | { readonly type: 'NSEC'; readonly data: { readonly nextDomain: string; readonly rrtypes: readonly string[] } }
);

export type AddressRecord = MdnsRecord & { readonly type: 'A' | 'AAAA' };

/** What is announced on one link. */
export interface Announced {
  /** The host name, such as counterfoil.local. */
  readonly host: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

const SERVICE = '_counterfoil._tcp.local';
/** Seconds that others may keep a record: RFC 6762, section 10. */
const HOST_TTL = 120;
const SERVICE_TTL = 4500;

/** One record per address of the host. */
export function listAddressRecords({ host, addresses }: Announced): readonly AddressRecord[] {
  return addresses.map((data) => ({
    name: host,
    type: isIPv4(data) ? 'A' : 'AAAA',
    ttl: HOST_TTL,
    data,
    flush: true,
  }));
}

/** All records: the addresses, and the service that a program finds without knowing the name. */
export function listRecords(announced: Announced): readonly MdnsRecord[] {
  const { host, port, scheme } = announced;
  // Unique, because no other machine has the host name and no other program of this machine has the port.
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

/** Says which types of address the host has, so that a till does not wait for the other one: RFC 6762, section 6.1. */
export function missingAddressRecord(announced: Announced): MdnsRecord {
  const rrtypes = [...new Set(listAddressRecords(announced).map(({ type }) => type))];
  const { host } = announced;
  return { name: host, type: 'NSEC', ttl: HOST_TTL, data: { nextDomain: host, rrtypes }, flush: true };
}

/** Whether two names of DNS are the same. */
export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** The address records of `host` with an address that `isOwn` does not accept. Goodbyes are left out. */
export function listForeign(
  records: readonly MdnsRecord[],
  host: string,
  isOwn: (address: string) => boolean,
): readonly AddressRecord[] {
  return records
    .filter(isAddressRecord)
    .filter(({ name, ttl, data }) => ttl > 0 && isSameName(name, host) && !isOwn(data));
}

/** Whether our records win against those of another machine that asks for the same name now: RFC 6762, section 8.2. */
export function winsTie(ours: readonly AddressRecord[], theirs: readonly AddressRecord[]): boolean {
  const order = (records: readonly AddressRecord[]): string =>
    records
      .map(({ type, data }) => `${type === 'A' ? '01' : '1c'}${addressBytes(data)}`)
      .toSorted()
      .join('');
  return order(ours) >= order(theirs);
}

/** The bytes of an address in hexadecimal: an IPv6 address has several forms as text. Anything else stays as it is. */
export function addressBytes(address: string): string {
  const plain = address.replace(/%.*$/, ''); // without the interface of a link-local address
  return isIP(plain) === 0 ? address : bytesOfAddress(plain).toString('hex');
}

function isAddressRecord(record: MdnsRecord): record is AddressRecord {
  return record.type === 'A' || record.type === 'AAAA';
}
