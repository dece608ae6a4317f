// The sentences of `counterfoil backup`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { bindBackup } from '../../../server/command/backup.ts';
import { shellArgument } from '../../../server/lib/shell-argument.ts';
import { runCommand } from '../../support/command-run.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

test('backup says whether the settings file is in it, and prints the whole command that restores it', async () => {
  const [dataDir, folder] = [temporaryFolder(), temporaryFolder()];
  await (await openTemporaryStore({ dataDir })).close();
  const make = (name: string) => runCommand(bindBackup, ['backup', join(folder, name), '--data', dataDir]);
  const without = await make('a.db');
  expect(without).toContain('The data directory has no settings file');
  expect(without).toContain(
    `counterfoil restore ${shellArgument(join(folder, 'a.db'))} --data ${shellArgument(dataDir)}`,
  );
  writeFileSync(join(dataDir, 'settings.json'), '{}');
  expect(await make('b.db')).toContain('It also has the settings file');
});
