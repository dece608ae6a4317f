// The progress line of a long command appears only on a terminal.

import { spawn } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { openProgressLine } from '../../../server/command/progress.ts';
import type { DataCheckProgress } from '../../../server/store/health/ledger.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

/** A stand-in for stderr that collects the text. */
function makeStream(isTTY: boolean, columns = 80) {
  return Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns }) as unknown as NodeJS.WriteStream &
    PassThrough;
}

test('a terminal has one line, which each report rewrites and the result clears', () => {
  const stream = makeStream(true);
  const line = openProgressLine({}, stream);
  line.show('Copying', { done: 50_000_000, total: 100_000_000, unit: 'MB' });
  line.show('Verifying the copy');
  line.clear();
  const rewrite = '\u001B[1G\u001B[2K';
  expect(stream.read()).toBe(`${rewrite}Copying: 50 %, 50 of 100 MB${rewrite}Verifying the copy …${rewrite}`);
});

test('a line is cut at the width of the terminal, so that it can be rewritten', () => {
  const stream = makeStream(true, 10);
  openProgressLine({}, stream).show('Verifying the copy');
  expect(stream.read()).toMatch(/Verifying$/);
});

test.each([
  ['a file or a pipe', false, {}],
  ['a program that reads JSON', true, { json: true }],
])('%s gets no progress', (_who, isTTY, options) => {
  const stream = makeStream(isTTY);
  const line = openProgressLine(options, stream);
  line.show('Verifying the copy');
  line.clear();
  expect(stream.read()).toBeNull();
});

test('a check reports its three steps, and each percent of the records', async () => {
  const steps: DataCheckProgress[] = [];
  const store = await openTemporaryStore({ dataDir: await makeShop(200) });
  await store.health.check((progress) => steps.push(progress));
  const records = steps.filter((each) => each.step === 'records');
  expect(records).toHaveLength(100);
  expect(records[49]).toEqual({ step: 'records', done: 100, total: 200 });
  expect([steps[0], steps.at(-1)]).toEqual([{ step: 'structure' }, { step: 'counts' }]);
});

const SCRIPT = '/usr/bin/script';

test.skipIf(!existsSync(SCRIPT))('standard output has only the result, while the terminal shows progress', async () => {
  const dataDir = await makeShop(2);
  const output = join(temporaryFolder(), 'output');
  const main = join(import.meta.dirname, '../../../server/main.ts');
  const command = `'${process.execPath}' '${main}' check --data '${dataDir}' > '${output}'`;
  // script(1) runs the command in its own terminal and prints what that terminal shows.
  const terminal = spawn(SCRIPT, ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const shown = await text(terminal.stdout);
  expect(shown).toContain('Checking records (step 2 of 3): 100 %, 2 of 2 records');
  expect(shown.endsWith('\u001B[2K')).toBe(true);
  expect(await text(createReadStream(output))).toBe('All 2 records are sound, and every count is right.\n');
});

/** Makes the data directory of a shop whose gateway has stopped. */
async function makeShop(sales: number): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  await Promise.all(
    Array.from({ length: sales }, (_, sale) => store.records.append(arrivalOf(key, { externalId: `sale ${sale}` }))),
  );
  await store.close();
  return dataDir;
}
