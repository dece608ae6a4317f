// Bundles the preload script of the app's window into dist/preload: CommonJS, because a sandboxed window loads nothing else.

import { join } from 'node:path';

import { defineConfig } from 'vite';

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  publicDir: false,
  build: {
    outDir: 'dist/preload',
    target: 'node24',
    minify: false,
    lib: { entry: 'electron/preload.ts', formats: ['cjs'], fileName: () => 'preload.cjs' },
    rolldownOptions: { external: ['electron'] },
  },
});
