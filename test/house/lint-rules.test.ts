// Proves each lint rule with a planted fault, because a rule with a misspelt name or a wrong file pattern would silently
// report nothing. One run lints all faults, in an empty folder with our configuration.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');

interface Border {
  /** The file with the planted imports. */
  readonly in: string;
  /** Refused import paths. A path that begins with `type ` stands for an import of types only. */
  readonly refused: readonly string[];
  readonly allowed: readonly string[];
}

const parts = ['api', 'console', 'forward', 'reconcile'];
/** For each part, the other parts that it may import. */
const stands: Readonly<Record<string, readonly string[]>> = { reconcile: ['forward'], console: ['reconcile'] };
const above = ['../gateway.ts', '../command/x.ts', '../main.ts'];
const abroad = [
  'electron',
  'react',
  'react-dom/client',
  '../../electron/x.ts',
  '../../renderer/x.ts',
  '../../test/x.ts',
];

const borders: Border[] = [
  ...parts.map((part) => ({
    in: `server/${part}/x.ts`,
    refused: [
      ...parts.filter((other) => other !== part && !stands[part]?.includes(other)).map((other) => `../${other}/x.ts`),
      ...(['api', 'console'].includes(part) ? ['undici'] : []),
      '../demo/x.ts',
      ...above,
      ...abroad,
      'better-sqlite3',
    ],
    allowed: [
      './main.ts',
      '../store/x.ts',
      '../metrics.ts',
      '../errors.ts',
      '../contract/codes.ts',
      'express',
      'node:fs',
    ],
  })),
  {
    in: 'server/store/x.ts',
    refused: [...parts.map((part) => `../${part}/x.ts`), '../metrics.ts', ...above, ...abroad, 'undici'],
    allowed: ['./api.ts', '../errors.ts', '../log.ts', '../config.ts', '../contract/codes.ts', 'better-sqlite3'],
  },
  {
    in: 'server/demo/x.ts',
    refused: [...parts.map((part) => `../${part}/x.ts`), '../store/x.ts', ...above, ...abroad, 'undici'],
    allowed: ['./main.ts', '../errors.ts', '../contract/codes.ts', 'node:http'],
  },
  {
    in: 'server/store/sqlite/migrations/x.ts',
    refused: ['../../../api/x.ts', 'type ../../../api/y.ts', '../../../network/x.ts'],
    allowed: ['../database.ts', '../../network/x.ts'], // a room that has the same name as a part
  },
  {
    in: 'server/command/x.ts',
    refused: ['../api/x.ts', '../console/x.ts', '../main.ts', 'better-sqlite3'],
    allowed: [
      '../gateway.ts',
      '../forward/x.ts',
      '../reconcile/x.ts',
      '../store/x.ts',
      '../demo/x.ts',
      '../config.ts',
      'commander',
    ],
  },
  {
    in: 'server/gateway.ts',
    refused: ['./command/x.ts', './demo/x.ts', './main.ts', 'better-sqlite3', 'undici', '../test/x.ts'],
    allowed: [...parts.map((part) => `./${part}/x.ts`), './store/x.ts', './metrics.ts'],
  },
  {
    in: 'server/main.ts',
    refused: ['./gateway.ts', './store/x.ts', './api/x.ts'],
    allowed: ['./command/x.ts', './errors.ts'],
  },
  ...['errors', 'log', 'config', 'metrics'].map((file) => ({
    in: `server/${file}.ts`,
    refused: ['./gateway.ts', './api/x.ts', './command/x.ts', 'better-sqlite3', 'undici'],
    allowed: [],
  })),
  {
    in: 'server/lib/x.ts',
    refused: ['../gateway.ts', '../errors.ts', '../contract/codes.ts', 'better-sqlite3', 'undici'],
    allowed: ['./y.ts', 'node:fs'],
  },
  { in: 'server/contract/x.ts', refused: ['../errors.ts', 'zod', 'node:fs'], allowed: ['type zod', './codes.ts'] },
  {
    in: 'electron/x.ts',
    refused: [
      '../server/gateway.ts',
      '../server/store/x.ts',
      'type ../server/store/y.ts',
      '../server/contract/codes.ts',
      '../renderer/x.ts',
      'better-sqlite3',
    ],
    allowed: ['type ../server/contract/codes.ts', './main.ts', 'electron', 'node:fs'],
  },
  ...['api', 'model', 'components'].map((part) => ({
    in: `renderer/${part}/x.ts`,
    refused: ['../app/x.tsx', '../records/x.ts', 'type ../today/x.ts', '../main.tsx'],
    allowed: ['./y.ts', '../lib/x.ts', '../locales/x.ts', '../../server/contract/codes.ts', 'react'],
  })),
  {
    in: 'renderer/today/x.ts',
    refused: [
      '../records/x.ts',
      '../welcome/x.ts',
      '../app/x.ts',
      '../../server/errors.ts',
      'type ../../server/store/y.ts',
      '../../electron/main.ts',
      '../../electron/desktop-api.ts',
      'electron',
      'node:fs',
    ],
    allowed: [
      '../model/x.ts',
      '../components/x.tsx',
      '../../server/contract/codes.ts',
      'type ../../electron/desktop-api.ts',
      './server.ts',
      'react',
    ],
  },
  {
    in: 'renderer/main.tsx',
    refused: ['./today/x.tsx', './components/x.tsx'],
    allowed: ['./app/router.tsx', './api/client.ts', './theme/global.css'],
  },
  { in: 'test/server/x.ts', refused: [], allowed: ['../../server/store/x.ts', 'better-sqlite3', 'undici'] },
];

const aSwitch = "export function x(y: 'a' | 'b'): void {\n  switch (y) {\n    case 'a':\n      console.log();\n  }\n}";
const aTest = (source: string): string => `import { expect, test, vi } from 'vitest';\n${source}`;
const faults: [rule: string, folder: string, source: string][] = [
  ['typescript(no-floating-promises)', 'server/store', 'Promise.resolve(1);'],
  ['typescript(no-misused-promises)', 'server/store', '[1].forEach(async () => Promise.resolve());'],
  ['typescript(no-explicit-any)', 'server/store', 'export const x = (y: any): unknown => y;'],
  ['typescript(no-unsafe-assignment)', 'server/store', "export const x = JSON.parse('1');"],
  ['typescript(no-non-null-assertion)', 'server/store', 'export const x = (y?: number): number => y!;'],
  ['typescript(ban-ts-comment)', 'server/store', '// @ts-ignore\nexport const x = 1;'],
  ['typescript(switch-exhaustiveness-check)', 'server/store', aSwitch],
  ['import(no-cycle)', 'server/store', "import './cycle-back.ts';\nexport const x = 1;"],
  ['eslint(no-restricted-globals)', 'server/api', "void fetch('');"],
  ['vitest(no-focused-tests)', 'test/server', aTest("test.only('x', () => expect(1).toBe(1));")],
  ['vitest(no-disabled-tests)', 'test/server', aTest("test.skip('x', () => expect(1).toBe(1));")],
  ['vitest(expect-expect)', 'test/server', aTest("test('x', () => {});")],
  ['vitest(no-restricted-vi-methods)', 'test/support', aTest("vi.mock('../x.ts');")],
  ['vitest(no-restricted-vi-methods)', 'test/electron', aTest('void vi.waitUntil(() => true);')],
  ['vitest(no-import-node-test)', 'test/server', "import 'node:test';"],
];
const faultFile = (rule: string, folder: string): string => `${folder}/${rule.replaceAll(/\W+/g, '-')}.ts`;

const report = z.object({
  diagnostics: z.array(z.object({ code: z.string(), message: z.string(), filename: z.string() })),
});
let found: z.infer<typeof report>['diagnostics'];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-lint-'));
  for (const file of ['oxlint.config.ts', 'build/import-table.ts', 'tsconfig.json'])
    cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const plant = (file: string, source: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${source}\n`);
  };
  for (const { in: file, refused, allowed } of borders) {
    const lines = [...refused, ...allowed].map((name) =>
      name.startsWith('type ') ? `import type {} from '${name.slice(5)}';` : `import '${name}';`,
    );
    plant(file, lines.join('\n'));
  }
  for (const [rule, where, source] of faults) plant(faultFile(rule, where), source);
  plant('server/store/cycle-back.ts', "import './import-no-cycle-.ts';\nexport const y = 1;");

  const oxlint = [join(root, 'node_modules/oxlint/bin/oxlint'), '--format', 'json'];
  const { stdout } = spawnSync(process.execPath, oxlint, { cwd: folder, encoding: 'utf8' });
  found = report.parse(JSON.parse(stdout)).diagnostics;
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(borders)('$in imports nothing that its row forbids', ({ in: file, refused }) => {
  const reported = found.filter(({ filename, code }) => filename === file && code === 'eslint(no-restricted-imports)');
  const names = reported.map(({ message }) => /^'(.*)' import is restricted/.exec(message)?.[1]);
  expect(new Set(names)).toEqual(new Set(refused.map((name) => name.replace(/^type /, ''))));
});

test.each(faults)('%s is refused in %s', (rule, where) => {
  const file = faultFile(rule, where);
  expect(found.filter(({ filename }) => filename === file).map(({ code }) => code)).toContain(rule);
});
