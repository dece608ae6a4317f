// The page /trust says how a till can trust the gateway's own authority, in one line for each system and programming language.
// It has no scripts and loads nothing from other sites. Its language is the one that the caller's browser asks for.

import { createHash } from 'node:crypto';

import type { Express, Request } from 'express';

import { CA_DER_FILE, CA_FILE } from '../contract/join-request.ts';
import type { PublishedAuthority } from './published-authority.ts';
import { TRUST_LANGUAGES, TRUST_TEXTS, type TrustLanguage, type TrustTexts } from './trust-texts.ts';

export const TRUST_PATH = '/trust';

/**
 * Adds the page /trust. `authority` returns undefined if the gateway has no authority of its own. It is called for each
 * request, because a gateway may get an authority later.
 */
export function bindTrustPage(app: Express, authority: () => PublishedAuthority | undefined): void {
  app.get(TRUST_PATH, (req, res) => {
    const found = req.acceptsLanguages(...TRUST_LANGUAGES);
    const language = TRUST_LANGUAGES.find((each) => each === found) ?? 'en';
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Content-Language', language);
    res.setHeader('Vary', 'Accept-Language');
    res.setHeader('Cache-Control', 'no-cache');
    res.type('html').send(renderPage(language, authority(), hostOf(req)));
  });
}

/** Returns the host and port that the caller used. Returns a placeholder if the text is not safe in a shell command. */
function hostOf({ headers }: Request): string {
  const { host = '' } = headers;
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host) ? host : 'GATEWAY:7410';
}

function renderPage(language: TrustLanguage, authority: PublishedAuthority | undefined, host: string): string {
  const t = TRUST_TEXTS[language];
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterfoil: ${escape(t.title)}</title><style>${STYLE}</style></head><body><main>
<h1>${escape(t.title)}</h1>
${authority === undefined ? `<p>${escape(t.none)}</p>` : renderSteps(t, host)}
</main></body></html>
`;
}

function renderSteps(t: TrustTexts, host: string): string {
  return `<p>${escape(t.intro)}</p>
<ol>
<li>${escape(t.download)} <a href="/ca.pem" download="${CA_FILE}">${CA_FILE}</a> (PEM) · <a href="/ca.der" download="${CA_DER_FILE}">${CA_DER_FILE}</a> (DER)</li>
<li>${escape(t.compare)}<table><tbody>${rows(PRINT_COMMANDS)}</tbody></table></li>
<li>${escape(t.install)}</li>
</ol>
<h2>${escape(t.systems)}</h2>
<table><tbody>${rows(systemsOf(t))}</tbody></table>
<h2>${escape(t.programs)}</h2>
<table><tbody>${rows(programsOf(host))}</tbody></table>`;
}

/**
 * Commands that print the fingerprint of the downloaded file. A person must compare the fingerprint, because the till does not
 * trust this page yet.
 */
const PRINT_COMMANDS: readonly Row[] = [
  ['Windows', `certutil -hashfile ${CA_DER_FILE} SHA256`],
  ['macOS, Linux', `openssl x509 -in ${CA_FILE} -noout -fingerprint -sha256`],
];

/** The name of a system or program, with a command or with the path through its menus. */
type Row = readonly [name: string, command: string | undefined, words?: string];

function systemsOf(t: TrustTexts): readonly Row[] {
  return [
    ['Windows', `certutil -addstore Root ${CA_DER_FILE}`, t.asAdministrator],
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${CA_FILE}`],
    [
      'Debian, Ubuntu',
      `sudo cp ${CA_FILE} /usr/local/share/ca-certificates/counterfoil-ca.crt && sudo update-ca-certificates`,
    ],
    ['Fedora, RHEL', `sudo cp ${CA_FILE} /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust`],
    ['Android', undefined, t.android],
    ['iOS, iPadOS', undefined, t.ios],
  ];
}

function programsOf(host: string): readonly Row[] {
  return [
    ['curl', `curl --cacert ${CA_FILE} https://${host}/healthz`],
    // On Windows, curl refuses a certificate if it cannot check for revocation. The gateway's authority has no revocation
    // service.
    ['curl, Windows', `curl --ssl-no-revoke --cacert ${CA_FILE} https://${host}/healthz`],
    ['Node', `NODE_EXTRA_CA_CERTS=${CA_FILE} node till.mjs`],
    ['Python', `ssl.create_default_context(cafile="${CA_FILE}")`],
    ['PHP', `curl_setopt($call, CURLOPT_CAINFO, '${CA_FILE}');`],
    [
      '.NET',
      'var handler = new SocketsHttpHandler { SslOptions = { CertificateChainPolicy = new() { TrustMode = X509ChainTrustMode.CustomRootTrust, ' +
        `RevocationMode = X509RevocationMode.NoCheck, CustomTrustStore = { X509Certificate2.CreateFromPem(File.ReadAllText("${CA_FILE}")) } } } };`,
    ],
    ['Java', `keytool -importcert -cacerts -storepass changeit -noprompt -alias counterfoil -file ${CA_FILE}`],
  ];
}

function rows(all: readonly Row[]): string {
  return all
    .map(([name, command, words = '']) => {
      const code = command === undefined ? '' : `<code>${escape(command)}</code>`;
      return `<tr><th scope="row">${escape(name)}</th><td>${code}${words === '' ? '' : `<div>${escape(words)}</div>`}</td></tr>`;
    })
    .join('\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --accent: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --accent: #5eead4; } }
body { margin: 0; background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2rem; font-size: 1.2rem; }
li { margin-bottom: .5rem; }
a { color: var(--accent); }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
th { width: 9.5rem; white-space: nowrap; font-weight: 600; }
@media (max-width: 30rem) { th, td { display: block; width: auto; border: 0; padding: 0; } td { padding-bottom: .75rem; } }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
