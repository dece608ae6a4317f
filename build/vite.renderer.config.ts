// Bundles the console into dist/renderer. Its content policy allows only scripts and styles of the gateway itself. For style
// elements in the page, the gateway replaces the placeholder `__CSP_NONCE__` with a new nonce in each answer. Each script and
// style also gets a compressed copy, for browsers on other PCs.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

import { LATER_NAMESPACES } from '../renderer/locales/later.ts';

export default defineConfig({
  root: join(import.meta.dirname, '../renderer'),
  plugins: [react(), dividedTexts(), compressed()],
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: join(import.meta.dirname, '../dist/renderer'),
    target: 'es2023',
    // assets stay separate files, because the content policy allows no fonts or scripts from `data:` addresses
    assetsInlineLimit: 0,
    manifest: true,
    // The first screen is one file. Dozens of small shared files would take longer to load than they save.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    chunkSizeWarningLimit: 1000, // a test limits the gzipped size of the first screen
  },
});

/**
 * Divides a language's file: `en.json?first` has the texts that the first screen needs, and `en.json?later` has all other
 * texts. Both leave out the descriptions for translators (`"@name"`).
 */
function dividedTexts(): Plugin {
  return {
    name: 'divided-texts',
    enforce: 'pre',
    transform: {
      filter: { id: /[/\\]locales[/\\]\w+\.json\?(?:first|later)$/ },
      handler(code, id) {
        const isLater = id.endsWith('?later');
        const words = JSON.parse(code, (name, value: unknown) => (name.startsWith('@') ? undefined : value)) as Record<
          string,
          unknown
        >;
        const part = Object.entries(words).filter(([namespace]) => LATER_NAMESPACES.includes(namespace) === isLater);
        return { code: `export default ${JSON.stringify(Object.fromEntries(part))}`, moduleType: 'js' };
      },
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
