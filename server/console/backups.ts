// Routes of backups: the state of the daily backup, a backup now, and the confirmation of a restore.

import type { BackupsView } from '../contract/backups.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere } from './request.ts';
import type { Routes } from './rights.ts';

export function bindBackups(routes: Routes, { store, backups }: ConsoleParts): void {
  async function view(): Promise<BackupsView> {
    const { folder = null, isOnDataDisk = false, progress = null, failure = null } = backups.state() ?? {};
    return { lastAt: await store.health.lastBackupAt(), folder, isOnDataDisk, progress, failure };
  }

  routes.forClerks.get('/api/backups', async (req, res) => {
    assertNoQuery(req);
    res.json(await view());
  });

  routes.forManagers.post('/api/backups', async (req, res) => {
    assertNoQuery(req);
    if (backups.state() === undefined) throw nothingHere('The setting backupFolder is not set.');
    void backups.backUpNow();
    res.status(202).json(await view());
  });

  routes.forManagers.post('/api/restore/confirm', async (req, res) => {
    assertNoQuery(req);
    if (!(await store.outbox.confirmRestore(sessionOf(res).actor)))
      throw nothingHere('No restore waits for a confirmation.');
    res.json({});
  });
}
