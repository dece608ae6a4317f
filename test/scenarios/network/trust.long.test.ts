// The page /trust on a till. The tests run its instructions word for word, in the programs that the instructions are for. Only
// the till's namespace changes, so the machine itself trusts nothing new. Instructions for missing programs are skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { CHROMIUM_FLAGS, findHeadlessChromium } from '../../support/chromium.ts';
import { BUNDLE, openSite, type Site, spawnProgram } from '../../support/gateway-process.ts';
import { type Lan, type LanHost, openLan, whyNoLan } from '../../support/namespaces.ts';
import { HAS_PHP } from '../../support/php.ts';

const lanStatus = z.object({ addresses: z.array(z.string()), console_addresses: z.array(z.string()) });
const FILE = 'counterfoil-ca.pem';
const NOT_TRUSTED = /certificate problem|verify failed|local issuer|not trusted|Unable to locally verify|PKIX/i;

/**
 * Commands that call the gateway and trust the same authorities as the system. {URL} stands for the address of the gateway's
 * health.
 */
const CALLS = {
  curl: 'curl -sS {URL}',
  wget: 'wget -nv -O- {URL}',
  openssl: 'openssl s_client -brief -verify_return_error -connect {HOST} </dev/null && curl -sS {URL}',
  python3: `/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("{URL}").read().decode())'`,
  php: `php -r 'echo file_get_contents("{URL}");'`,
} as const;
/**
 * Each program has two variants: with the instruction that the page shows for it, and without. The test replaces {LINE} with
 * the instruction.
 */
const PROGRAMS = {
  curl: ['{LINE}', 'curl -sS {URL}'],
  Node: ['{LINE}', 'node till.mjs'],
  Python: [pythonWith('{LINE}'), pythonWith('ssl.create_default_context()')],
  PHP: [phpWith('{LINE}'), phpWith('')],
} as const;

function pythonWith(context: string): string {
  return `/usr/bin/python3 -c 'import ssl, urllib.request as u; print(u.urlopen("{URL}", context=${context}).read().decode())'`;
}

function phpWith(line: string): string {
  return `php <<'PHP'
<?php $call = curl_init("{URL}"); ${line} curl_exec($call); echo curl_error($call);
PHP`;
}

const JAVA = `import java.net.URI; import java.net.http.*;
class Till { public static void main(String[] args) throws Exception {
  var request = HttpRequest.newBuilder(URI.create(args[0])).build();
  System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body()); } }`;
const CALL_IN_JAVA = 'java Till.java {URL}';
const NODE = `console.log(await (await fetch(process.env.HEALTH)).text());`;

/** The folders that the instructions change. */
const TRUST_STORES = ['/etc/ssl', '/usr/local/share/ca-certificates', findJavaTrust()].filter(
  (folder) => existsSync(folder) && (folder === '/etc/ssl' || !folder.startsWith('/etc/ssl/')),
);

function findJavaTrust(): string {
  const { stdout } = spawnSync('which', ['keytool'], { encoding: 'utf8' });
  if (whyNoLan !== undefined || stdout === '') return '';
  return dirname(realpathSync(join(dirname(realpathSync(stdout.trim())), '../lib/security/cacerts')));
}

const browser = findHeadlessChromium();
const has = (...programs: readonly string[]): boolean => {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0) console.warn(`Not run: a trust line that needs ${missing.join(', ')}.`);
  return missing.length === 0;
};

describe.skipIf(whyNoLan !== undefined)(`/trust${whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`}`, () => {
  let lan: Lan;
  let shop: LanHost;
  let site: Site;
  let address: string;
  let consoleAddress: string;

  beforeAll(async () => {
    lan = await openLan(5);
    [shop] = lan.hosts as [LanHost];
    site = await openSite(undefined, {}, shop.enter);
    await site.startGateway();
    const user = ['users', 'add', '--name', 'Ann', '--role', 'manager', '--data', site.dataDir];
    const added = spawnProgram(BUNDLE, user, {}, 'correct horse battery\n', shop.enter);
    await text(added.stdout);
    await site.runJson('lan', 'on', '--console');
    const status = lanStatus.parse(await site.runJson('lan', 'status'));
    const byAddress = (each: string): boolean => each.includes(`//${shop.ipv4}:`);
    address = status.addresses.find(byAddress) ?? '';
    consoleAddress = status.console_addresses.find(byAddress) ?? '';
  });
  afterAll(async () => {
    await site?.close();
    await lan?.close();
  });

  test.skipIf(!has('update-ca-certificates'))(
    'with the line for Debian, the programs of the system trust the gateway',
    async () => {
      const till = await openTill(1);
      const calls = Object.entries(CALLS).filter(([program]) => has(program));
      for (const [program, command] of calls) expect(await till.run(command), program).toMatch(NOT_TRUSTED);

      await till.run(await lineOf(till, 'Debian, Ubuntu'));

      for (const [program, command] of calls) expect(await till.run(command), program).toContain('"ok"');
    },
  );

  test.skipIf(!has('java', 'keytool'))('with the line for Java, a program in Java trusts the gateway', async () => {
    const till = await openTill(2);
    writeFileSync(join(till.folder, 'Till.java'), JAVA);
    expect(await till.run(CALL_IN_JAVA)).toMatch(NOT_TRUSTED);

    await till.run(await lineOf(till, 'Java'));

    expect(await till.run(CALL_IN_JAVA)).toContain('"ok"');
  });

  test.for(['curl', 'Node', 'Python', 'PHP'] as const)(
    'only with the line for %s, a program trusts the gateway',
    async (name, { skip }) => {
      if (name === 'PHP' && !HAS_PHP) skip();
      const till = await openTill(3);
      writeFileSync(join(till.folder, 'till.mjs'), NODE);
      const [command, without] = PROGRAMS[name];
      const line = await lineOf(till, name);
      expect(await till.run(without)).toMatch(NOT_TRUSTED);

      expect(await till.run(command.replace('{LINE}', line))).toContain('"ok"');
    },
  );

  test.skipIf(browser === undefined || !has('certutil'))(
    'a browser that trusts the authority opens the documentation and the console without a warning',
    async () => {
      const till = await openTill(4);
      const flags = ['--headless', ...CHROMIUM_FLAGS, '--dump-dom'].join(' ');
      const open = (url: string): Promise<string> => till.run(`${browser} ${flags} ${url}`);
      const urls = [`${address}/docs`, consoleAddress];
      for (const url of urls) expect(await open(url)).toContain('ERR_CERT_AUTHORITY_INVALID');

      const trusted = '.pki/nssdb';
      await till.run(`mkdir -p ${trusted} && certutil -d sql:${trusted} -N --empty-password`);
      await till.run(`certutil -d sql:${trusted} -A -t C,, -n counterfoil -i ${FILE}`);

      for (const url of urls) expect(await open(url)).toContain('<title>Counterfoil');
    },
  );

  interface Till {
    /** The folder with the downloaded authority. Commands run in this folder. */
    readonly folder: string;
    /** Fills the addresses into a command of the page, runs it, and returns what it prints. */
    run(command: string): Promise<string>;
  }

  /** Opens a till for one test. Its changes of the system affect nothing else. */
  async function openTill(number: number): Promise<Till> {
    const host = lan.hosts[number] as LanHost;
    const folder = join(dirname(site.dataDir), `till-${number}`);
    mkdirSync(folder, { recursive: true });
    const run = async (command: string): Promise<string> => {
      const url = `${address}/healthz`;
      const script = command.replaceAll('{URL}', url).replaceAll('{HOST}', new URL(url).host).replaceAll('sudo ', '');
      const variables = { HOME: folder, HEALTH: url, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
      const { stdout, stderr } = await host.run('sh', ['-c', `cd '${folder}' && ${script}`], variables);
      return stdout + stderr;
    };
    for (const store of TRUST_STORES) {
      await run(`mkdir -p .${store} && cp -a ${store}/. .${store} && mount --bind .${store} ${store}`);
      // Without this mount, an instruction would change the machine itself.
      expect(await run(`mountpoint ${store}`)).toContain('is a mountpoint');
      onTestFinished(async () => void (await run(`umount ${store}`)));
    }
    await run(`curl -sSo ${FILE} ${address.replace('https:', 'http:')}/ca.pem`);
    return { folder, run };
  }

  async function lineOf(till: Till, name: string): Promise<string> {
    const page = await till.run(`curl -sS --cacert ${FILE} ${address}/trust`);
    const [, line = ''] = page.split(`<th scope="row">${name}</th><td><code>`);
    const [code = ''] = line.split('</code>');
    return code.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  }
});
