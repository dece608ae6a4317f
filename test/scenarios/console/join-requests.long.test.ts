// The requests on a join card, run by their own programs. Programs that are missing on this machine are skipped; PowerShell, PHP
// and C# are never run.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { joinRequest } from '../../../renderer/tills/join-request.ts';
import type { Authority } from '../../../renderer/tills/request-writers.ts';
import type { KeyInterface, Mode } from '../../../server/contract/codes.ts';
import { cardOf } from '../../support/network.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { waitUntil } from '../../support/wait-until.ts';

const RUNNERS = {
  curl: { program: 'bash', args: [], needs: ['bash', 'curl', 'openssl'] },
  python: { program: 'python3', args: ['-'], needs: ['python3'] },
  node: { program: process.execPath, args: ['--input-type=module', '-'], needs: [process.execPath] },
} as const;

const secure = await openTestGateway({}, undefined, { readInterfaces: () => ({ lan: cardOf('127.0.0.2') }) });
await secure.store.network.change({ isOpen: true }, 'Ann');
await waitUntil(() => secure.network.view().addresses.length > 0);
const { addresses, authority: own } = secure.network.view();
const plain = await openTestGateway();
afterAll(async () => {
  await secure.close();
  await plain.close();
});
const address = addresses[0] ?? '';
const AUTHORITY: Authority = { fingerprint: own?.fingerprint ?? '', from: address.replace(/^https:/, 'http:') };
const PLACES = {
  secure: { gateway: secure, address, authority: AUTHORITY },
  plain: { gateway: plain, address: plain.apiUrl, authority: null },
} as const;

/** Runs a script in an empty folder and returns what it prints. */
async function run(language: keyof typeof RUNNERS, script: string): Promise<{ output: string; isFine: boolean }> {
  const cwd = mkdtempSync(join(tmpdir(), 'counterfoil-join-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { program, args } = RUNNERS[language];
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, isFine: error === null }),
    );
    child.stdin?.end(script);
  });
}

async function keyOf(gateway: typeof secure, mode: Mode, by: KeyInterface) {
  const key = await gateway.makeKey({ mode, interface: by });
  return { secret: key.secret, mode, key: { id: key.id, interface: by, createdAt: Date.now() } };
}

for (const language of ['curl', 'python', 'node'] as const) {
  const isMissing = RUNNERS[language].needs.some((program) => spawnSync(program, ['--version']).error !== undefined);
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

    test('stops before it sends the key if the certificate has another fingerprint', async () => {
      const before = await secure.countRecords();
      const fingerprint = AUTHORITY.fingerprint.replace(/^../, (pair) => (pair === '00' ? '01' : '00'));
      const parts = { address, authority: { ...AUTHORITY, fingerprint }, ...(await keyOf(secure, 'test', 'both')) };
      const { output, isFine } = await run(language, joinRequest(language, parts));
      expect(output).not.toContain('NEW');
      expect(isFine).toBe(false);
      expect(await secure.countRecords()).toEqual(before);
    });
  });
}
