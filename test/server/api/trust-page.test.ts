// The page /trust: what it says with and without an authority, in each language. Its content policy allows no scripts.

import { createHash, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { expect, onTestFinished, test } from 'vitest';

import type { PublishedAuthority } from '../../../server/api/published-authority.ts';
import { bindTrustPage } from '../../../server/api/trust-page.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { call } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const { cert: pem } = makeCertificate({ name: 'Shop root', hosts: [] });
const { raw, fingerprint256: FINGERPRINT } = new X509Certificate(pem);
const AUTHORITY: PublishedAuthority = { certificate: pem, der: raw };
const LANGUAGES = [
  ['en', 'Trust this gateway'],
  ['nl', 'Deze gateway vertrouwen'],
  ['de', 'Diesem Gateway vertrauen'],
] as const;

/** Serves the page. `setAuthority` changes the authority while it runs. */
async function openPage(authority?: PublishedAuthority) {
  let present = authority;
  const app = express();
  bindTrustPage(app, () => present);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/trust`;
  return {
    url,
    get: (headers: Record<string, string> = {}) => call(url, { headers }),
    setAuthority: (next: PublishedAuthority) => (present = next),
  };
}

const textOf = (html: string): string => html.replaceAll(/<br>|<\/?span>/g, '').replaceAll(/<[^>]+>/g, ' ');

test('the page has both downloads, the lines that print their fingerprint, and one line for each system and language', async () => {
  const { get } = await openPage(AUTHORITY);
  const { text } = await get();
  expect(textOf(text)).not.toContain(FINGERPRINT); // the till does not trust this page yet
  expect(text).toContain('href="/ca.pem"');
  expect(text).toContain('href="/ca.der"');
  const named = [...text.matchAll(/<th scope="row">([^<]+)/g)].map(([, name]) => name);
  const systems = ['Windows', 'macOS', 'Debian, Ubuntu', 'Fedora, RHEL', 'Android', 'iOS, iPadOS'];
  expect(named).toEqual([
    'Windows',
    'macOS, Linux',
    ...systems,
    'curl',
    'curl, Windows',
    'Node',
    'Python',
    'PHP',
    '.NET',
    'Java',
  ]);
});

test.each(LANGUAGES)('a caller that prefers %s reads "%s"', async (language, title) => {
  const { get } = await openPage(AUTHORITY);
  const { text, headers } = await get({ 'accept-language': `fr, ${language}-XX;q=0.9, en;q=0.1` });
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain(`<html lang="${language}">`);
  expect(headers).toMatchObject({ 'content-language': language, vary: 'Accept-Language' });
});

test('a caller that asks for no language, or another one, gets English', async () => {
  const { get } = await openPage(AUTHORITY);
  for (const headers of [{}, { 'accept-language': 'fr' }])
    expect((await get(headers)).headers).toMatchObject({ 'content-language': 'en' });
});

test('the policy allows only the page’s own style', async () => {
  const { get } = await openPage(AUTHORITY);
  const { text, headers } = await get();
  const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/);
});

test('a command names the host that the caller used, but no other text', async () => {
  const { get, url } = await openPage(AUTHORITY);
  expect((await get()).text).toContain(`https://${new URL(url).host}/healthz`);
  expect((await get({ host: 'counterfoil.local:7410' })).text).toContain('https://counterfoil.local:7410/healthz');
  const { text } = await get({ host: 'a.example;reboot' });
  expect(text).not.toContain('reboot');
  expect(text).toContain('https://GATEWAY:7410/healthz');
});

test('a new authority is on the page at once', async () => {
  const { get, setAuthority } = await openPage();
  expect((await get()).text).toContain('has no certificate authority of its own');
  setAuthority(AUTHORITY);
  expect((await get()).text).toContain('href="/ca.pem"');
});

test.each(LANGUAGES)('a gateway without an authority says so in %s', async (language, title) => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { status, text } = await call(`${gateway.apiUrl}/trust`, { headers: { 'accept-language': language } });
  expect(status).toBe(200);
  expect(text).toContain(title);
  expect(text).not.toMatch(/ca\.pem|<table/);
});
