// Bundles the desktop app's main process into dist/electron. The bundle contains everything except Electron.

import { join } from 'node:path';

import { defineConfig } from 'vite';

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  publicDir: 'electron/public',
  ssr: { noExternal: true, external: ['electron'] },
  build: {
    ssr: true,
    outDir: 'dist/electron',
    target: 'node24',
    sourcemap: true,
    copyPublicDir: true,
    rolldownOptions: { input: 'electron/main.ts', output: { entryFileNames: '[name].mjs' } },
  },
});
