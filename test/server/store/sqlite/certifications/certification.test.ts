// Certifications with a damaged report.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import type { CertificationReport } from '../../../../../server/contract/certify.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('a run whose report is damaged is left out of lists', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const { id: keyId, journalId } = await makeKey(store);
  const report: CertificationReport = {
    journalId,
    administration: 'Bar',
    till: 'Till 1',
    keyId,
    interface: 'both',
    version: '1.0.0',
    by: 'Ann',
    state: 'running',
    startedAt: 1,
    endedAt: null,
    steps: [],
  };
  const [damaged, intact] = [await store.certifications.begin(report), await store.certifications.begin(report)];
  await store.close();
  const database = new Database(join(dataDir, 'counterfoil.db'));
  database.pragma('ignore_check_constraints = ON'); // allows an invalid value, as damage on the disk could write it
  database.prepare('UPDATE certifications SET report = ? WHERE id = ?').run('{"till"', damaged);
  database.close();
  const { certifications } = await openTemporaryStore({ dataDir });
  expect(await certifications.list({ journalId, limit: 10 })).toEqual([{ id: intact, ...report }]);
  expect(await certifications.get(damaged)).toBeUndefined();
});
