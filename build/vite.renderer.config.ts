// Bundles the console into dist/renderer. Everything comes from the gateway itself, under a strict content policy: the
// gateway puts a fresh nonce where the placeholder is. What another PC would wait for is there compressed, too.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: join(import.meta.dirname, '../renderer'),
  plugins: [react(), withoutDescriptions(), compressed()],
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: join(import.meta.dirname, '../dist/renderer'),
    target: 'es2023',
    assetsInlineLimit: 0, // nothing but files, so that the policy can name them
    manifest: true,
    // What the first screen takes is one file: dozens of small ones, made for what screens share, take longer than they save.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    chunkSizeWarningLimit: 1000, // a test holds what the first screen may weigh, gzipped
  },
});

/** Leaves the descriptions for translators (`"@name"`) out of a language's file. */
function withoutDescriptions(): Plugin {
  return {
    name: 'without-descriptions',
    enforce: 'pre',
    transform: {
      filter: { id: /[/\\]locales[/\\]\w+\.json$/ },
      handler: (code) =>
        JSON.stringify(JSON.parse(code, (name, value: unknown) => (name.startsWith('@') ? undefined : value))),
    },
  };
}

/** Lays `x.js.gz` beside each `x.js`, and so with the styles. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (!/\.(js|css)$/.test(fileName)) continue;
          const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source });
        }
      },
    },
  };
}
