// Every command of the command line loads the modules that server/main.ts imports. The largest packages are not among them, so
// that commands start fast.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../../server/main.ts');
const STATIC_IMPORT = /^(?:import|export)(?! type\b)[^;]*?from '([^']+)';/gm;

/** Lists the packages that a source file imports, directly or through other source files. */
function listPackages(entry: string): Set<string> {
  const packages = new Set<string>();
  const sources = new Set([entry]);
  for (const source of sources)
    for (const [, name = ''] of readFileSync(source, 'utf8').matchAll(STATIC_IMPORT))
      if (name.startsWith('.')) sources.add(join(dirname(source), name)); // the loop also visits the files that it adds
      else packages.add(name);
  return packages;
}

test('a command that is not serve loads neither the web server nor the parts that send', () => {
  const packages = listPackages(MAIN);
  expect(packages).toContain('commander');
  for (const name of ['express', 'nodemailer', 'pino', 'prom-client', 'undici']) expect(packages).not.toContain(name);
});
