// Reads what the ports need from data of an earlier version, before they are updated. A table that the earlier schema lacks
// counts as empty. After a migration that changes one of these tables, this module must still read both forms.

import type { Customer } from '../../../contract/setup.ts';
import { CLOSED_NETWORK, type EarlierNetwork } from '../../network/ledger.ts';
import { type Connection, hasTable } from '../engine/database.ts';
import type { Seal } from '../engine/seal.ts';
import { schemaVersion } from '../migrations.ts';
import { listAuthorities } from './authority.ts';
import { readNetworkSettings } from './settings.ts';

/** The first schema in which administrations have customers. */
const HAS_CUSTOMERS = 2;

export function readEarlierNetwork(db: Connection, seal: Seal): EarlierNetwork {
  return {
    settings: hasTable(db, 'network') ? readNetworkSettings(db) : CLOSED_NETWORK,
    authorities: hasTable(db, 'authorities') ? listAuthorities(db, seal) : [],
    hasUsers: hasTable(db, 'users') && db.prepare('SELECT 1 FROM users').get() !== undefined,
    customers: schemaVersion(db) >= HAS_CUSTOMERS ? listCustomers(db) : [],
  };
}

function listCustomers(db: Connection): Customer[] {
  return db
    .prepare<[], Customer>(`
      SELECT customer_name AS name, customer_id AS id FROM administrations WHERE customer_name IS NOT NULL`)
    .all();
}
