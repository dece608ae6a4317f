// Compares the imports in the sources with build/import-table.ts. The linter checks only import statements. These tests follow
// every relative path that a file names, also in import() types, new URL() and require.

import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

import { describe, expect, test } from 'vitest';

import { mayImport, onlyImportedBy, rendererMayImport, roomMayImport, sqliteDoors } from '../../build/import-table.ts';

type Source = readonly [file: string, text: string];

const root = join(import.meta.dirname, '../..');
const server: Source[] = globSync('server/**/*.ts', { cwd: root }).map((file) => {
  return [file.split(sep).join('/'), readFileSync(join(root, file), 'utf8')];
});

/** The part of server/ that a file belongs to; undefined for a file elsewhere. */
const partOf = (file: string): string | undefined => /^server\/([^/.]+)/.exec(file)?.[1];

/** This file contains the product's version. Only server/version.ts may read it. */
const VERSIONED = 'package.json';

/** The forbidden imports of a file in server/, as paths from the root or package names. */
function listTrespasses([file, text]: Source): string[] {
  const part = partOf(file) ?? '';
  const named = [...text.matchAll(/(['"`])([^'"`\s$]+)\1/g)].map((match) => match[2] ?? '');
  const files = named.filter((name) => /^\.\.?\//.test(name)).map((name) => posix.join(posix.dirname(file), name));
  const packages = Object.keys(onlyImportedBy).filter(
    (name) => named.includes(name) && !onlyImportedBy[name]?.includes(part),
  );
  const allowed = new Set([part, ...(mayImport[part] ?? [])]);
  const isAllowed = (path: string): boolean =>
    allowed.has(partOf(path) ?? '') || (part === 'version' && path === VERSIONED);
  return [...files.filter((path) => !isAllowed(path)), ...packages];
}

/** The room (subfolder) of the store that a file belongs to, or `sqlite`. */
const roomOf = (file: string): string | undefined => /^server\/store\/([^/.]+)\//.exec(file)?.[1];

/** The forbidden imports between rooms of the store. */
function listRoomTrespasses([file, text]: Source): string[] {
  const room = roomOf(file);
  if (room === 'sqlite' || sqliteDoors.includes(file)) return [];
  const named = [...text.matchAll(/(['"`])(\.{1,2}\/[^'"`\s$]+)\1/g)].map((match) =>
    posix.join(posix.dirname(file), match[2] ?? ''),
  );
  return named.filter((path) => {
    const other = roomOf(path);
    if (other === undefined || other === room) return false;
    return other === 'sqlite' || (room !== undefined && !roomMayImport[room]?.includes(other));
  });
}

const renderer: Source[] = globSync('renderer/**/*.{ts,tsx}', { cwd: root }).map((file) => {
  return [file.split(sep).join('/'), readFileSync(join(root, file), 'utf8')];
});

/** The part of renderer/ that a file belongs to: a folder, or a file directly in it without its extension. */
const rendererPartOf = (file: string): string | undefined => /^renderer\/([^/.]+)/.exec(file)?.[1];

/** The forbidden imports between parts of renderer/: files that this file names although the table does not allow them. */
function listRendererTrespasses([file, text]: Source): string[] {
  const part = rendererPartOf(file) ?? '';
  const named = [...text.matchAll(/(['"`])(\.{1,2}\/[^'"`\s$]+)\1/g)].map((match) =>
    posix.join(posix.dirname(file), match[2] ?? ''),
  );
  return named.filter((path) => {
    const other = rendererPartOf(path);
    return other !== undefined && other !== part && !rendererMayImport[part]?.includes(other);
  });
}

const SQL = [
  /\bSELECT\s[\s\S]{1,400}?\sFROM\s/,
  /\bINSERT\s+(OR\s+\w+\s+)?INTO\s/,
  /\bUPDATE\s+\w+\s+SET\s/,
  /\bDELETE\s+FROM\s/,
  /\b(CREATE|ALTER|DROP)\s+(\w+\s+)?(TABLE|INDEX|TRIGGER|VIEW)\s/,
  /\b(PRAGMA|VACUUM|ATTACH|SAVEPOINT)\s+['\w]/,
  /['"`]\s*(BEGIN|COMMIT|ROLLBACK)\b/,
];
const hasSql = (text: string): boolean => SQL.some((statement) => statement.test(text));

test('every part of server/ has a row in the import table', () => {
  expect(server.map(([file]) => partOf(file)).filter((part) => !Object.hasOwn(mayImport, part ?? ''))).toEqual([]);
});

test.each([
  ['server/', mayImport],
  ['renderer/', rendererMayImport],
])('a row of the table of %s names only rows above it, so there is no import cycle', (_, table) => {
  const rows = Object.keys(table);
  for (const [at, row] of rows.entries())
    expect(rows.slice(0, at), row).toEqual(expect.arrayContaining([...(table[row] ?? [])]));
});

test('each part of server/ imports only what its row allows', () => {
  expect(server.flatMap((source) => listTrespasses(source).map((name) => `${source[0]} names ${name}`))).toEqual([]);
});

test('no file of the store names a view of the contract: server/console assembles them', () => {
  const named = server
    .filter(([file]) => file.startsWith('server/store/'))
    .flatMap(([file, text]) =>
      [...text.matchAll(/import (?:type )?\{([^}]*)\} from '[^']*\/contract\/[^']*'/g)]
        .flatMap(([, names = '']) => names.match(/\w+View\b/g) ?? [])
        .map((name) => `${file} names ${name}`),
    );
  expect(named).toEqual([]);
});

test('each room of the store imports only what its row allows, and only the doors import from sqlite', () => {
  const rooms = new Set(server.map(([file]) => roomOf(file)).filter((room) => room !== undefined && room !== 'sqlite'));
  expect(rooms).toEqual(new Set(Object.keys(roomMayImport)));
  expect(server.flatMap((source) => listRoomTrespasses(source).map((name) => `${source[0]} names ${name}`))).toEqual(
    [],
  );
  expect(sqliteDoors.filter((door) => !server.some(([file]) => file === door))).toEqual([]);
});

test('every part of renderer/ has a row in its import table, and every row has a part', () => {
  const parts = new Set(renderer.map(([file]) => rendererPartOf(file)));
  expect(parts).toEqual(new Set(Object.keys(rendererMayImport)));
});

test('each part of renderer/ imports only what its row allows', () => {
  expect(
    renderer.flatMap((source) => listRendererTrespasses(source).map((name) => `${source[0]} names ${name}`)),
  ).toEqual([]);
});

test('SQL is only under server/store/sqlite/', () => {
  const withSql = server.filter(([, text]) => hasSql(text)).map(([file]) => file);
  expect(withSql.filter((file) => file.startsWith('server/store/sqlite/')).length).toBeGreaterThan(30);
  expect(withSql.filter((file) => !file.startsWith('server/store/sqlite/'))).toEqual([]);
});

describe('a planted fault is found:', () => {
  test.each<[file: string, text: string, trespass: string]>([
    ['renderer/today/x.tsx', "import { y } from '../records/y.ts';", 'renderer/records/y.ts'],
    ['renderer/components/x.tsx', "const Y = lazyPart(async () => import('../app/y.tsx'));", 'renderer/app/y.tsx'],
    ['renderer/api/x.ts', "import type { Y } from '../model/y.ts';", 'renderer/model/y.ts'],
    ['renderer/lib/x.ts', "import '../theme/y.css';", 'renderer/theme/y.css'],
    ['renderer/unknown/x.ts', "import '../lib/y.ts';", 'renderer/lib/y.ts'],
  ])('in %s, %s is a forbidden import', (file, text, trespass) => {
    expect(listRendererTrespasses([file, text])).toEqual([trespass]);
  });

  test.each<[file: string, text: string, trespass: string]>([
    ['server/api/x.ts', "import '../store/sqlite/records/y.ts';", 'server/store/sqlite/records/y.ts'],
    ['server/store/records/x.ts', "import '../days/y.ts';", 'server/store/days/y.ts'],
    ['server/store/store.ts', "import './sqlite/y.ts';", 'server/store/sqlite/y.ts'],
  ])('%s with %s', (file, text, trespass) => {
    expect(listRoomTrespasses([file, text])).toEqual([trespass]);
  });

  test.each<[file: string, text: string, trespass: string]>([
    ['server/store/x.ts', "import { y } from '../api/y.ts';", 'server/api/y.ts'],
    ['server/store/x.ts', "type Y = import('../gateway.ts').Gateway;", 'server/gateway.ts'],
    ['server/store/sqlite/x.ts', "const url = new URL('../../api/y.ts', import.meta.url);", 'server/api/y.ts'],
    ['server/api/x.ts', "require('better-sqlite3');", 'better-sqlite3'],
    ['server/gateway.ts', "import('../renderer/main.ts');", 'renderer/main.ts'],
    ['server/gateway.ts', "import packageJson from '../package.json' with { type: 'json' };", 'package.json'],
    ['server/unknown.ts', "import './errors.ts';", 'server/errors.ts'],
  ])('in %s, %s is a forbidden import', (file, text, trespass) => {
    expect(listTrespasses([file, text])).toEqual([trespass]);
  });

  test.each([
    'SELECT id\n  FROM record',
    'INSERT OR IGNORE INTO x',
    'UPDATE x SET y',
    'DELETE FROM x',
    'CREATE UNIQUE INDEX x',
    'PRAGMA user_version',
    '`BEGIN IMMEDIATE`',
  ])('%s is SQL', (text) => {
    expect(hasSql(`${text} `)).toBe(true);
  });
});
