// What the linter refuses. The borders inside server/ are made from build/import-table.ts.

import type { OxlintConfig, OxlintOverride } from 'oxlint';

import { mayImport, onlyImportedBy, rendererMayImport } from './build/import-table.ts';

/** Matches imports as they are written: `regex` as such, `group` like .gitignore. */
type Refused = ({ readonly regex: string } | { readonly group: string[] }) & {
  readonly message: string;
  readonly allowTypeImports?: boolean;
};

/** The import rule for these files. If two overrides match a file, only the last one counts, so each lists all refused imports. */
const border = (files: string, refused: readonly Refused[]): OxlintOverride => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns: [...refused] }] },
});

function serverBorders(part: string, allowed: readonly string[]): OxlintOverride[] {
  const message = `server/${part} may not import this: see build/import-table.ts.`;
  const above = Object.keys(mayImport).filter((other) => other !== part && !allowed.includes(other));
  const packages = Object.keys(onlyImportedBy).filter((name) => !onlyImportedBy[name]?.includes(part));
  const refused: Refused[] = [
    { regex: `^(${packages.join('|')})(/|$)`, message },
    { regex: '^(electron|react|react-dom)(/|$)', message: 'server/ runs on Node alone.' },
    { regex: String.raw`^(\.\./)+(electron|renderer|build|test)/`, message: 'server/ stands alone.' },
  ];
  if (part === 'contract')
    refused.push({ regex: String.raw`^([^.]|\.\.)`, message: 'contract/ imports only types.', allowTypeImports: true });
  const names = `(${above.join('|')})(/|\\.ts$)`;
  return [
    border(`server/${part}.ts`, [...refused, { regex: String.raw`^\./${names}`, message }]),
    // One rule for each depth, because a room of the store may have the name of a part.
    ...[1, 2, 3].map((depth) =>
      border(`server/${part}/${'*/'.repeat(depth - 1)}*`, [
        ...refused,
        { regex: String.raw`^(\.\./){${depth}}${names}`, message },
      ]),
    ),
  ];
}

// A group's exception also lifts the patterns after it, so what is refused but for its types comes first.
const onlyTypes = (file: string): Refused => ({
  regex: `/${file}`,
  message: `Only types may be imported from ${file}.`,
  allowTypeImports: true,
});
const onlyTheContract: Refused = {
  group: [
    '**/server/**',
    '!**/server/contract',
    '!**/server/contract/**',
    '!**/server/store-day.ts',
    '!**/server/lib',
    '!**/server/lib/calendar.ts',
  ],
  message: 'Of server/ only contract/, store-day.ts and lib/calendar.ts may be imported from here.',
};

function rendererBorders(part: string, allowed: readonly string[]): OxlintOverride[] {
  const message = `renderer/${part} may not import this: see rendererMayImport in build/import-table.ts.`;
  const others = Object.keys(rendererMayImport).filter((other) => other !== part && !allowed.includes(other));
  const names = `(${others.join('|')})(/|\\.tsx?$)`;
  const refused: Refused[] = [
    onlyTypes('electron/desktop-api.ts'),
    { group: ['**/electron/**', '!**/electron/desktop-api.ts'], message: 'The console runs in any browser.' },
    onlyTheContract,
    { regex: '^(node:|electron$|better-sqlite3$|undici$)', message: 'The console runs in any browser.' },
  ];
  return part === 'main'
    ? [border('renderer/main.tsx', [...refused, { regex: String.raw`^\./` + names, message }])]
    : [border(`renderer/${part}/**`, [...refused, { regex: String.raw`^(\.\./)+` + names, message }])];
}

const calls = 'Only server/forward and server/reconcile call upstream.';
const mocks = 'Pass in what must be faked; modules are not mocked.';
const waits = 'It gives up after a second: use expect.poll, or waitUntil of test/support/wait-until.ts.';

export default {
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['node_modules', 'dist', 'coverage', 'test-results'], // without it, types are sought in all of node_modules
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'import/no-cycle': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-misused-spread': ['error', { allow: ['string'] }], // code points are what we count
    'typescript/no-non-null-assertion': 'error',
    // What comes from outside stays `unknown` until a schema parsed it: `any` must not leak in by JSON.parse and the like.
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/only-throw-error': ['error', { allowRethrowing: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    // A default counts: it ends in assertNever, and then the compiler names the case that is missing.
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/unbound-method': 'off', // operations are closures here, made to be taken apart
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'assert*', 'fc.assert'] }],
    'vitest/no-disabled-tests': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-import-node-test': 'error',
    'vitest/valid-expect': ['error', { maxArgs: 2 }], // the second is the message
    'vitest/no-restricted-vi-methods': [
      'error',
      { mock: mocks, doMock: mocks, hoisted: mocks, waitFor: waits, waitUntil: waits },
    ],
  },
  overrides: [
    { files: ['server/**'], rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: calls }] } },
    // The demo's tills call the gateway, as tills do.
    { files: ['server/{forward,reconcile,demo}/**'], rules: { 'no-restricted-globals': 'off' } },
    ...Object.entries(mayImport).flatMap(([part, allowed]) => serverBorders(part, allowed)),
    border('electron/**', [
      onlyTypes('server/contract/'),
      onlyTheContract,
      {
        regex: '/renderer/|^(react|react-dom|better-sqlite3)(/|$)',
        message: 'electron/ supervises; it holds no data and no screens.',
      },
    ]),
    ...Object.entries(rendererMayImport).flatMap(([part, allowed]) => rendererBorders(part, allowed)),
    {
      files: ['renderer/**'],
      plugins: ['react', 'jsx-a11y'],
      rules: {
        'jsx-a11y/prefer-tag-over-role': 'off', // a Mantine component has its own tag
        'react/exhaustive-deps': 'error',
        'react/incompatible-library': 'off', // about the React Compiler, which this build does not use
        'react/react-in-jsx-scope': 'off',
        'react/rules-of-hooks': 'error',
      },
    },
    {
      files: ['test/**'],
      rules: {
        'typescript/no-non-null-assertion': 'off',
        'typescript/no-unsafe-assignment': 'off', // expect.any() and its like are of type any
        'vitest/no-conditional-expect': 'off', // a table says what a row expects
      },
    },
  ],
} satisfies OxlintConfig;
