// Rows of certifications: one row per run, with its report as JSON.

import { type Certification, type CertificationReport, countResults } from '../../../contract/certify.ts';
import type { CertificationQuery } from '../../certifications/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

interface Row {
  readonly id: number;
  readonly report: string;
}

/** Adds a run and returns its id. */
export function beginCertification(db: Connection, report: CertificationReport): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO certifications (journal_id, key_id, ended_at, report) VALUES (?, ?, NULL, ?)')
    .run(report.journalId, report.keyId, JSON.stringify(report));
  return Number(lastInsertRowid);
}

/** Replaces the report of a run that has not ended. */
export function saveCertification(db: Connection, id: number, report: CertificationReport): void {
  db.prepare('UPDATE certifications SET report = ? WHERE id = ? AND ended_at IS NULL').run(JSON.stringify(report), id);
}

/** Ends a run, and logs the act. A second call changes nothing. `now` is in epoch milliseconds. */
export function endCertification(db: Connection, id: number, report: CertificationReport, now: number): void {
  db.transaction(() => {
    const { changes } = db
      .prepare('UPDATE certifications SET report = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL')
      .run(JSON.stringify(report), report.endedAt ?? now, id);
    if (changes === 0) return;
    const { till, administration, by } = report;
    noteAct(
      db,
      { act: { kind: 'certify till', till, ...countResults(report.steps) }, administration, mode: 'test' },
      by,
      now,
    );
  }).immediate();
}

export function getCertification(db: Connection, id: number): Certification | undefined {
  const row = db.prepare<[number], Row>('SELECT id, report FROM certifications WHERE id = ?').get(id);
  return row && viewOf(row);
}

/** Lists runs, newest first. Leaves out a run whose report is damaged on the disk. */
export function listCertifications(
  db: Connection,
  { journalId, isRunning = false, limit }: CertificationQuery,
): Certification[] {
  return db
    .prepare<unknown[], Row>(`
    SELECT id, report FROM certifications
    WHERE (@journalId IS NULL OR journal_id = @journalId) AND (NOT @isRunning OR ended_at IS NULL)
    ORDER BY id DESC LIMIT @limit`)
    .all({ journalId: journalId ?? null, isRunning: Number(isRunning), limit })
    .flatMap((row) => viewOf(row) ?? []);
}

/** Reads the report of a row; undefined if the report is damaged. */
function viewOf({ id, report }: Row): Certification | undefined {
  try {
    return { id, ...(JSON.parse(report) as CertificationReport) };
  } catch {
    return undefined;
  }
}
