// The tills of a journal with their keys, sales and unusual forms.

import type { Till } from '../../../contract/setup.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { coverRange } from '../records/count.ts';
import { listKeyForms, sumForms } from '../records/unusual-form.ts';
import { keyAt, listKeys } from '../setup/key.ts';

/** Sums the NEW records of both interfaces by till. Exported for the test of its query plan. */
export const TILL_SUM_SQL = `
  SELECT till_id AS tillId, sum(records) AS records FROM counts
  WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = @width
    AND starts_at >= @from AND starts_at < @to GROUP BY till_id`;

/**
 * Lists a journal's tills by label, with all their present and past keys. Also counts the NEW records in each range of `week`.
 * Each range is in epoch seconds, includes its start and not its end, and both are on quarter hours.
 */
export function openTillReader(db: Connection): (journalId: number, week: readonly Range[], now: number) => Till[] {
  const selectTills = db.prepare<[number], { id: number; label: string }>(
    'SELECT id, label FROM tills WHERE journal_id = ? ORDER BY label',
  );
  const selectSums = db.prepare<unknown[], { tillId: number; records: number }>(TILL_SUM_SQL);

  function sumByTill(journalId: number, range: Range): Map<number, number> {
    const sums = new Map<number, number>();
    for (const part of coverRange(range).buckets)
      for (const { tillId, records } of selectSums.iterate({ journalId, ...part }))
        sums.set(tillId, (sums.get(tillId) ?? 0) + records);
    return sums;
  }

  return (journalId, week, now) => {
    const days = week.map((day) => sumByTill(journalId, day));
    const keys = listKeys(db)
      .map(({ key }) => keyAt(key, now))
      .filter((key) => key.journalId === journalId);
    const forms = listKeyForms(db);
    return selectTills.all(journalId).map(({ id, label }) => {
      const own = keys.filter(({ tillId }) => tillId === id);
      const keyIds = own.map((key) => key.id);
      const week = days.map((sums) => sums.get(id) ?? 0);
      return { id, label, keys: own.map(tillKeyOf), week, unusualForms: sumForms(forms, keyIds, now) };
    });
  };
}

type TillKey = Till['keys'][number];

/** Returns only the fields of `TillKey`. */
function tillKeyOf({ id, interface: by, isAdopted, createdAt, lastUsedAt, expiresAt, revokedAt }: TillKey): TillKey {
  return { id, interface: by, isAdopted, createdAt, lastUsedAt, expiresAt, revokedAt };
}
