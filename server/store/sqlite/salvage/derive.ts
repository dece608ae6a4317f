// Derives again what follows from salvaged records: counts, amounts, the order of sale and the deliveries. A record whose
// delivery is lost may have been sent. So the gateway asks the upstream for it first, or a person decides.

import { INTERFACES } from '../../../contract/codes.ts';
import type { Connection } from '../engine/database.ts';
import { openFolder } from '../engine/fold.ts';
import { stateNumber } from '../outbox/delivery-state.ts';
import { openDeliveryFold } from '../outbox/delivery.ts';
import type { Replaced } from './reference.ts';

/** Tables that the fold fills. */
export const EMPTY_AT_FIRST = ['counts', 'amount_sums', 'amount_days', 'sales', 'delivery_counts'] as const;

/** Records whose delivery is lost, so that nobody knows whether they were sent. */
export interface Derived {
  /** Number of them that wait. The gateway asks the upstream for them before it sends them. */
  readonly unknownAsked: number;
  /** Number of them that are held or set aside. The upstream cannot be asked for them, so a person decides. */
  readonly unknownHeld: number;
}

const UNKNOWN_REASON = 'Salvaged from damaged data. It is not known whether this record was sent.';

interface Readable {
  /** Whether every stored delivery could be read. */
  readonly areDeliveriesWhole: boolean;
  /** The newest record that had a delivery; undefined if unknown. */
  readonly foldedUntil: number | undefined;
  readonly promoted: Replaced['promoted'];
}

export function deriveAll(db: Connection, { areDeliveriesWhole, foldedUntil, promoted }: Readable): Derived {
  return db.transaction(() => {
    for (const table of EMPTY_AT_FIRST) db.exec(`DELETE FROM ${table}`);
    makeLanes(db);
    // Only a record of the tail has no delivery for a good reason: it was never sent.
    const tailAfter = areDeliveriesWhole ? (foldedUntil ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
    db.exec('CREATE TEMP TABLE unknown (record_id INTEGER PRIMARY KEY)');
    db.prepare(`
      INSERT INTO temp.unknown SELECT id FROM records WHERE id <= ? AND id NOT IN (SELECT record_id FROM deliveries)`).run(
      tailAfter,
    );
    const addUnknown = db.prepare(`
      INSERT INTO temp.unknown SELECT id FROM records WHERE id = ? AND id NOT IN (SELECT record_id FROM deliveries)
      ON CONFLICT DO NOTHING`);
    for (const { id } of promoted) addUnknown.run(id);
    openDeliveryFold(db)(0);
    const changed = promoted.filter(({ was }) => was === 'ERROR').map(({ id }) => id);
    // An upstream can be asked only on the current interface, and a changed resend is not what it has.
    const held = db
      .prepare(`
      UPDATE deliveries SET reason = iif(url IS NULL, @reason, NULL), answer = iif(url IS NULL, NULL, @reason),
        state_number = iif(url IS NULL, ${stateNumber('set aside')}, ${stateNumber('held')})
      FROM lanes WHERE lanes.id = lane_id AND state_number = ${stateNumber('waiting')} AND (
        (interface = 'earlier' AND record_id IN (SELECT record_id FROM temp.unknown))
        OR record_id IN (SELECT value FROM json_each(@changed)))`)
      .run({ reason: UNKNOWN_REASON, changed: JSON.stringify(changed) }).changes;
    const asked =
      db
        .prepare<[], number>(`
      SELECT count(*) FROM deliveries JOIN temp.unknown USING (record_id) WHERE state_number = ${stateNumber('waiting')}`)
        .pluck()
        .get() ?? 0;
    db.exec(`
      DROP TABLE temp.unknown;
      UPDATE lanes SET waiting = 0, delivered = 0, held = 0, set_aside = 0;
      UPDATE amount_rules SET filled_until = fill_to WHERE is_replaced = 0;
      UPDATE fold SET folded_until = 0;`);
    openFolder(db).fold();
    return { unknownAsked: asked, unknownHeld: held };
  })();
}

/** Makes lost lanes again, without an upstream. When a person sets it, the gateway first asks it for the records. */
function makeLanes(db: Connection): void {
  db.prepare(`
    INSERT INTO lanes (journal_id, interface) SELECT journals.id, value FROM journals CROSS JOIN json_each(?) WHERE true
    ON CONFLICT DO NOTHING`).run(JSON.stringify(INTERFACES));
  db.exec(`
    UPDATE lanes SET asks_up_to = (SELECT max(id) FROM records) WHERE interface = 'current' AND url IS NULL;
    UPDATE deliveries SET lane_id = lanes.id
    FROM records JOIN lanes ON lanes.journal_id = records.journal_id AND lanes.interface = records.interface
    WHERE records.id = record_id AND lane_id != lanes.id;`);
}
