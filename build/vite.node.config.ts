// Bundles the gateway into dist/node: one file per thread, side by side, because a thread is started by its file name.
// better-sqlite3 stays outside: it loads a native file from its own folder. Everything else is inside, which starts
// twice as fast and leaves little to install beside the desktop app.

import { join } from 'node:path';

import { defineConfig } from 'vite';

/** The modules of the store that run as threads. */
export const THREADS = [
  'writer',
  'reader',
  'comparer',
  'examiner',
  'copier',
  'keeper',
  'archiver',
  'restorer',
  'updater',
];

const root = join(import.meta.dirname, '..');

/**
 * The day of the build, in UTC. If SOURCE_DATE_EPOCH is set (epoch seconds), it is used instead of the clock, so that a later
 * build gives the same bundle (reproducible-builds.org).
 */
function builtOn(): string {
  const seconds = process.env['SOURCE_DATE_EPOCH'];
  return new Date(seconds === undefined ? Date.now() : Number(seconds) * 1000).toISOString().slice(0, 10);
}

export default defineConfig({
  root,
  publicDir: false,
  define: {
    'process.env.NODE_ENV': '"production"', // otherwise Express would show stack traces to callers
    BUILT_ON: JSON.stringify(builtOn()),
  },
  ssr: { noExternal: true, external: ['better-sqlite3'] },
  build: {
    ssr: true,
    outDir: 'dist/node',
    target: 'node24',
    sourcemap: true,
    rolldownOptions: {
      input: ['server/main.ts', ...THREADS.map((thread) => `server/store/sqlite/engine/${thread}.ts`)],
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
    },
  },
});
