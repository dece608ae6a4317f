// Routes of a guided restore: list the backups, check one, and replace the data with it.

import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { RestoreBegunView, RestoreCheckRequest, RestoreRequest } from '../contract/restores.ts';
import { ConsoleError } from '../errors.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody } from './request.ts';
import type { Routes } from './rights.ts';

const checkBody = z.strictObject({
  // the name of a file, never a path
  name: z.string().regex(/^[^/\\]{1,200}\.db$/),
}) satisfies z.ZodType<RestoreCheckRequest>;
const restoreBody = z.strictObject({ isOnlyGateway: z.boolean() }) satisfies z.ZodType<RestoreRequest>;

export function bindRestores(routes: Routes, { restores }: ConsoleParts): void {
  routes.forManagers.get('/api/restore', (req, res) => {
    assertNoQuery(req);
    res.json(restores.view());
  });

  routes.forManagers.get('/api/restore/backups', async (req, res) => {
    assertNoQuery(req);
    res.json(await restores.list());
  });

  routes.forManagers.post('/api/restore/check', async (req, res) => {
    assertNoQuery(req);
    const { name } = readBody(req, checkBody);
    const { folder, backups } = await restores.list();
    if (folder === null) throw nothingHere('The setting backupFolder is not set.');
    if (!backups.some((each) => each.name === name)) throw nothingHere('The folder of backups has no such file.');
    if (!restores.check(name)) throw busy();
    res.status(202).json(restores.view());
  });

  routes.forManagers.delete('/api/restore', async (req, res) => {
    assertNoQuery(req);
    if (!(await restores.cancel())) throw busy();
    res.json(restores.view());
  });

  routes.forManagers.post('/api/restore', (req, res) => {
    assertNoQuery(req);
    const { isOnlyGateway } = readBody(req, restoreBody);
    if (restores.view().state.kind !== 'checked') throw nothingHere('No checked backup waits for a restore.');
    const { actor } = sessionOf(res);
    const link = randomBytes(32).toString('base64url');
    // the restart would cut off the answer
    res.once('close', () => restores.restore({ actor, isConfirmed: isOnlyGateway }, link));
    res.status(202).json({ link } satisfies RestoreBegunView);
  });
}

function busy(): ConsoleError {
  return new ConsoleError('restore_running', { detail: 'A check or a restore is running. Wait until it has ended.' });
}
