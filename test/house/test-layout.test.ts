// A test has the same path as its source, or it is a scenario in the index of test/scenarios/README.md.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const listTests = (folder: string): string[] =>
  globSync('**/*.test.{ts,tsx}', { cwd: join(ROOT, folder) }).map((file) => file.split(sep).join('/'));

/**
 * The paths of the source that a test may belong to. `forward/line.test.ts` and `forward/line.long.test.ts` belong to
 * `forward/line`. A contract suite belongs to the ledger of its room: `store/contract/setup.test.ts` and
 * `store/contract/setup-keys.test.ts` belong to `store/setup/ledger`.
 */
function listSources(file: string): string[] {
  const [, room] = /^store\/contract\/([a-z]+)(?:-[a-z-]+)?\.test\.ts$/.exec(file) ?? [];
  if (room !== undefined) return [`store/${room}/ledger.ts`];
  const [, source = ''] = /^(.+?)(?:\.long|\.property)*\.test\.tsx?$/.exec(file) ?? [];
  return [`${source}.ts`, `${source}.tsx`];
}

test.each(['server', 'renderer'])('every test in test/%s mirrors a source file', (folder) => {
  const tests = listTests(`test/${folder}`);
  expect(tests.length).toBeGreaterThan(20);
  const alone = tests.filter((file) => !listSources(file).some((source) => existsSync(join(ROOT, folder, source))));
  expect(alone, 'move it to the path of its source, or to test/scenarios/ with a line in its README.md').toEqual([]);
});

test('the index of test/scenarios lists exactly its files, in order', () => {
  const index = readFileSync(join(ROOT, 'test/scenarios/README.md'), 'utf8');
  const listed = [...index.matchAll(/^\| `(\S+)` \| [^|]+\. \|$/gm)].map(([, file]) => file);
  expect(listed).toEqual(listTests('test/scenarios').sort());
});

describe('the source of', () => {
  test.each([
    ['forward/line.test.ts', 'forward/line.ts'],
    ['store/sqlite/integrity/wal.long.test.ts', 'store/sqlite/integrity/wal.ts'],
    ['today/today-screen.test.tsx', 'today/today-screen.tsx'],
    ['store/contract/setup.test.ts', 'store/setup/ledger.ts'],
    ['store/contract/records-detail.test.ts', 'store/records/ledger.ts'],
  ])('%s may be %s', (file, source) => {
    expect(listSources(file)).toContain(source);
  });
});
