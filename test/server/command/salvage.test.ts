// `counterfoil salvage` says what it copied, what is missing, and what to do next.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { bindSalvage } from '../../../server/command/salvage.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { databasePath } from '../../../server/store/data-directory.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { runCommand } from '../../support/command-run.ts';
import { flipRecord } from '../../support/damage.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../support/temp-store.ts';

const run = (...args: string[]): Promise<string> => runCommand(bindSalvage, ['salvage', ...args]);

async function makeDamaged() {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  for (const externalId of ['a', 'b', 'c']) await store.records.append(arrivalOf(key, { externalId }));
  await store.close();
  flipRecord(dataDir, 2);
  return { dataDir, toDir: join(temporaryFolder(), 'new') };
}

test('it names the missing record, and the command that puts the copy in place', async () => {
  const { dataDir, toDir } = await makeDamaged();
  const said = await run('--data', dataDir, '--to', toDir);
  expect(said).toContain(`2 records of ${databasePath(dataDir)} can be read, and are in ${toDir} now.`);
  expect(said).toContain('1 record cannot be read:\n  record 2, which arrived after 2025-10-09 08:53:20Z and before');
  expect(said).toContain('record 2: id b, sale, sold at 2025-10-09 08:53:20Z, Bakery (production)');
  expect(said).toContain('The bytes of 1 of these records have changed: 2.');
  expect(said).toContain(
    'No write-ahead log was found. If the gateway did not stop normally, the newest sales were in it.',
  );
  expect(said).toContain(`restore "${databasePath(toDir)}" --data "${dataDir}"`);
});

test('--json lists the same for programs', async () => {
  const { dataDir, toDir } = await makeDamaged();
  expect(JSON.parse(await run(databasePath(dataDir), '--to', toDir, '--json'))).toMatchObject({
    file: databasePath(dataDir),
    to: toDir,
    records: 2,
    missing: 1,
    gaps: [{ from: 2, to: 2, after_arrival: '2025-10-09T08:53:20.000Z' }],
    known: [{ id: 2, external_id: 'b', sold_at: '2025-10-09T08:53:20.000Z', mode: 'production' }],
    changed: [2],
    may_lack_newest: false,
    log: 'none',
  });
});

test('a file together with --data is wrong usage, and a missing database is named', async () => {
  const { dataDir, toDir } = await makeDamaged();
  await expect(run(databasePath(dataDir), '--data', dataDir, '--to', toDir)).rejects.toThrow(UsageError);
  await expect(run('--data', temporaryFolder(), '--to', toDir)).rejects.toThrow(OperatorError);
  expect(existsSync(toDir)).toBe(false);
});
