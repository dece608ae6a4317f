// The name constraints of an authority (RFC 5280, 4.2.1.10): for which hosts it may issue certificates. They are critical, so a
// till refuses a certificate for any other host, even if somebody steals the key of the authority.

import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

import { bytesOfAddress, canonicalHost } from '../lib/own-address.ts';

/** Of the extension. */
export const NAME_CONSTRAINTS_ID = '2.5.29.30';

/** An address and a mask, 4 bytes each for IPv4 and 16 for IPv6. */
interface Network {
  readonly address: Buffer;
  readonly mask: Buffer;
}

/** What an authority may issue for: networks, and names including all names below them. */
export interface NameConstraints {
  readonly networks: readonly Network[];
  readonly names: readonly string[];
}

/** A host as it stands in a certificate. */
export type Host =
  | { readonly kind: 'ip'; readonly text: string; readonly bytes: Buffer }
  | { readonly kind: 'dns'; readonly text: string };

/** Networks that no host of the internet uses. */
const LOCAL_NETWORKS = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];
/** Without a leading dot: RFC 5280 has it only for URIs, and some verifiers reject the whole certificate for it. */
const LOCAL_NAMES = ['local', 'localhost'];

/**
 * Top-level domains that somebody might use as the name of a machine. A constraint on such a name would permit every host below
 * it, such as any shop in .shop.
 */
const TOP_LEVEL_DOMAINS = new Set(
  (
    'abudhabi academy accountant actor aero africa agency airbus alsace amazon amsterdam android apartments app apple art ' +
    'arte asia associates auction audio auto autos baby band bank bar barcelona bayern bbc beats beauty beer berlin best ' +
    'bet bible bid bike bingo bio biz black blog blue bmw boats bond boo book bosch boston bot boutique box broker ' +
    'brussels build builders business buy bzh cab cafe call cam camera camp canon capetown capital car cards care career ' +
    'careers cars casa case cash casino cat catering center ceo channel chat cheap church circle cisco city claims ' +
    'cleaning click clinic clothing cloud club coach codes coffee college com community company compare computer ' +
    'consulting contact cooking cool coop corsica country coupon courses credit cricket cruises cymru dance data date day ' +
    'deal dealer deals delivery dell dental dentist desi design dev dhl diamonds digital direct directory discount doctor ' +
    'dog doha domains dot download drive dubai durban earth eat eco edu education email energy engineer engineering ' +
    'enterprises epson equipment estate eus events exchange expert exposed express fail faith family fan fans farm ' +
    'fashion fast feedback film final finance financial fire fish fit fitness flights florist flowers fly foo food ' +
    'football forsale forum foundation free frl fun fund furniture futbol fyi gal gallery game games garage garden gay ' +
    'gdn gent genting gift gifts global gmbh gold golf goo google gov graphics gratis green grocery group guide guitars ' +
    'guru hair hamburg health help helsinki here hiphop hiv hockey holdings holiday home homes horse hospital host ' +
    'hosting hot hotel house how hyundai ibm icu immo inc industries info ing ink institute insurance insure int ' +
    'international investments irish ist istanbul java jeep jewelry jobs joburg joy juegos kids kim kitchen kiwi koeln ' +
    'kyoto land lat law lawyer lease legal lego life lifestyle lighting like limited limo link lipsy live living llc loan ' +
    'loans locker lol london lotto love ltd luxe luxury madrid maison man management map market marketing markets mba med ' +
    'media meet melbourne meme memorial men menu miami microsoft mil mini mobi mobile moda moe mom money monster mortgage ' +
    'moscow moto movie museum music nagoya name navy net network new news next ngo nike ninja nissan now nrw nyc office ' +
    'okinawa one online ooo open oracle org organic osaka ovh page panasonic paris partners parts party pay pet pharmacy ' +
    'phone photo photography photos physio pics pictures pid pin pink pioneer pizza place play plumbing plus pohl poker ' +
    'porn post press prime pro prod productions prof promo properties property protection pub quebec quest racing radio ' +
    'read realestate realtor recipes red rehab reise reisen rent rentals rep repair report republican rest restaurant ' +
    'review reviews rich ricoh rio rip rocks rodeo room rugby ruhr run saarland safe safety sale salon samsung sap save ' +
    'scholarships school science scot search seat secure security select services sexy sharp shell shoes shop shopping ' +
    'show silk singles site ski skin sky skype smart smile soccer social software solar solutions sony soy spa space ' +
    'sport spot srl star stockholm storage store stream studio study style sucks supplies supply surf surgery swatch ' +
    'swiss sydney systems tab taipei talk tattoo tax taxi team tech technology tel tennis theater theatre tickets tienda ' +
    'tips tires tirol today tokyo tools top tours town toyota toys trade trading training travel trust tube tunes ' +
    'university uno vacations vegas ventures versicherung vet video viking villas vin vip virgin vision vlaanderen vodka ' +
    'vote voting voto voyage wales walmart wang watch watches weather webcam weber website wed wedding wien wiki win ' +
    'windows wine winners work wow wtf xbox xerox xin xxx xyz yachts yahoo yoga you youtube zara zero zip zone'
  ).split(' '),
);
const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * The constraints of an authority that may also issue for these names and all names below them. Leaves out addresses, invalid
 * names and top-level domains.
 */
export function localConstraints(names: readonly string[]): NameConstraints {
  const own = names
    .map(parseHost)
    .filter((host) => host?.kind === 'dns')
    .map(({ text }) => withoutWildcard(text))
    .filter((name) => !isTopLevelDomain(name));
  const all = [...new Set([...LOCAL_NAMES, ...own])];
  return {
    networks: LOCAL_NETWORKS.map(parseNetwork),
    names: all.filter((name) => !all.some((above) => name.endsWith(`.${above}`))),
  };
}

/** Whether an authority can permit this name at all. */
export function isPermittable(name: string): boolean {
  const host = parseHost(name);
  return host !== undefined && isPermitted(localConstraints([name]), host);
}

function isTopLevelDomain(name: string): boolean {
  return TOP_LEVEL_DOMAINS.has(name) || (/^[a-z]{2}$/.test(name) && COUNTRIES.of(name.toUpperCase()) !== undefined);
}

function withoutWildcard(name: string): string {
  return name.replace(/^\*\./, '');
}

/** Whether a certificate for this host passes the constraints. */
export function isPermitted({ networks, names }: NameConstraints, host: Host): boolean {
  if (host.kind === 'dns')
    return names.some((name) => withoutWildcard(host.text) === name || host.text.endsWith(`.${name}`));
  return networks.some(
    ({ address, mask }) =>
      address.length === host.bytes.length && host.bytes.every((byte, i) => (byte & (mask[i] ?? 0)) === address[i]),
  );
}

/**
 * Reads a host: a name in ASCII without its final dot, a wildcard such as *.example.com, or an address without its zone.
 * Undefined if no certificate may contain it. Java rejects a certificate with an underscore in a name.
 */
export function parseHost(text: string): Host | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
  if (isIP(plain) !== 0) return { kind: 'ip', ...canonicalAddress(plain) };
  const isWildcard = plain.startsWith('*.');
  const name = domainToASCII(isWildcard ? plain.slice(2) : plain).replace(/\.$/, '');
  if (name.length > MAX_NAME || isIP(name) !== 0 || !name.split('.').every((label) => LABEL.test(label)))
    return undefined;
  return { kind: 'dns', text: isWildcard ? `*.${name}` : name };
}

const MAX_NAME = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** An IPv4 address that is written as IPv6, as in ::ffff:192.168.1.20, becomes one of IPv4. */
function canonicalAddress(address: string): { readonly text: string; readonly bytes: Buffer } {
  const bytes = bytesOfAddress(address);
  if (!bytes.subarray(0, MAPPED.length).equals(MAPPED)) return { text: canonicalHost(address), bytes };
  const mapped = bytes.subarray(MAPPED.length);
  return { text: mapped.join('.'), bytes: mapped };
}

/** The first bytes of such an address. */
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');

function parseNetwork(text: string): Network {
  const [base = '', length] = text.split('/');
  const { bytes: address } = canonicalAddress(base);
  const mask = Buffer.from(address.map((_, i) => 0xff00 >> Math.min(8, Math.max(0, Number(length) - 8 * i))));
  return { address, mask };
}

const SEQUENCE = 0x30;
const PERMITTED_SUBTREES = 0xa0;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** The value of the extension, in DER. */
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
  const significant = length.subarray(length.findIndex((byte) => byte !== 0)); // DER: as few bytes as possible
  return Buffer.concat([Buffer.from([tag, 0x80 | significant.length]), significant, value]);
}

const LONG_LENGTH_BYTES = 4;

/** Reads what `encodeConstraints` wrote. */
export function decodeConstraints(der: Buffer): NameConstraints {
  const bases = decode(der)
    .flatMap(({ value }) => decode(value)) // the list of permitted subtrees
    .flatMap(({ value }) => decode(value)) // the subtrees
    .flatMap(({ value }) => decode(value)); // the base of each
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
