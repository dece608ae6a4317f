// Bundles the console into dist/renderer. Its content policy allows only scripts and styles of the gateway itself. For style
// elements in the page, the gateway replaces the placeholder `__CSP_NONCE__` with a new nonce in each answer. Scripts and styles
// also exist compressed, for other PCs.

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
    assetsInlineLimit: 0, // assets stay files, because the content policy names allowed origins
    manifest: true,
    // The first screen is one file. Dozens of small shared files would take longer to load than they save.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    chunkSizeWarningLimit: 1000, // a test limits the gzipped size of the first screen
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

/** Writes a compressed `x.js.gz` beside each script `x.js`, and the same for styles. */
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
