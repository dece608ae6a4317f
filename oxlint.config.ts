// The rules of the linter. The import rules of server/ and renderer/ come from build/import-table.ts.

import type { OxlintConfig, OxlintOverride } from 'oxlint';

import { mayImport, onlyImportedBy, rendererMayImport } from './build/import-table.ts';

/**
 * Refused import paths, compared as they are written: `regex` is a regular expression, `group` has patterns as in .gitignore.
 */
type Refused = ({ readonly regex: string } | { readonly group: string[] }) & {
  readonly message: string;
  readonly allowTypeImports?: boolean;
};

/**
 * The import rule for these files. If two overrides match a file, only the last one counts. So each override lists all
 * refused imports.
 */
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
    // One rule for each depth of folders, because a room of the store may have the same name as a part.
    ...[1, 2, 3].map((depth) =>
      border(`server/${part}/${'*/'.repeat(depth - 1)}*`, [
        ...refused,
        { regex: String.raw`^(\.\./){${depth}}${names}`, message },
      ]),
    ),
  ];
}

// An exception in a `group` also cancels the patterns that follow it. So a pattern that allows only types must come first.
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
    '!**/server/lib/decimal.ts',
  ],
  message: 'Of server/ only contract/, store-day.ts, lib/calendar.ts and lib/decimal.ts may be imported from here.',
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
  // otherwise the linter reads the types of all packages
  ignorePatterns: ['node_modules', 'dist', 'coverage', 'test-results'],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'import/no-cycle': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-misused-promises': 'error',
    // a spread string gives code points, and code points are what we count
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    'typescript/no-non-null-assertion': 'error',
    // Data from outside stays `unknown` until a schema has parsed it. JSON.parse, for example, must not bring in `any`.
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/only-throw-error': ['error', { allowRethrowing: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    // A `default` counts as exhaustive, because our `default` calls assertNever. The compiler then names a missing case.
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/unbound-method': 'off', // our methods are closures and need no `this`
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'assert*', 'fc.assert'] }],
    'vitest/no-disabled-tests': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-import-node-test': 'error',
    'vitest/valid-expect': ['error', { maxArgs: 2 }], // the second argument is the message
    'vitest/no-restricted-vi-methods': [
      'error',
      { mock: mocks, doMock: mocks, hoisted: mocks, waitFor: waits, waitUntil: waits },
    ],
  },
  overrides: [
    { files: ['server/**'], rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: calls }] } },
    // Forwarding and reconciling call the upstream; the demo's tills call the gateway.
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
        'jsx-a11y/prefer-tag-over-role': 'off', // the tag of a Mantine component is Mantine's choice
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
        'typescript/no-unsafe-assignment': 'off', // expect.any() and similar matchers are of type any
        'vitest/no-conditional-expect': 'off', // in a table test, the row decides which of several expectations applies
      },
    },
  ],
} satisfies OxlintConfig;
