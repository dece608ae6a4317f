// Administrations: the accounts that keys belong to (docs/interface.md#keys). An administration has the addresses and end
// points of its earlier interface (docs/interface.md#addresses), and the rules of its store days.

import type { SettingChange } from '../../../contract/acts.ts';
import { INTERFACES, MODES, type Status } from '../../../contract/codes.ts';
import type { Resource } from '../../../contract/setup.ts';
import { always } from '../../../store-day.ts';
import type {
  Administration,
  AdministrationChange,
  AdministrationResult,
  NewAdministration,
} from '../../setup/ledger.ts';
import { changeDayRule, listDayRules, writeDayRules } from '../days/day-rule.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { noteAct } from './act-log.ts';

interface Row extends Pick<Administration, 'name'> {
  readonly id: number;
  readonly customerName: string | null;
  readonly customerId: string | null;
  readonly versions: string;
  readonly resources: string;
  readonly forwarded: string;
  readonly othersSend: 0 | 1;
}

const SELECT = `
  SELECT id, name, customer_name AS customerName, customer_id AS customerId, versions, resources, forwarded,
    others_send AS othersSend FROM administrations`;

/** Lists every administration by name. */
export function listAdministrations(db: Connection): Administration[] {
  return db
    .prepare<[], Row>(`${SELECT} ORDER BY name`)
    .all()
    .map((row) => administrationOf(db, row));
}

function administrationOf(
  db: Connection,
  { id, name, customerName, customerId, versions, resources, forwarded, othersSend }: Row,
): Administration {
  const dayRules = listDayRules(db, id);
  const rule = dayRules.at(-1);
  if (rule === undefined) throw new Error(`the administration ${name} has no day rule`);
  return {
    name,
    timeZone: rule.timeZone,
    dayStartsAt: rule.dayStartsAt,
    dayRules,
    customer: customerName === null || customerId === null ? null : { name: customerName, id: customerId },
    versions: JSON.parse(versions) as string[],
    resources: JSON.parse(resources) as Resource[],
    forwarded: JSON.parse(forwarded) as Status[],
    othersSend: othersSend === 1,
  };
}

/**
 * Changes an administration and logs the act. Two administrations cannot share a name, or a customer name and id. If nothing
 * differs, it logs nothing.
 */
export function changeAdministration(
  db: Connection,
  name: string,
  change: AdministrationChange,
  actor: string,
  now: number,
): AdministrationResult {
  return db
    .transaction((): AdministrationResult => {
      const row = db.prepare<[string], Row>(`${SELECT} WHERE name = ?`).get(name);
      if (row === undefined) return { kind: 'unknown' };
      const before = administrationOf(db, row);
      const administration = { ...before, ...change };
      const { customer, versions, resources, forwarded, othersSend, timeZone, dayStartsAt } = administration;
      const isTaken = administration.name !== name && db.prepare(`${SELECT} WHERE name = ?`).get(administration.name);
      if (isTaken) return { kind: 'name taken' };
      const by = db
        .prepare<[string | null, string | null, string], string>(
          'SELECT name FROM administrations WHERE customer_name = ? AND customer_id = ? AND name != ?',
        )
        .pluck()
        .get(customer?.name ?? null, customer?.id ?? null, name);
      if (by !== undefined) return { kind: 'taken', by };
      const changes = listChanges(before, administration);
      if (changes.length === 0) return { kind: 'changed', administration };
      const update = db.prepare(`
        UPDATE administrations SET name = ?, customer_name = ?, customer_id = ?, versions = ?, resources = ?, forwarded = ?,
          others_send = ? WHERE name = ?`);
      assertOneRow(
        update.run(
          administration.name,
          customer?.name ?? null,
          customer?.id ?? null,
          JSON.stringify(versions),
          JSON.stringify(resources),
          JSON.stringify(forwarded),
          Number(othersSend),
          name,
        ),
      );
      const isAnotherDay = timeZone !== before.timeZone || dayStartsAt !== before.dayStartsAt;
      const dayRules = isAnotherDay ? changeDayRule(db, row.id, { timeZone, dayStartsAt }, now) : before.dayRules;
      noteAct(db, { act: { kind: 'change administration', changes }, administration: name }, actor, now);
      return { kind: 'changed', administration: { ...administration, dayRules } };
    })
    .immediate();
}

/** Makes an administration with its journals and lanes, and logs the act. Returns undefined when the name is taken. */
export function createAdministration(
  db: Connection,
  { name, timeZone, dayStartsAt }: NewAdministration,
  actor: string,
  now: number,
): Administration | undefined {
  return db
    .transaction(() => {
      const { changes, lastInsertRowid } = db
        .prepare(`
        INSERT INTO administrations (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING`)
        .run(name, now);
      if (changes === 0) return undefined;
      writeDayRules(db, Number(lastInsertRowid), always({ timeZone, dayStartsAt }));
      db.prepare(`
        INSERT INTO journals (administration_id, mode)
        SELECT administrations.id, value FROM administrations CROSS JOIN json_each(?) WHERE name = ?`).run(
        JSON.stringify(MODES),
        name,
      );
      db.prepare(`
        INSERT INTO lanes (journal_id, interface)
        SELECT journals.id, value FROM journals JOIN administrations ON administrations.id = administration_id
        CROSS JOIN json_each(?) WHERE name = ?`).run(JSON.stringify(INTERFACES), name);
      noteAct(db, { act: { kind: 'create administration' }, administration: name }, actor, now);
      return listAdministrations(db).find((each) => each.name === name);
    })
    .immediate();
}

/** The settings whose changes are logged. The day rules are not listed, because they follow from the zone and the cut-off. */
const MEMBERS = [
  'name',
  'timeZone',
  'dayStartsAt',
  'customer',
  'versions',
  'resources',
  'forwarded',
  'othersSend',
] as const satisfies SettingChange['member'][];

function listChanges(before: Administration, after: Administration): SettingChange[] {
  return MEMBERS.filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member])).map(
    (member) => ({ member, before: before[member], after: after[member] }) as SettingChange, // `before` and `after` are values of the same member
  );
}
