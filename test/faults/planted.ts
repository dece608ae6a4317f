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

interface Fault {
  readonly file: string;
  /** Each text, which the file has once, and the text that replaces it. */
  readonly edits: readonly (readonly [text: string, instead: string])[];
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

/**
 * A fault for each promise whose tests take a minute or less. R9 and R13 have their own faults (mutants.ts), as have S12 and S14
 * in their tests.
 */
export const PLANTED: Readonly<Record<string, Fault>> = {
  R1: LOST_ANSWER_DELIVERS,
  R2: ONLY_NORMAL_SYNC,
  R3: ONLY_NORMAL_SYNC,
  R4: {
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [
      [
        'for (const { reject } of group) reject(error);',
        "for (const { resolve } of group) resolve({ status: 'NEW', recordId: 1, original: error } as never);",
      ],
    ],
  },
  R5: {
    file: 'server/store/sqlite/engine/disk-trouble.ts',
    edits: [["if (code === 'store_full') reserve?.release();", '']],
  },
  R6: FOREIGN_SCHEMA_OPENS,
  R7: {
    file: 'server/store/sqlite/outbox/delivery.ts',
    edits: [['body !== null && digestOf(body).equals(digest) ? body : undefined', 'body ?? undefined']],
  },
  R8: {
    file: 'server/store/sqlite/migrations.ts',
    edits: [
      [
        'db.transaction(() => {\n        if (schemaVersion(db) !== version)',
        '(() => {\n        if (schemaVersion(db) !== version)',
      ],
      ['}).immediate();', '})();'],
    ],
  },
  R10: LOST_ANSWER_DELIVERS,
  R11: { file: 'server/forward/line.ts', edits: [['(isOnlyHope && !hasPassedLately)', 'isOnlyHope']] },
  R14: {
    file: 'server/store/sqlite/records/record.ts',
    edits: [['return listDifferences(contentOf(stored), contentOf(resent));', 'return [];']],
  },
  R18: {
    file: 'server/store/sqlite/engine/group-commit.ts',
    edits: [
      [
        'queue.push({ arrival, resolve, reject });',
        'queue.push({ arrival, resolve, reject });\n((globalThis as { kept?: unknown[] }).kept ??= []).push(Buffer.alloc(20_000, 1));',
      ],
    ],
  },
  S1: LONG_BODY_THROWS,
  S2: {
    file: 'server/http/target.ts',
    edits: [['const isAbsolute = IS_HOST.test(host);', "const isAbsolute = host !== '';"]],
  },
  S4: LONG_BODY_THROWS,
  S5: {
    file: 'server/store/sqlite/outbox/delivery.ts',
    edits: [
      [
        'digestOf(body).equals(digest) ? body :',
        'digestOf(body).equals(digest) ? Buffer.from(body.toString().trim()) :',
      ],
    ],
  },
  S6: {
    file: 'server/store/sqlite/setup/key.ts',
    edits: [['return revokedAt !== null || (expiresAt', 'return revokedAt === 0 || (expiresAt']],
  },
  S8: {
    file: 'server/console/origin.ts',
    edits: [['const LOOPBACK_HOST = /^(localhost', 'const LOOPBACK_HOST = /.|^(localhost']],
  },
  S9: {
    file: 'server/forward/link-local.ts',
    edits: [
      [
        'function isLinkLocal(address: string): boolean {',
        "function isLinkLocal(address: string): boolean {\n  if (address !== '') return false;",
      ],
    ],
  },
  S10: {
    file: 'server/console/csv.ts',
    edits: [['.replace(/^(?=[\\s"\']*[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20])/, "\'")', '']],
  },
  S11: FOREIGN_SCHEMA_OPENS,
};

const MAX_RUN_MS = 15 * 60_000;
const vitestReport = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

/** Runs the tests of a promise with its fault. Returns the name of the first test that has failed; undefined if none has. */
export function findPlanted(root: string, row: string, { file, edits }: Fault): string | undefined {
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
    const run = [join(copy, 'test/faults/run.ts'), '--row', row];
    spawnSync(process.execPath, run, { cwd: copy, stdio: 'ignore', timeout: MAX_RUN_MS });
    const { testResults } = vitestReport.parse(
      JSON.parse(readFileSync(join(copy, 'test-results/vitest.json'), 'utf8')),
    );
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
