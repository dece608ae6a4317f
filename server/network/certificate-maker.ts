// Makes the certificates of the gateway's own authority (RFC 5280). It is loaded only when needed, because loading the library
// takes 0.2 s. Strict TLS clients need two things: the key identifiers, and an authority whose constraints are marked as
// critical.

import 'reflect-metadata'; // this must be imported before the library
import { createHash, KeyObject, randomBytes, webcrypto } from 'node:crypto';

import * as x509 from '@peculiar/x509';

import { encodeConstraints, type Host, NAME_CONSTRAINTS_ID, type NameConstraints } from './name-constraints.ts';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
/** Maximum characters of a common name (RFC 5280, appendix A.1: ub-common-name). */
const MAX_COMMON_NAME = 64;

/** A certificate and its key, both in PEM. The key is in PKCS #8 form. */
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
  /** The issuer's key: PEM (PKCS #8). */
  readonly key: string;
}

/**
 * Makes an authority. Java ignores name constraints of a root certificate, so the issuer certificate has them too. The root's
 * key is used once and never stored. `name` may be any text. Each authority gets a different common name.
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
        // Without this extension, Windows would also trust the authority for signed programs and e-mail.
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

/** Issues a server certificate for these hosts. The server must send the issuer certificate together with it. */
export async function issueCertificate(
  issuer: { readonly certificate: string; readonly key: KeyObject },
  hosts: readonly Host[],
  validity: Validity,
): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const authority = new x509.X509Certificate(issuer.certificate);
  const certificate = await generate({
    issuer: authority.subjectName,
    // This name must not be a host, because name constraints may also apply to a common name.
    subject: commonName('Counterfoil gateway', ''),
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

/** The parts in which the root, issuer and server certificates differ. */
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
    // The library expects the type that browsers have for a key. Node's type is wider.
    publicKey: publicKey as CryptoKey,
    signingKey: signingKey as CryptoKey,
    serialNumber: randomSerial(),
    notBefore: wholeSeconds(validity.notBefore),
    notAfter: wholeSeconds(validity.notAfter),
    signingAlgorithm: SIGNING,
  });
  return `${certificate.toString('pem').trim()}\n`;
}

/** Returns the value of an extension of a certificate, in DER; undefined if it does not have the extension. */
export function findExtension(certificate: string, id: string): Buffer | undefined {
  const value = new x509.X509Certificate(certificate).getExtension(id)?.value;
  return value && Buffer.from(value);
}

/** A random positive number of 127 bits. Its first byte is never zero, because DER would remove a zero byte. */
function randomSerial(): string {
  const serial = randomBytes(16);
  serial[0] = (serial.readUInt8(0) & 0x7f) | 0x40;
  return serial.toString('hex');
}

/** Builds a common name from `text` and `ending`. Shortens only `text` if the name is too long. */
function commonName(text: string, ending: string): x509.Name {
  const shortened = [...text.replace(/\p{C}+/gu, ' ')].slice(0, MAX_COMMON_NAME - ending.length).join('');
  return new x509.Name([{ CN: [{ utf8String: shortened.trimEnd() + ending }] }]);
}

/** SHA-1 of the public key's bits, as in RFC 5280 (4.2.1.2). It is only an identifier, so SHA-1 is safe here. */
async function keyIdOf(key: webcrypto.CryptoKey): Promise<string> {
  const point = await webcrypto.subtle.exportKey('raw', key);
  return createHash('sha1').update(Buffer.from(point)).digest('hex');
}

/** Removes the milliseconds, because certificates cannot contain them. */
function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function exportKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
