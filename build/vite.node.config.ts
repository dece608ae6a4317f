// Bundles the gateway into dist/node: one file per thread, side by side, because a thread is started by its file name.
// better-sqlite3 stays outside: it loads a native file from its own folder. Everything else is inside, which starts
// twice as fast and leaves little to install beside the desktop app.

import http from 'node:http';
import { join } from 'node:path';

import { defineConfig, type Plugin } from 'vite';

/** The modules of the store that run as threads. */
export const THREADS = [
  'writer',
  'reader',
  'command',
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

/**
 * Writes each character outside ASCII as an escape. V8 keeps the source of each file in memory, in each thread that loads it. It
 * needs two bytes per character if one character is outside Latin-1.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      if (/String\.raw`[^`]*[^`\0-\x7f]/.test(file.code))
        throw new Error(`an escape would change String.raw in ${file.fileName}`);
      file.code = file.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};

/**
 * Imports Node's module http without its members for WebSockets. An import statement would read all members, and each of these
 * loads Node's own copy of undici, which takes 3 MB of memory.
 */
const partOfHttp: Plugin = {
  name: 'part-of-http',
  enforce: 'pre',
  resolveId: (source, _importer, { kind }) =>
    source === 'node:http' && kind === 'import-statement' ? PART_OF_HTTP : undefined,
  load(id) {
    if (id !== PART_OF_HTTP) return undefined;
    const members = Object.keys(http).filter((name) => !['CloseEvent', 'MessageEvent', 'WebSocket'].includes(name));
    return `const http = process.getBuiltinModule('node:http');
      export default http;
      export const { ${members.join(', ')} } = http;`;
  },
};
const PART_OF_HTTP = '\0part-of-http';

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export default defineConfig({
  root,
  publicDir: false,
  plugins: [asciiOnly, partOfHttp],
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
