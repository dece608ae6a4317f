// Makes certificates as shops have them: expired, not yet valid, or signed by another certificate. It implements only the
// part of X.509 (RFC 5280) that these tests need: elliptic keys, one name, host names and IP addresses.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

import type { CertificateFiles } from '../../server/config.ts';
import { addressBytes } from '../../server/network/mdns-records.ts';

export interface TestCertificate {
  /** The certificate in PEM. */
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateParts {
  readonly name?: string;
  /** Host names and addresses. */
  readonly hosts?: readonly string[];
  readonly from?: Date;
  readonly until?: Date;
  /** The issuer. Without it the certificate is self-signed. */
  readonly issuer?: TestCertificate;
}

const DAY_MS = 86_400_000;

/** Makes a certificate with a new key. By default it is for this machine and valid for a year. */
export function makeCertificate(parts: CertificateParts = {}): TestCertificate {
  const { name = 'Test gateway', hosts = ['127.0.0.1', 'localhost'], issuer } = parts;
  const { from = new Date(Date.now() - DAY_MS), until = new Date(Date.now() + 365 * DAY_MS) } = parts;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'));
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    ecdsaWithSha256,
    distinguishedName(issuer?.name ?? name),
    der(0x30, time(from), time(until)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, mayIssue(), subjectAltName(hosts))),
  );
  const signature = sign('sha256', toBeSigned, issuer?.privateKey ?? privateKey);
  const certificate = der(0x30, toBeSigned, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name,
    privateKey,
  };
}

/** Writes a certificate and its key into a folder and replaces an earlier pair. */
export function writeCertificate(
  folder: string,
  { cert, key }: Pick<TestCertificate, 'cert' | 'key'>,
): CertificateFiles {
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  return files;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function distinguishedName(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(commonName)))));
}

/** A date as the ASN.1 type GeneralizedTime. */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
}

/** The X.509 extension "basic constraints": this certificate may sign others. */
function mayIssue(): Buffer {
  return der(0x30, oid('551d13'), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
}

function subjectAltName(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, Buffer.from(addressBytes(host), 'hex')),
  );
  return der(0x30, oid('551d11'), der(0x04, der(0x30, ...names)));
}
