// Planted faults. `npm run test:faults -- --planted` makes a copy of the checkout with each fault and expects that the tests of
// its promise fail there. So each rig is able to fail.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { PROMISES } from './promises.ts';

interface Fault {
  readonly file: string;
  /** Each text, which the file has once, and the text that replaces it. */
  readonly edits: readonly (readonly [text: string, instead: string])[];
  /** The test file that must find it. Without it, any test of the promise may. */
  readonly by?: string;
  /** Whether only the times of a nightly run show it. The run then has this number of cases. */
  readonly judgesTimeOf?: number;
}

const ONLY_NORMAL_SYNC: Fault = {
  file: 'server/store/sqlite/engine/database.ts',
  edits: [
    ["db.pragma('synchronous = FULL');", "db.pragma('synchronous = NORMAL');"],
    ['synchronous: 2,', 'synchronous: 1,'],
  ],
};
const LOST_ANSWER_DELIVERS: Fault = {
  file: 'server/forward/answer.ts',
  edits: [
    ["return { kind: 'unclear', cause: causeOf('unanswered', answer.reason) };", "return { kind: 'delivered' };"],
  ],
};
const FOREIGN_SCHEMA_OPENS: Fault = {
  file: 'server/store/sqlite/integrity/own-schema.ts',
  edits: [['if (foreign.length > 0)', 'if (foreign.length > 1000)']],
};
const LONG_BODY_THROWS: Fault = {
  file: 'server/api/body.ts',
  edits: [['> MAX_BODY_BYTES) throw tooLarge();', "> MAX_BODY_BYTES) throw new Error('planted');"]],
};

/** A statement that keeps memory each time it runs. */
const KEEPS_MEMORY = '((globalThis as { kept?: unknown[] }).kept ??= []).push(Buffer.alloc(20_000, 1));';
/** A statement that blocks the event loop for 60 ms. */
const BLOCKS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);';

/** A fault and the promise that it breaks. R9 and R13 have their own faults (mutants.ts), as have S12 and S14 in their tests. */
export const PLANTED: readonly (Fault & { readonly row: string })[] = [
  { row: 'R1', ...LOST_ANSWER_DELIVERS },
  { row: 'R2', ...ONLY_NORMAL_SYNC },
  {
    row: 'R2',
    file: 'server/store/sqlite/engine/archiver.ts',
    edits: [['syncFolder(folder);', '']],
    by: 'test/faults/r02-power-cut.test.ts',
  },
  { row: 'R3', ...ONLY_NORMAL_SYNC },
  {
    row: 'R4',
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [
      [
        'for (const { reject } of group) reject(error);',
        "for (const { resolve } of group) resolve({ status: 'NEW', recordId: 1, original: error } as never);",
      ],
    ],
  },
  {
    row: 'R5',
    file: 'server/store/sqlite/engine/disk-trouble.ts',
    edits: [["if (code === 'store_full') reserve?.release();", '']],
  },
  { row: 'R6', ...FOREIGN_SCHEMA_OPENS },
  {
    row: 'R7',
    file: 'server/store/sqlite/outbox/delivery.ts',
    edits: [['body !== null && digestOf(body).equals(digest) ? body : undefined', 'body ?? undefined']],
  },
  {
    row: 'R7',
    file: 'server/store/sqlite/salvage/copy.ts',
    edits: [['return digestOf(body).equals(digest);', 'return true;']],
    by: 'test/server/store/sqlite/salvage/salvage.long.test.ts',
  },
  {
    row: 'R8',
    file: 'server/store/sqlite/migrations.ts',
    edits: [
      [
        'db.transaction(() => {\n      if (schemaVersion(db) !== first)',
        '(() => {\n      if (schemaVersion(db) !== first)',
      ],
      ['}).immediate();', '})();'],
    ],
  },
  { row: 'R10', ...LOST_ANSWER_DELIVERS, by: 'test/faults/r10-chaos-proxy.test.ts' },
  { row: 'R11', file: 'server/forward/line.ts', edits: [['(isOnlyHope && !hasPassedLately)', 'isOnlyHope']] },
  {
    row: 'R12',
    file: 'server/forward/settler.ts',
    edits: [['await settle(group);', `await settle(group);\nfor (const _ of group) ${KEEPS_MEMORY}`]],
  },
  {
    row: 'R14',
    file: 'server/store/sqlite/records/record.ts',
    edits: [['return listDifferences(contentOf(stored), contentOf(resent));', 'return [];']],
  },
  {
    row: 'R15',
    file: 'server/store/sqlite/records/record.ts',
    edits: [[' AND record_id <= @highWaterId', '']],
  },
  {
    row: 'R16',
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [['const results = await commit(', `${BLOCKS}\nconst results = await commit(`]],
    judgesTimeOf: 1000,
    by: 'test/faults/r16-slow-disk.test.ts',
  },
  {
    row: 'R16',
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [['const results = await commit(', `${BLOCKS}\nconst results = await commit(`]],
    judgesTimeOf: 100,
    by: 'test/faults/r16-slow-processor.test.ts',
  },
  {
    row: 'R17',
    file: 'server/network/entry.ts',
    edits: [['servers.forEach((server) => server.closeAllConnections()), maxDrainMs', '{}, maxDrainMs']],
    judgesTimeOf: 1,
    by: 'test/faults/r17-stop.test.ts',
  },
  {
    row: 'R18',
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [
      ['queue.push({ arrival, resolve, reject });', `queue.push({ arrival, resolve, reject });\n${KEEPS_MEMORY}`],
    ],
  },
  {
    row: 'R19',
    file: 'server/store/sqlite/files/copy.ts',
    edits: [['noteAsBackup(copy, madeAt);', '']],
  },
  { row: 'S1', ...LONG_BODY_THROWS },
  {
    row: 'S2',
    file: 'server/http/target.ts',
    edits: [['const isAbsolute = IS_HOST.test(host);', "const isAbsolute = host !== '';"]],
  },
  {
    row: 'S3',
    file: 'server/api/listener.ts',
    edits: [
      ['headersTimeout: 5000,', 'headersTimeout: 600_000,'],
      ['requestTimeout: 10_000,', 'requestTimeout: 600_000,'],
    ],
  },
  { row: 'S4', ...LONG_BODY_THROWS },
  {
    row: 'S5',
    file: 'server/store/sqlite/outbox/delivery.ts',
    edits: [
      [
        'digestOf(body).equals(digest) ? body :',
        'digestOf(body).equals(digest) ? Buffer.from(body.toString().trim()) :',
      ],
    ],
    by: 'test/faults/s05-bytes.test.ts',
  },
  {
    row: 'S6',
    file: 'server/store/sqlite/setup/key.ts',
    edits: [['return revokedAt !== null || (expiresAt', 'return revokedAt === 0 || (expiresAt']],
  },
  { row: 'S7', file: 'server/api/mask.ts', edits: [[".replace(KEY, '$1…')", '']] },
  {
    row: 'S8',
    file: 'server/console/origin.ts',
    edits: [['const LOOPBACK_HOST = /^(localhost', 'const LOOPBACK_HOST = /.|^(localhost']],
  },
  {
    row: 'S9',
    file: 'server/forward/link-local.ts',
    edits: [
      [
        'function isLinkLocal(address: string): boolean {',
        "function isLinkLocal(address: string): boolean {\n  if (address !== '') return false;",
      ],
    ],
  },
  {
    row: 'S10',
    file: 'server/console/csv.ts',
    edits: [['.replace(/^(?=[\\s"\']*[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20])/, "\'")', '']],
  },
  { row: 'S11', ...FOREIGN_SCHEMA_OPENS },
  {
    row: 'S13',
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [['append(arrival) {', `append(arrival) {\nif (arrival.externalId.startsWith('noisy')) ${BLOCKS}`]],
    judgesTimeOf: 3,
  },
];

const MAX_RUN_MS = 15 * 60_000;
/** A test that takes longer hangs because of the fault, so it has found it. */
const MAX_TEST_MS = 4 * 60_000;
const REPORT = 'test-results/vitest.json';
const vitestReport = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

/** Runs the tests of a promise with a fault. Returns the name of the first test that has failed; undefined if none has. */
export function findPlanted(
  root: string,
  { row, file, edits, by, judgesTimeOf }: (typeof PLANTED)[number],
): string | undefined {
  const copy = mkdtempSync(join(tmpdir(), 'counterfoil-planted-'));
  try {
    for (const path of execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')) {
      if (path === '' || !existsSync(join(root, path))) continue;
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      if (path !== file) link(join(root, path), join(copy, path));
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    let source = readFileSync(join(root, file), 'utf8');
    for (const [text, instead] of edits) {
      if (source.split(text).length !== 2) throw new Error(`${file} must have this text once: ${text}`);
      source = source.replace(text, () => instead);
    }
    writeFileSync(join(copy, file), source);
    const tests = by === undefined ? (PROMISES.find(({ id }) => id === row)?.tests ?? []) : [by];
    const run = [
      'run',
      '--project=!package',
      '--bail=1',
      `--testTimeout=${MAX_TEST_MS}`,
      '--reporter=json',
      `--outputFile=${REPORT}`,
      ...tests,
    ];
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
    const env = {
      ...process.env,
      ...(judgesTimeOf !== undefined && { FAULTS_TIER: 'nightly', FAULTS_COUNT: String(judgesTimeOf) }),
    };
    spawnSync(process.execPath, [vitest, ...run], { cwd: copy, stdio: 'ignore', timeout: MAX_RUN_MS, env });
    const { testResults } = vitestReport.parse(JSON.parse(readFileSync(join(copy, REPORT), 'utf8')));
    return testResults.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed')
      ?.fullName;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Links a file, or copies it to another file system. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    writeFileSync(to, readFileSync(from));
  }
}
