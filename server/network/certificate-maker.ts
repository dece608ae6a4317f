// Makes the certificates of the gateway's own authority (RFC 5280). Loading the library takes 0.2 s, so this module is loaded only
// when it is needed. Strict verifiers need the key identifiers, and critical constraints of an authority.

import 'reflect-metadata'; // must come before the library
import { createHash, KeyObject, randomBytes, webcrypto } from 'node:crypto';

import * as x509 from '@peculiar/x509';

import { encodeConstraints, type Host, NAME_CONSTRAINTS_ID, type NameConstraints } from './name-constraints.ts';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
/** Maximum characters of a common name (RFC 5280, appendix A.1: ub-common-name). */
const MAX_COMMON_NAME = 64;

/** Both in PEM; the key in PKCS #8. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** An authority: clients trust its root, and its issuer signs certificates. */
export interface MadeAuthority {
  /** PEM. */
  readonly root: string;
  readonly issuer: string;
  /** Of the issuer: PEM (PKCS #8). */
  readonly key: string;
}

/**
 * Makes an authority. Java ignores name constraints of a root, so the issuer has them too, and the key of the root is
 * used once and never stored. `name` may be any text; the common name is different for each authority.
 */
export async function makeAuthority(
  { name, constraints }: { readonly name: string; readonly constraints: NameConstraints },
  validity: Validity,
): Promise<MadeAuthority> {
  const rootKeys = await webcrypto.subtle.generateKey(CURVE, false, ['sign', 'verify']);
  const issuerKeys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const rootId = await keyIdOf(rootKeys.publicKey);
  const mark = ` ${rootId.slice(0, 8)}`;
  const rootName = commonName(`Counterfoil ${name}`, mark);
  const certify = async (subject: x509.Name, publicKey: webcrypto.CryptoKey, pathLength: number): Promise<string> =>
    generate({
      issuer: rootName,
      subject,
      publicKey,
      signingKey: rootKeys.privateKey,
      validity,
      extensions: [
        new x509.BasicConstraintsExtension(true, pathLength, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        new x509.Extension(NAME_CONSTRAINTS_ID, true, Uint8Array.from(encodeConstraints(constraints))),
        // Without it, Windows would also trust the authority for signed programs and mail.
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectKeyIdentifierExtension(await keyIdOf(publicKey)),
        new x509.AuthorityKeyIdentifierExtension(rootId),
      ],
    });
  return {
    root: await certify(rootName, rootKeys.publicKey, 1),
    issuer: await certify(commonName(`Counterfoil ${name}`, `${mark} issuer`), issuerKeys.publicKey, 0),
    key: exportKey(issuerKeys.privateKey),
  };
}

/** Issues a certificate of a server for these hosts. The server must send the issuer's certificate with it. */
export async function issueCertificate(
  issuer: { readonly certificate: string; readonly key: KeyObject },
  hosts: readonly Host[],
  validity: Validity,
): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const authority = new x509.X509Certificate(issuer.certificate);
  const certificate = await generate({
    issuer: authority.subjectName,
    subject: commonName('Counterfoil gateway', ''), // not a host: name constraints may also apply to a common name
    publicKey: keys.publicKey,
    signingKey: issuer.key.toCryptoKey(CURVE, false, ['sign']),
    validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map(({ kind, text }) => ({ type: kind, value: text }))),
      new x509.SubjectKeyIdentifierExtension(await keyIdOf(keys.publicKey)),
      new x509.AuthorityKeyIdentifierExtension(await keyIdOf(await authority.publicKey.export())),
    ],
  });
  return { certificate, key: exportKey(keys.privateKey) };
}

/** What differs between certificates. */
interface Wanted {
  readonly issuer: x509.Name;
  readonly subject: x509.Name;
  readonly publicKey: webcrypto.CryptoKey;
  readonly signingKey: webcrypto.CryptoKey;
  readonly validity: Validity;
  readonly extensions: x509.Extension[];
}

/** Returns PEM. */
async function generate({ validity, ...wanted }: Wanted): Promise<string> {
  const { publicKey, signingKey, ...named } = wanted;
  const certificate = await x509.X509CertificateGenerator.create({
    ...named,
    // The library names the key type of browsers, which is narrower than Node's.
    publicKey: publicKey as CryptoKey,
    signingKey: signingKey as CryptoKey,
    serialNumber: randomSerial(),
    notBefore: wholeSeconds(validity.notBefore),
    notAfter: wholeSeconds(validity.notAfter),
    signingAlgorithm: SIGNING,
  });
  return `${certificate.toString('pem').trim()}\n`;
}

/** The value of an extension of a certificate, in DER. */
export function findExtension(certificate: string, id: string): Buffer | undefined {
  const value = new x509.X509Certificate(certificate).getExtension(id)?.value;
  return value && Buffer.from(value);
}

/** Random and positive, of 127 bits: its first byte is never zero, which DER would shorten. */
function randomSerial(): string {
  const serial = randomBytes(16);
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40;
  return serial.toString('hex');
}

/** A name with `text` shortened, so that `ending` fits. */
function commonName(text: string, ending: string): x509.Name {
  const shortened = [...text.replace(/\p{C}+/gu, ' ')].slice(0, MAX_COMMON_NAME - ending.length).join('');
  return new x509.Name([{ CN: [{ utf8String: shortened.trimEnd() + ending }] }]);
}

/** The SHA-1 of the bits of the key, as RFC 5280 (4.2.1.2) does. It only identifies. */
async function keyIdOf(key: webcrypto.CryptoKey): Promise<string> {
  const point = await webcrypto.subtle.exportKey('raw', key);
  return createHash('sha1').update(Buffer.from(point)).digest('hex');
}

/** Certificates have no milliseconds. */
function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function exportKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
