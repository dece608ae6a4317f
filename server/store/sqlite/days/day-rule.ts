// The rules that decide when the store days of an administration begin. A day closed by a verdict or signature keeps its rule
// permanently. A new rule applies to later days.

import type { DayRule, DayRules } from '../../../contract/days.ts';
import { addDays, machineZone } from '../../../lib/calendar.ts';
import { replaceRule } from '../../../store-day.ts';
import type { Connection } from '../engine/database.ts';

interface Row {
  readonly fromDate: string;
  readonly fromAt: number | null;
  readonly timeZone: string | null;
  readonly dayStartsAt: number;
}

/** Lists the rules of an administration in order. An administration without its own zone uses the machine's zone. */
export function listDayRules(db: Connection, administrationId: number): DayRules {
  return db
    .prepare<[number], Row>(`
    SELECT from_date AS fromDate, from_at AS fromAt, time_zone AS timeZone, day_starts_at AS dayStartsAt
    FROM day_rules WHERE administration_id = ? ORDER BY from_date`)
    .all(administrationId)
    .map(({ fromDate, fromAt, timeZone, dayStartsAt }) => ({
      timeZone: timeZone ?? machineZone(),
      dayStartsAt,
      since: fromAt === null ? null : { date: fromDate, at: fromAt },
    }));
}

/** Gives a new administration the machine's zone and a cut-off at midnight, within the caller's transaction. */
export function beginDayRules(db: Connection, administrationId: number): void {
  db.prepare("INSERT INTO day_rules (administration_id, from_date, day_starts_at) VALUES (?, '', 0)").run(
    administrationId,
  );
}

/** Replaces the rule of all days that are not closed, within the caller's transaction. Returns the new list of rules. */
export function changeDayRule(db: Connection, administrationId: number, rule: DayRule, now: number): DayRules {
  const closed = findLastClosed(db, administrationId, now);
  const rules = replaceRule(
    listDayRules(db, administrationId),
    rule,
    closed === undefined ? undefined : addDays(closed, 1),
  );
  writeDayRules(db, administrationId, rules);
  return rules;
}

/**
 * Stores the machine's present zone for the administration of a journal, unless a zone is stored. The machine's zone may change
 * later, but the zone of a closed day must not change. Returns whether it stored the zone.
 */
export function keepDayRules(db: Connection, journalId: number): boolean {
  const { changes } = db
    .prepare(`
    UPDATE day_rules SET time_zone = ?
    WHERE administration_id = (SELECT administration_id FROM journals WHERE id = ?) AND time_zone IS NULL`)
    .run(machineZone(), journalId);
  return changes > 0;
}

/** Sets the rules of an administration, within the caller's transaction. */
export function writeDayRules(db: Connection, administrationId: number, rules: DayRules): void {
  db.prepare('DELETE FROM day_rules WHERE administration_id = ?').run(administrationId);
  const insert = db.prepare(`
    INSERT INTO day_rules (administration_id, from_date, from_at, time_zone, day_starts_at) VALUES (?, ?, ?, ?, ?)`);
  for (const { since, timeZone, dayStartsAt } of rules)
    insert.run(administrationId, since?.date ?? '', since?.at ?? null, timeZone, dayStartsAt);
}

/** The last closed day. Ignores days in the future: they were closed while this machine's clock was ahead. */
function findLastClosed(db: Connection, administrationId: number, now: number): string | undefined {
  const latest = new Date(now + 86_400_000).toISOString().slice(0, 10);
  const date = db
    .prepare<{ administrationId: number; latest: string }, string | null>(`
    SELECT max(date) FROM (
      SELECT date FROM journals JOIN verdicts ON journal_id = journals.id
      WHERE administration_id = @administrationId AND provisional = 0 AND verdict IN ('complete', 'differs')
      UNION ALL
      SELECT date FROM journals JOIN sign_offs ON journal_id = journals.id WHERE administration_id = @administrationId
    ) WHERE date <= @latest`)
    .pluck()
    .get({ administrationId, latest });
  return date ?? undefined;
}
