// Runs the examples in the documents on a real gateway, document by document.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { BUNDLE, openSite, type Site, spawnProgram } from '../support/gateway-process.ts';
import { HAS_PHP } from '../support/php.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The documents in reading order. */
const DOCUMENTS = ['README.md', ...['connect-a-till', 'network', 'forwarding', 'store-days', 'operate'].map(pageOf)];
/** The programming languages whose examples run, with a file name for each. */
const PROGRAMS = {
  python: { file: 'sale.py', command: 'python3' },
  js: { file: 'sale.mjs', command: 'node' },
  php: { file: 'sale.php', command: 'php' },
} as const;
type Language = keyof typeof PROGRAMS;
const LANGUAGES = Object.keys(PROGRAMS) as Language[];

/** The value of NOW, a shell variable that the examples set. Later code blocks use the same value, as in a reader's shell. */
const NOW = `${new Date().toISOString().slice(0, 19)}Z`;

interface Block {
  /** The language of a code block, which follows its three back-ticks. */
  readonly kind: string;
  readonly text: string;
}

function pageOf(name: string): string {
  return `docs/${name}.md`;
}

function blocksOf(file: string): readonly Block[] {
  const blocks = readFileSync(join(ROOT, file), 'utf8').matchAll(/^```(\w[^\n]*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, kind = '', text = '']) => ({ kind, text }));
}

let site: Site;
let folder: string;
let standIn: ReturnType<typeof spawnProgram>;
let addresses: readonly (readonly [string, string])[];
/** The key that `npm start` prints, as the documents show it. */
let firstKey: string;
let key: string;
/**
 * The key of another till of the store. A reader runs only one of the programs, so the programs' sales must not count in the
 * till's store day.
 */
let otherKey: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-examples-'));
  site = await openSite();
  const create = ['keys', 'create', '--administration', 'My store', '--mode', 'test', '--label', 'First till'];
  const created = (await site.runJson(...create)) as { key: string };
  firstKey = created.key;
  const other = ['keys', 'create', '--administration', 'Corner Bakery', '--mode', 'test', '--label', 'Another till'];
  otherKey = ((await site.runJson(...other)) as { key: string }).key;
  const { url } = await site.startGateway();
  standIn = spawnProgram('test/support/upstream.ts', ['--port', '0', '--json']);
  const ready = await new Promise<string>((resolve) => standIn.stdout.once('data', (part) => resolve(String(part))));
  addresses = [
    ['http://127.0.0.1:7410', url],
    ['http://127.0.0.1:7420', (JSON.parse(ready) as { url: string }).url],
  ];
});

afterAll(async () => {
  standIn.kill('SIGKILL');
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces the addresses in a document's text with the addresses of this test. */
function placed(text: string): string {
  return addresses.reduce((whole, [usual, here]) => whole.replaceAll(usual, here), text);
}

/** Runs a program as a reader does in a shell. Throws its output if it fails. */
async function run(command: string, args: readonly string[], withKey = key): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERFOIL_'));
  const env = {
    ...Object.fromEntries(own),
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    COUNTERFOIL_DATA: site.dataDir,
    KEY: withKey,
    NOW,
  };
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`));
    });
  });
}

/** Runs shell text. `npm run counterfoil -- …` runs the bundle, curl fails on a refusal, and keys become this test's key. */
async function runShell(text: string): Promise<string> {
  const script = [
    'set -euo pipefail',
    `npm() { while [ "$1" != -- ]; do shift; done; shift; "${process.execPath}" "${join(ROOT, BUNDLE)}" "$@"; }`,
    'curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }',
    placed(text).replaceAll(/^KEY=.*$/gm, ''),
  ].join('\n');
  return run('bash', ['-c', script]);
}

/** The members of an answer that are the same in every run. */
function steadyPart(line: string): unknown {
  const members = Object.entries(JSON.parse(line) as Record<string, unknown>);
  return Object.fromEntries(
    members.filter(([name]) => !['record_id', 'received_at', 'timestamp', 'day'].includes(name)),
  );
}

describe.skipIf(process.platform === 'win32')('the examples of', () => {
  test.for(DOCUMENTS)('%s', async (file) => {
    let printed = '';
    key = firstKey;
    for (const { kind, text } of blocksOf(file)) {
      if (kind === 'sh') {
        printed = await runShell(text);
        key = /^(test_\w+)$/m.exec(printed)?.[1] ?? key; // a reader copies this key from the output
      } else if (kind === 'json') {
        // This block of the document shows the output of the command before it.
        expect(steadyPart(printed)).toEqual(steadyPart(text));
      } else if (LANGUAGES.includes(kind as Language)) {
        const { file: name, command } = PROGRAMS[kind as Language];
        if (kind === 'php' && !HAS_PHP) continue;
        if (spawnSync(command, ['--version']).status !== 0) continue; // skipped if this machine lacks the program
        writeFileSync(join(folder, name), placed(text));
        expect(await run(command, [name], otherKey)).toBe('201 NEW\n');
      }
    }
    expect(printed).not.toBe('');
  });

  test('their sales are here and their upstream got what was sent to it', async () => {
    const status = async (): Promise<unknown> => (await site.runJson('status')) as unknown;
    await expect.poll(status).toMatchObject({
      journals: [
        {
          administration: 'Corner Bakery',
          records: { IGNORED: 0, ERROR: 0 },
          earlier_records: { NEW: 1, IGNORED: 1, ERROR: 0 },
        },
        {
          administration: 'My store',
          records: { NEW: 2, IGNORED: 0, ERROR: 0 },
          lane: { state: 'running', waiting: 0, delivered: 2 },
        },
      ],
    });
  });
});
