// Reads the fuses from the packaged program, because the packager's settings only request them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { isStandIn, program, ROOT } from './packaged.ts';

/** The library by which the packager sets fuses. */
interface Fuses {
  readonly getCurrentFuseWire: (program: string) => Promise<Readonly<Record<number, number>>>;
  /** The number of each fuse, by name. */
  readonly FuseV1Options: Readonly<Record<string, number>>;
}
/** The characters for "off" and "on" in the program. Any other character means that Electron has removed the fuse. */
const STATES: Readonly<Record<number, boolean>> = { 48: false, 49: true };
const load = createRequire(join(ROOT, 'node_modules/app-builder-lib/package.json'));
const { getCurrentFuseWire, FuseV1Options } = load('@electron/fuses') as Fuses;

const { electronFuses } = JSON.parse(readFileSync(join(ROOT, 'build/electron-builder.json'), 'utf8')) as {
  readonly electronFuses: Readonly<Record<string, boolean>>;
};

if (isStandIn) console.warn('Not run: fuses are read from what is packaged with Electron itself (npm run package).');

test.skipIf(isStandIn)('each fuse of the program has its configured value', async () => {
  const { resetAdHocDarwinSignature: _, ...wanted } = electronFuses; // this member is a later step of the packager, not a fuse
  const wire = await getCurrentFuseWire(program);
  const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  const read = Object.keys(wanted).map((name) => [name, STATES[wire[FuseV1Options[capital(name)] ?? -1] ?? -1]]);
  expect(Object.fromEntries(read)).toEqual(wanted);
});
