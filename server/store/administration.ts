// Administrations: the account-level grouping keys belong to (specification 5.1), and what the earlier interface is for
// each: how it is addressed (specification 9) and which end points it has.

import type { Status } from '../contract.ts';
import type { Connection } from './database.ts';

export interface Administration {
  readonly name: string;
  /** Of its addresses, in lower case; null until it has one. */
  readonly customer: Customer | null;
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** Which of its records are forwarded (specification 2.4). */
  readonly forwarded: readonly Status[];
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
export type AdministrationChange = Partial<Omit<Administration, 'name'>>;

export type AdministrationResult =
  | { readonly kind: 'changed'; readonly administration: Administration }
  | { readonly kind: 'unknown' }
  /** Another administration has this customer name and id. */
  | { readonly kind: 'taken'; readonly by: string };

interface Row {
  readonly name: string;
  readonly customerName: string | null;
  readonly customerId: string | null;
  readonly versions: string;
  readonly resources: string;
  readonly forwarded: string;
}

const SELECT =
  'SELECT name, customer_name AS customerName, customer_id AS customerId, versions, resources, forwarded FROM administrations';

/** Lists every administration by name. */
export function listAdministrations(db: Connection): Administration[] {
  return db.prepare<[], Row>(`${SELECT} ORDER BY name`).all().map(administrationOf);
}

function administrationOf({ name, customerName, customerId, versions, resources, forwarded }: Row): Administration {
  return {
    name,
    customer: customerName === null || customerId === null ? null : { name: customerName, id: customerId },
    versions: JSON.parse(versions) as string[],
    resources: JSON.parse(resources) as Resource[],
    forwarded: JSON.parse(forwarded) as Status[],
  };
}

/** Changes an administration; it must exist, and its customer name and id must be its own. */
export function changeAdministration(db: Connection, name: string, change: AdministrationChange): AdministrationResult {
  return db
    .transaction((): AdministrationResult => {
      const row = db.prepare<[string], Row>(`${SELECT} WHERE name = ?`).get(name);
      if (row === undefined) return { kind: 'unknown' };
      const administration = { ...administrationOf(row), ...change };
      const { customer, versions, resources, forwarded } = administration;
      const by = db
        .prepare<[string | null, string | null, string], string>(
          'SELECT name FROM administrations WHERE customer_name = ? AND customer_id = ? AND name != ?',
        )
        .pluck()
        .get(customer?.name ?? null, customer?.id ?? null, name);
      if (by !== undefined) return { kind: 'taken', by };
      db.prepare(`
        UPDATE administrations SET customer_name = ?, customer_id = ?, versions = ?, resources = ?, forwarded = ? WHERE name = ?`).run(
        customer?.name ?? null,
        customer?.id ?? null,
        JSON.stringify(versions),
        JSON.stringify(resources),
        JSON.stringify(forwarded),
        name,
      );
      return { kind: 'changed', administration };
    })
    .immediate();
}
