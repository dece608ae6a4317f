// The requests on a join card, run by their own programs. Programs that are missing on this machine are skipped; PowerShell and C#
// are never run.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { joinRequest } from '../../../renderer/tills/request-writers.ts';
import type { KeyInterface, Mode } from '../../../server/contract/codes.ts';
import type { Authority } from '../../../server/contract/join-request.ts';
import { cardOf } from '../../support/network.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { HAS_PHP } from '../../support/php.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The program for each language. `file` is the file name that the request itself states. */
const RUNNERS = {
  curl: { program: 'bash', file: 'first.sh', needs: ['bash', 'curl', 'openssl'] },
  python: { program: 'python3', file: 'first.py', needs: ['python3'] },
  node: { program: process.execPath, file: 'first.mjs', needs: [process.execPath] },
  php: { program: 'php', file: 'first.php', needs: ['php'] },
} as const;

const secure = await openSecureGateway('127.0.0.2');
const { address, authority: AUTHORITY } = placeOf(secure);
const other = await openSecureGateway('127.0.0.3');
const plain = await openTestGateway();
afterAll(async () => {
  await Promise.all([secure, other, plain].map((gateway) => gateway.close()));
});
const PLACES = {
  secure: { gateway: secure, address, authority: AUTHORITY },
  plain: { gateway: plain, address: plain.apiUrl, authority: null },
} as const;

async function openSecureGateway(ipv4: string) {
  const gateway = await openTestGateway({}, undefined, { readInterfaces: () => ({ lan: cardOf(ipv4) }) });
  await gateway.store.network.change({ isOpen: true }, 'Ann');
  await waitUntil(() => gateway.network.view().addresses.length > 0);
  return gateway;
}

function placeOf({ network }: typeof secure) {
  const { addresses, authority } = network.view();
  const address = addresses[0] ?? '';
  const from = address.replace(/^https:/, 'http:');
  return { address, authority: { fingerprint: authority?.fingerprint ?? '', from } satisfies Authority };
}

/** Runs a script in an empty folder and returns what it prints. */
async function run(language: keyof typeof RUNNERS, script: string): Promise<{ output: string; isFine: boolean }> {
  const cwd = mkdtempSync(join(tmpdir(), 'counterfoil-join-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { program, file } = RUNNERS[language];
  writeFileSync(join(cwd, file), script);
  return new Promise((resolve) => {
    execFile(program, [file], { cwd }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, isFine: error === null }),
    );
  });
}

async function keyOf(gateway: typeof secure, mode: Mode, by: KeyInterface) {
  const key = await gateway.makeKey({ mode, interface: by });
  return { secret: key.secret, mode, key: { id: key.id, interface: by, createdAt: Date.now() } };
}

for (const language of ['curl', 'python', 'node', 'php'] as const) {
  const isMissing =
    (language === 'php' && !HAS_PHP) ||
    RUNNERS[language].needs.some((program) => spawnSync(program, ['--version']).error !== undefined);
  if (isMissing)
    console.warn(`Not run: the join card’s request in ${language} needs ${RUNNERS[language].needs.join(', ')}.`);

  describe.skipIf(isMissing)(`the request in ${language}`, () => {
    test.each([
      ['the gateway’s own authority', 'both', 'secure'],
      ['the gateway’s own authority', 'earlier', 'secure'],
      ['no certificate', 'both', 'plain'],
      ['no certificate', 'earlier', 'plain'],
    ] as const)('posts a sale of a test key, with %s, on %s', async (_, by, where) => {
      const { gateway, ...place } = PLACES[where];
      const before = await gateway.countRecords();
      const parts = { ...place, ...(await keyOf(gateway, 'test', by)) };
      const { output, isFine } = await run(language, joinRequest(language, parts));
      expect(output).toContain('NEW');
      expect(isFine).toBe(true);
      expect(await gateway.countRecords()).toEqual({ ...before, NEW: before.NEW + 1 });
    });

    test.each([
      ['the current interface asks for a count', 'current', 'raw_transaction_count'],
      ['the earlier interface asks for the health', 'earlier', '"ok"'],
    ] as const)('of a production key on %s and posts nothing', async (_, by, answer) => {
      for (const { gateway, ...place } of Object.values(PLACES)) {
        const before = await gateway.countRecords();
        const parts = { ...place, ...(await keyOf(gateway, 'production', by)) };
        expect((await run(language, joinRequest(language, parts))).output).toContain(answer);
        expect(await gateway.countRecords()).toEqual(before);
      }
    });

    test('refuses a gateway with a certificate of another authority', async () => {
      const before = await secure.countRecords();
      const parts = { address, authority: placeOf(other).authority, ...(await keyOf(secure, 'test', 'both')) };
      const { output } = await run(language, joinRequest(language, parts));
      expect(output).toMatch(/certificate verify failed|SSL certificate problem|local issuer certificate/);
      expect(await secure.countRecords()).toEqual(before);
    });

    test('stops before it sends the key if the certificate has another fingerprint', async () => {
      const before = await secure.countRecords();
      const fingerprint = AUTHORITY.fingerprint.replace(/^../, (pair) => (pair === '00' ? '01' : '00'));
      const parts = { address, authority: { ...AUTHORITY, fingerprint }, ...(await keyOf(secure, 'test', 'both')) };
      const { output, isFine } = await run(language, joinRequest(language, parts));
      expect(output).toContain('The certificate has another fingerprint');
      expect(output).not.toContain('NEW');
      expect(isFine).toBe(false);
      expect(await secure.countRecords()).toEqual(before);
    });
  });
}
