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

/** Makes an authority. `name` may be any text; the common name is different for each authority. */
export async function makeAuthority(
  { name, constraints }: { readonly name: string; readonly constraints: NameConstraints },
  validity: Validity,
): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const keyId = await keyIdOf(keys.publicKey);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerial(),
    name: commonName(`Counterfoil ${name}`, ` ${keyId.slice(0, 8)}`),
    ...wholeSeconds(validity),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS_ID, true, encodeConstraints(constraints)),
      // Windows would otherwise trust the authority for signed programs and mail too.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectKeyIdentifierExtension(keyId),
      new x509.AuthorityKeyIdentifierExtension(keyId),
    ],
  });
  return { certificate: toPem(certificate), key: exportKey(keys.privateKey) };
}

/** Issues a certificate of a server for these hosts. */
export async function issueCertificate(
  issuer: { readonly certificate: string; readonly key: KeyObject },
  hosts: readonly Host[],
  validity: Validity,
): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const authority = new x509.X509Certificate(issuer.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    issuer: authority.subjectName,
    subject: commonName('Counterfoil gateway', ''), // never a host: old clients would compare it with the name constraints
    ...wholeSeconds(validity),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: issuer.key.toCryptoKey(CURVE, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map(({ kind, text }) => ({ type: kind, value: text }))),
      new x509.SubjectKeyIdentifierExtension(await keyIdOf(keys.publicKey)),
      new x509.AuthorityKeyIdentifierExtension(await keyIdOf(await authority.publicKey.export())),
    ],
  });
  return { certificate: toPem(certificate), key: exportKey(keys.privateKey) };
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
function wholeSeconds({ notBefore, notAfter }: Validity): Validity {
  const cut = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);
  return { notBefore: cut(notBefore), notAfter: cut(notAfter) };
}

function toPem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}

function exportKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
