// Routes of a guided restore: list the backups, check one, and replace the data with it.

import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { RestoreBegunView, RestoreCheckRequest, RestoreRequest } from '../contract/restores.ts';
import { ConsoleError, GatewayError } from '../errors.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody, readQuery, UPLOAD_PATH } from './request.ts';
import type { Routes } from './rights.ts';

const number = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const checkBody = z.strictObject({
  // the name of a file, never a path
  name: z.string().regex(/^[^/\\]{1,200}$/),
  isUploaded: z.boolean(),
}) satisfies z.ZodType<RestoreCheckRequest>;
const uploadQuery = z.strictObject({ offset: number, total: number });
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
    const { name, isUploaded } = readBody(req, checkBody);
    if (!isUploaded) {
      const { folder, backups } = await restores.list();
      if (folder === null) throw nothingHere('The setting backupFolder is not set.');
      if (!backups.some((each) => each.name === name)) throw nothingHere('The folder of backups has no such file.');
    }
    if (!restores.check(name, isUploaded)) throw busy();
    res.status(202).json(restores.view());
  });

  routes.forManagers.post(UPLOAD_PATH, async (req, res) => {
    const { offset, total } = readQuery(req, uploadQuery);
    const part: unknown = req.body;
    if (!(part instanceof Uint8Array) || part.length === 0)
      throw new GatewayError('field_invalid', { detail: 'Send a part of the backup as application/octet-stream.' });
    const taken = await restores.receive(offset, part, total);
    if (taken === false) throw busy();
    if (taken !== true) throw new GatewayError('store_full', { detail: taken.detail });
    res.status(204).end();
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
