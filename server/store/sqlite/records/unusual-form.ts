// How often each key sent what is accepted but unusual. Gathered in memory and written once a second, and only when there was any:
// a usual call costs nothing. After a crash the last second is missing, which is no loss of a record.

import { UNUSUAL_FORMS, UNUSUAL_SHOWN_DAYS, type UnusualForm, type UnusualFormCount } from '../../../contract/codes.ts';
import type { SeenForm, KeyForm } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** By key and form: never more than there are of both. */
export type FormTally = Map<string, KeyForm>;

/** Adds a call to a tally; `at` in epoch milliseconds. */
export function tallyForms(tally: FormTally, keyId: number, at: number, forms: readonly SeenForm[]): void {
  for (const { form, example } of forms) addToTally(tally, { keyId, form, calls: 1, firstAt: at, lastAt: at, example });
}

/** Adds what was counted later than what the tally holds. */
export function addToTally(tally: FormTally, later: KeyForm): void {
  const name = `${later.keyId} ${later.form}`;
  const { calls = 0, firstAt = later.firstAt } = tally.get(name) ?? {};
  tally.set(name, { ...later, calls: calls + later.calls, firstAt });
}

/** Adds what was tallied to what is kept, within the caller's transaction. */
export function addKeyForms(db: Connection, forms: readonly KeyForm[]): void {
  const add = db.prepare(`
    INSERT INTO unusual_forms (key_id, form, calls, first_at, last_at, example)
    VALUES (@keyId, @form, @calls, @firstAt, @lastAt, @example)
    ON CONFLICT DO UPDATE SET calls = calls + @calls, last_at = @lastAt, example = @example`);
  for (const form of forms) add.run(form);
}

/** A row for each key and form; there are few of both. Exported for the test that asserts the query plan. */
export const UNUSUAL_FORMS_SQL = `
  SELECT key_id AS keyId, form, calls, first_at AS firstAt, last_at AS lastAt, example FROM unusual_forms
  ORDER BY key_id, form`;

/** Lists what is kept, by key and form. */
export function listKeyForms(db: Connection): KeyForm[] {
  const rows = db.prepare<[], KeyForm>(UNUSUAL_FORMS_SQL).all();
  return rows.filter(({ form }) => UNUSUAL_FORMS.includes(form));
}

/** What some keys sent in the days that are shown, each form once, with the newest example. */
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
