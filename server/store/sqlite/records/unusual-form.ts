// Counts accepted but unusual forms by key. The counts are collected in memory and written once a second. A call without
// unusual forms therefore costs nothing. A crash loses at most the last second of these counts.

import { UNUSUAL_FORMS, UNUSUAL_SHOWN_DAYS, type UnusualForm, type UnusualFormCount } from '../../../contract/codes.ts';
import type { SeenForm, KeyForm } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** Counts that are not stored yet. The map stays small, because it has one count for each key and form. */
export type FormTally = Map<string, KeyForm>;

/** Adds a call to a tally. `at` is in epoch milliseconds. */
export function tallyForms(tally: FormTally, keyId: number, at: number, forms: readonly SeenForm[]): void {
  for (const { form, example } of forms) addToTally(tally, { keyId, form, calls: 1, firstAt: at, lastAt: at, example });
}

/** Adds a later tally to an earlier one. */
export function addToTally(tally: FormTally, later: KeyForm): void {
  const name = `${later.keyId} ${later.form}`;
  const { calls = 0, firstAt = later.firstAt } = tally.get(name) ?? {};
  tally.set(name, { ...later, calls: calls + later.calls, firstAt });
}

/** Adds a tally to the stored counts, within the caller's transaction. */
export function addKeyForms(db: Connection, forms: readonly KeyForm[]): void {
  const add = db.prepare(`
    INSERT INTO unusual_forms (key_id, form, calls, first_at, last_at, example)
    VALUES (@keyId, @form, @calls, @firstAt, @lastAt, @example)
    ON CONFLICT DO UPDATE SET calls = calls + @calls, last_at = @lastAt, example = @example`);
  for (const form of forms) add.run(form);
}

/** Selects one row per key and form. Exported for the test of its query plan. */
export const UNUSUAL_FORMS_SQL = `
  SELECT key_id AS keyId, form, calls, first_at AS firstAt, last_at AS lastAt, example FROM unusual_forms
  ORDER BY key_id, form`;

/** Lists the stored counts by key and form. */
export function listKeyForms(db: Connection): KeyForm[] {
  const rows = db.prepare<[], KeyForm>(UNUSUAL_FORMS_SQL).all();
  return rows.filter(({ form }) => UNUSUAL_FORMS.includes(form));
}

/**
 * Sums the counts of each form over some keys. Leaves out a form that a key last sent before the days shown. Each sum has the
 * newest example.
 */
export function sumForms(forms: readonly KeyForm[], keyIds: readonly number[], now: number): UnusualFormCount[] {
  const since = now - UNUSUAL_SHOWN_DAYS * 24 * 60 * 60 * 1000;
  const own = forms
    .filter(({ keyId, lastAt }) => keyIds.includes(keyId) && lastAt >= since)
    .toSorted((a, b) => a.lastAt - b.lastAt);
  const sums = new Map<UnusualForm, UnusualFormCount>();
  for (const { keyId: _, ...view } of own) {
    const { calls = 0, firstAt = view.firstAt } = sums.get(view.form) ?? {};
    sums.set(view.form, { ...view, calls: calls + view.calls, firstAt: Math.min(firstAt, view.firstAt) });
  }
  return UNUSUAL_FORMS.flatMap((form) => sums.get(form) ?? []);
}
