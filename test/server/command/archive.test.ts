// `counterfoil archive`, and the archive in `status` and `doctor`.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { bindArchive } from '../../../server/command/archive.ts';
import { bindBackup } from '../../../server/command/backup.ts';
import { bindCheck } from '../../../server/command/check.ts';
import { bindDoctor } from '../../../server/command/doctor.ts';
import { bindStatus } from '../../../server/command/status.ts';
import { archiveDay, sellDelivered } from '../../support/archived.ts';
import { runCommand } from '../../support/command-run.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

afterEach(() => void (process.exitCode = undefined));

test('check and backup name an archive file that is missing, and say that the database is sound', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await archiveDay(store, await sellDelivered(store, 3));
  await store.close();
  const [file = ''] = readdirSync(join(dataDir, 'archive'));
  rmSync(join(dataDir, 'archive', file));
  const printed = await runCommand(bindCheck, ['check', '--data', dataDir]);
  expect(printed).toContain(`Archive files that cannot be read, with the content of old records: ${file} (missing).`);
  expect(printed).toContain('The database is sound. It has 3 records, and every count is right.');
  expect(process.exitCode).toBe(1);
  const backup = join(temporaryFolder(), 'counterfoil.db');
  expect(await runCommand(bindBackup, ['backup', backup, '--data', dataDir])).toContain(
    `Of these, 1 cannot be read, and is not there: ${file} (missing).`,
  );
});

test('archive show, status and doctor say what is archived and why nothing can be archived', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const archive = (...args: string[]) => runCommand(bindArchive, ['archive', ...args, '--data', dataDir]);
  expect(await archive('show')).toBe(
    'The archive is off: the gateway started without the setting archiveMonths.\nNothing is archived.',
  );
  await expect(archive('run')).rejects.toThrow('Set it, and restart the gateway.');

  await store.archive.useSettings({ months: 24 });
  await archiveDay(store, await sellDelivered(store, 300));
  await store.archive.noteEnd();
  expect(await archive('show')).toMatch(
    /^The gateway archives signed days that are older than 24 months\.\n300 records of 1 day are archived: [\d.]+ kB of content in 1 file of [\d.]+ kB, in .*archive\.\nThe last run ended at .*Z\.$/,
  );
  expect(process.exitCode).toBeUndefined();
  expect(await archive('run')).toContain('archives now what is due');
  expect(await store.archive.findRequest()).not.toBeNull();

  await store.archive.noteFailure(Object.assign(new Error('The disk of /data lacks 12 MB.'), { code: 'ENOSPC' }));
  const cause =
    /^(TO DO {2}store {8})?Old records have not been archived since .*, because the disk has too little free space\. /m;
  expect(await archive('show')).toMatch(cause);
  expect(await archive('show')).toContain('The disk of /data lacks 12 MB.');
  expect(process.exitCode).toBe(1);
  expect(JSON.parse(await archive('show', '--json'))).toMatchObject({
    months: 24,
    records: 300,
    failure: { fault: 'full', detail: 'The disk of /data lacks 12 MB.', since: expect.stringMatching(/Z$/) },
  });
  expect(await runCommand(bindStatus, ['status', '--data', dataDir])).toMatch(cause);
  expect(JSON.parse(await runCommand(bindStatus, ['status', '--data', dataDir, '--json']))).toMatchObject({
    archive: { failure: { fault: 'full' } },
  });
  expect(await runCommand(bindDoctor, ['doctor', '--data', dataDir])).toMatch(cause);
});
