// The name constraints of an authority (RFC 5280, 4.2.1.10). They limit the hosts for which it may issue certificates. They are
// critical extensions, so a till refuses a certificate for any other host. This protects tills even if somebody steals the
// authority's key.

import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

import { bytesOfAddress, canonicalHost } from '../lib/host.ts';

/** The object identifier (OID) of the certificate extension. */
export const NAME_CONSTRAINTS_ID = '2.5.29.30';

/** A network: an address and a mask. Each has 4 bytes for IPv4, and 16 for IPv6. */
interface Network {
  readonly address: Buffer;
  readonly mask: Buffer;
}

/** The hosts for which an authority may issue certificates. A name includes all names below it. */
export interface NameConstraints {
  readonly networks: readonly Network[];
  readonly names: readonly string[];
}

/** A host in the form that a certificate contains. */
export type Host =
  | { readonly kind: 'ip'; readonly text: string; readonly bytes: Buffer }
  | { readonly kind: 'dns'; readonly text: string };

/** Removes the *. from a wildcard, such as *.example.com. */
export function withoutWildcard(name: string): string {
  return name.replace(/^\*\./, '');
}

/** Whether the constraints allow a certificate for this host. */
export function isPermitted({ networks, names }: NameConstraints, host: Host): boolean {
  if (host.kind === 'dns')
    return names.some((name) => withoutWildcard(host.text) === name || host.text.endsWith(`.${name}`));
  return networks.some(
    ({ address, mask }) =>
      address.length === host.bytes.length && host.bytes.every((byte, i) => (byte & (mask[i] ?? 0)) === address[i]),
  );
}

/**
 * Reads a host: a name, a wildcard such as *.example.com, or an address. Converts a name to ASCII without a final dot, and
 * removes the zone of an address. Undefined if no certificate may contain the host, such as a name with an underscore, which
 * Java rejects.
 */
export function parseHost(text: string): Host | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^([\da-f:.]*:[\da-f:.]*)%.*$/, '$1');
  if (isIP(plain) !== 0) return { kind: 'ip', ...canonicalAddress(plain) };
  const isWildcard = plain.startsWith('*.');
  const name = domainToASCII(isWildcard ? plain.slice(2) : plain).replace(/\.$/, '');
  if (name.length > MAX_NAME || isIP(name) !== 0 || !name.split('.').every((label) => LABEL.test(label)))
    return undefined;
  return { kind: 'dns', text: isWildcard ? `*.${name}` : name };
}

const MAX_NAME = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Converts an IPv4 address in IPv6 form, such as ::ffff:192.168.1.20, to plain IPv4. */
function canonicalAddress(address: string): { readonly text: string; readonly bytes: Buffer } {
  const bytes = bytesOfAddress(address);
  if (!bytes.subarray(0, MAPPED.length).equals(MAPPED)) return { text: canonicalHost(address), bytes };
  const mapped = bytes.subarray(MAPPED.length);
  return { text: mapped.join('.'), bytes: mapped };
}

/** The first 12 bytes of an IPv4 address in IPv6 form. */
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');

/** Reads a network such as 10.0.0.0/8. */
export function parseNetwork(text: string): Network {
  const [base = '', length] = text.split('/');
  const { bytes: address } = canonicalAddress(base);
  const mask = Buffer.from(address.map((_, i) => 0xff00 >> Math.min(8, Math.max(0, Number(length) - 8 * i))));
  return { address, mask };
}

const SEQUENCE = 0x30;
const PERMITTED_SUBTREES = 0xa0;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** Returns the value of the certificate extension, in DER. */
export function encodeConstraints({ networks, names }: NameConstraints): Buffer {
  const bases = [
    ...names.map((name) => encode(DNS_NAME, Buffer.from(name))),
    ...networks.map(({ address, mask }) => encode(IP_ADDRESS, Buffer.concat([address, mask]))),
  ];
  const subtrees = Buffer.concat(bases.map((base) => encode(SEQUENCE, base)));
  return encode(SEQUENCE, encode(PERMITTED_SUBTREES, subtrees));
}

function encode(tag: number, value: Buffer): Buffer {
  if (value.length < 0x80) return Buffer.concat([Buffer.from([tag, value.length]), value]);
  const length = Buffer.alloc(LONG_LENGTH_BYTES);
  length.writeUInt32BE(value.length);
  // DER allows no zero bytes at the start of a length.
  const significant = length.subarray(length.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | significant.length]), significant, value]);
}

const LONG_LENGTH_BYTES = 4;

/** Reads what `encodeConstraints` wrote. */
export function decodeConstraints(der: Buffer): NameConstraints {
  const bases = decode(der)
    .flatMap(({ value }) => decode(value)) // decodes the list of permitted subtrees
    .flatMap(({ value }) => decode(value)) // the subtrees
    .flatMap(({ value }) => decode(value)); // decodes the base of each subtree
  return {
    names: bases.filter(({ tag }) => tag === DNS_NAME).map(({ value }) => value.toString('latin1')),
    networks: bases
      .filter(({ tag }) => tag === IP_ADDRESS)
      .map(({ value }) => ({
        address: value.subarray(0, value.length / 2),
        mask: value.subarray(value.length / 2),
      })),
  };
}

function decode(der: Buffer): { readonly tag: number; readonly value: Buffer }[] {
  const elements: { tag: number; value: Buffer }[] = [];
  for (let at = 0; at < der.length;) {
    const [tag = 0, size = 0] = der.subarray(at);
    const sizeBytes = size < 0x80 ? 0 : size & 0x7f;
    const length = sizeBytes === 0 ? size : der.readUIntBE(at + 2, sizeBytes);
    const start = at + 2 + sizeBytes;
    elements.push({ tag, value: der.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}
