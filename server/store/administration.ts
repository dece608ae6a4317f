// Administrations: the account-level grouping keys belong to (specification 5.1), what the earlier interface is for each
// (how it is addressed, specification 9, and which end points it has), and what a store day is there.

import { INTERFACES, MODES, type Status } from '../contract.ts';
import { noteAct } from './act-log.ts';
import { assertOneRow, type Connection } from './database.ts';

export interface Administration {
  readonly name: string;
  /** Of its addresses, in lower case; null until it has one. */
  readonly customer: Customer | null;
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** Which of its records are forwarded (specification 2.4). */
  readonly forwarded: readonly Status[];
  /** Of its stores, as an IANA name; null for the machine's own. */
  readonly timeZone: string | null;
  /** When a store day begins, in minutes after midnight; a whole quarter hour below 1440. */
  readonly dayStartsAt: number;
}

export interface Customer {
  readonly name: string;
  readonly id: string;
}

export interface Resource {
  readonly name: string;
  /** The parameter that tells its records apart. */
  readonly idParameter: string;
}

/** What is to be changed; the rest stays as it is. */
export type AdministrationChange = Partial<Administration>;

export type AdministrationResult =
  | { readonly kind: 'changed'; readonly administration: Administration }
  | { readonly kind: 'unknown' }
  /** Another administration has this customer name and id. */
  | { readonly kind: 'taken'; readonly by: string }
  | { readonly kind: 'name taken' };

interface Row extends Pick<Administration, 'name' | 'timeZone' | 'dayStartsAt'> {
  readonly customerName: string | null;
  readonly customerId: string | null;
  readonly versions: string;
  readonly resources: string;
  readonly forwarded: string;
}

const SELECT = `
  SELECT name, customer_name AS customerName, customer_id AS customerId, versions, resources, forwarded, time_zone AS timeZone,
    day_starts_at AS dayStartsAt FROM administrations`;

/** Lists every administration by name. */
export function listAdministrations(db: Connection): Administration[] {
  return db.prepare<[], Row>(`${SELECT} ORDER BY name`).all().map(administrationOf);
}

function administrationOf({ customerName, customerId, versions, resources, forwarded, ...row }: Row): Administration {
  return {
    ...row,
    customer: customerName === null || customerId === null ? null : { name: customerName, id: customerId },
    versions: JSON.parse(versions) as string[],
    resources: JSON.parse(resources) as Resource[],
    forwarded: JSON.parse(forwarded) as Status[],
  };
}

/**
 * Changes an administration and notes that `actor` did; it must exist, and its name, and its customer name and id, must be
 * its own. A change that changes nothing is not noted.
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
      const before = administrationOf(row);
      const administration = { ...before, ...change };
      const { customer, versions, resources, forwarded, timeZone, dayStartsAt } = administration;
      const isTaken = administration.name !== name && db.prepare(`${SELECT} WHERE name = ?`).get(administration.name);
      if (isTaken) return { kind: 'name taken' };
      const by = db
        .prepare<[string | null, string | null, string], string>(
          'SELECT name FROM administrations WHERE customer_name = ? AND customer_id = ? AND name != ?',
        )
        .pluck()
        .get(customer?.name ?? null, customer?.id ?? null, name);
      if (by !== undefined) return { kind: 'taken', by };
      const detail = describeChange(before, administration);
      if (detail === '') return { kind: 'changed', administration };
      const update = db.prepare(`
        UPDATE administrations SET name = ?, customer_name = ?, customer_id = ?, versions = ?, resources = ?, forwarded = ?, time_zone = ?,
          day_starts_at = ? WHERE name = ?`);
      assertOneRow(
        update.run(
          administration.name,
          customer?.name ?? null,
          customer?.id ?? null,
          JSON.stringify(versions),
          JSON.stringify(resources),
          JSON.stringify(forwarded),
          timeZone,
          dayStartsAt,
          name,
        ),
      );
      noteAct(db, { act: 'change administration', administration: name, detail }, actor, now);
      return { kind: 'changed', administration };
    })
    .immediate();
}

/** What is made with a new administration. */
export type NewAdministration = Pick<Administration, 'name' | 'timeZone' | 'dayStartsAt'>;

/**
 * Makes an administration with a journal per mode and their lanes, and notes that `actor` did. Returns undefined when
 * there is one of this name.
 */
export function createAdministration(
  db: Connection,
  { name, timeZone, dayStartsAt }: NewAdministration,
  actor: string,
  now: number,
): Administration | undefined {
  return db
    .transaction(() => {
      const { changes } = db
        .prepare(`
        INSERT INTO administrations (name, created_at, time_zone, day_starts_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
        .run(name, now, timeZone, dayStartsAt);
      if (changes === 0) return undefined;
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
      noteAct(db, { act: 'create administration', administration: name }, actor, now);
      return listAdministrations(db).find((each) => each.name === name);
    })
    .immediate();
}

/** Each member that is another, as it was and as it is. */
function describeChange(before: Administration, after: Administration): string {
  return (Object.keys(before) as (keyof Administration)[])
    .map((member) => [member, JSON.stringify(before[member]), JSON.stringify(after[member])] as const)
    .filter(([, was, is]) => was !== is)
    .map(([member, was, is]) => `${member}: ${was} → ${is}`)
    .join(', ');
}
