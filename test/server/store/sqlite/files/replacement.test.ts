// A crash at any moment of a replacement leaves either the previous database or the new one, with all its files.

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import {
  isReplacementOpen,
  newPath,
  replaceDatabase,
  settleReplacement,
} from '../../../../../server/store/sqlite/files/replacement.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

const NOW = Date.parse('2026-11-26T10:15:00Z');
const ASIDE = 'counterfoil.db.before-restore-2026-11-26T10-15-00Z';
const OLD = ['', '-wal', '-shm'];

/** A data directory with the three files of a previous database and a complete new file. */
function makeFolder(): { dataDir: string; newFile: string } {
  const dataDir = temporaryFolder();
  for (const end of OLD) writeFileSync(databasePath(dataDir) + end, `old${end}`);
  const newFile = newPath(dataDir, '0123abcd');
  writeFileSync(newFile, 'new');
  return { dataDir, newFile };
}

const contentOf = (dataDir: string): Record<string, string> =>
  Object.fromEntries(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]));

const DONE = {
  'counterfoil.db': 'new',
  [ASIDE]: 'old',
  [`${ASIDE}-wal`]: 'old-wal',
  [`${ASIDE}-shm`]: 'old-shm',
};

test('all files of the previous database keep their content under another name', () => {
  const { dataDir, newFile } = makeFolder();
  expect(replaceDatabase(dataDir, newFile, NOW)).toBe(join(dataDir, ASIDE));
  expect(contentOf(dataDir)).toEqual(DONE);
  expect(settleReplacement(dataDir)).toBeUndefined();
});

test('a second replacement in the same second uses another name', () => {
  const { dataDir, newFile } = makeFolder();
  replaceDatabase(dataDir, newFile, NOW);
  writeFileSync(newFile, 'newer');
  const aside = replaceDatabase(dataDir, newFile, NOW);
  expect(aside).toBe(join(dataDir, ASIDE.replace(/Z$/, '-2Z')));
  expect(contentOf(dataDir)).toMatchObject({ ...DONE, 'counterfoil.db': 'newer' });
});

test('without previous data, nothing is set aside', () => {
  const dataDir = temporaryFolder();
  const newFile = newPath(dataDir, '0123abcd');
  writeFileSync(newFile, 'new');
  expect(replaceDatabase(dataDir, newFile, NOW)).toBeNull();
  expect(contentOf(dataDir)).toEqual({ 'counterfoil.db': 'new' });
});

test.each([0, 1, 2, 3, 4])('after a crash behind rename %i, the next start completes the replacement', (renames) => {
  const { dataDir, newFile } = makeFolder();
  writeFileSync(
    join(dataDir, 'counterfoil.replacement'),
    JSON.stringify({ newName: 'counterfoil.db.new-0123abcd', asideName: ASIDE }),
  );
  for (const end of OLD.slice(0, renames)) renameSync(databasePath(dataDir) + end, join(dataDir, ASIDE + end));
  if (renames === 4) renameSync(newFile, databasePath(dataDir));
  expect(isReplacementOpen(dataDir)).toBe(true);
  expect(settleReplacement(dataDir)).toEqual({ kind: 'completed', asidePath: join(dataDir, ASIDE) });
  expect(contentOf(dataDir)).toEqual(DONE);
  expect(isReplacementOpen(dataDir)).toBe(false);
});

test('after a crash before the plan, the previous data stay, and the incomplete file is deleted', () => {
  const { dataDir, newFile } = makeFolder();
  writeFileSync(`${newFile}-journal`, '');
  writeFileSync(join(dataDir, 'counterfoil.replacement.new'), '{');
  expect(settleReplacement(dataDir)).toEqual({ kind: 'abandoned' });
  expect(existsSync(newFile)).toBe(false);
  expect(contentOf(dataDir)).toMatchObject({ 'counterfoil.db': 'old', 'counterfoil.db-wal': 'old-wal' });
});

test('a file that another program put in the place of the database is kept too', () => {
  const { dataDir } = makeFolder();
  writeFileSync(
    join(dataDir, 'counterfoil.replacement'),
    JSON.stringify({ newName: 'counterfoil.db.new-0123abcd', asideName: ASIDE }),
  );
  renameSync(databasePath(dataDir), join(dataDir, ASIDE));
  writeFileSync(databasePath(dataDir), 'stray');
  settleReplacement(dataDir);
  expect(contentOf(dataDir)).toEqual({ ...DONE, [`${ASIDE}.again`]: 'stray' });
});

test.each([
  ['no JSON', '{'],
  ['a path that leads out of the directory', JSON.stringify({ newName: '../x', asideName: ASIDE })],
  ['another name', JSON.stringify({ newName: 'counterfoil.db.new-0123abcd', asideName: 'settings.json' })],
])('a plan with %s is refused, and nothing moves', (_what, text) => {
  const { dataDir } = makeFolder();
  writeFileSync(join(dataDir, 'counterfoil.replacement'), text);
  const before = contentOf(dataDir);
  expect(() => settleReplacement(dataDir)).toThrow(/cannot be read/);
  expect(contentOf(dataDir)).toEqual(before);
});

test('if the new file has disappeared, the message names the previous data', () => {
  const { dataDir, newFile } = makeFolder();
  writeFileSync(
    join(dataDir, 'counterfoil.replacement'),
    JSON.stringify({ newName: 'counterfoil.db.new-0123abcd', asideName: ASIDE }),
  );
  for (const end of OLD) renameSync(databasePath(dataDir) + end, join(dataDir, ASIDE + end));
  renameSync(newFile, join(dataDir, 'elsewhere'));
  expect(() => settleReplacement(dataDir)).toThrow(join(dataDir, ASIDE));
  expect(isReplacementOpen(dataDir)).toBe(true);
});
