// Bundles what runs in the app's window before its page into dist/preload: CommonJS, because a window in a sandbox loads
// nothing else.

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
