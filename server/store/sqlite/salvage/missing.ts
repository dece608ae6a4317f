// Finds out which records are missing. The indexes of records still have the ids of records that cannot be read any more, and
// `sales` has the times of sale.

import type { Interface } from '../../../contract/codes.ts';
import type { Connection } from '../engine/database.ts';
import { STREAMS } from '../records/record-stream.ts';
import { type IdSet, openIdSet } from './id-set.ts';
import type { Value } from './page.ts';
import type { Scan, Tree } from './scan.ts';

export interface MissingRecord {
  readonly id: number;
  readonly journalId: number | null;
  readonly externalId: string | null;
  /** Epoch seconds; null if unknown. */
  readonly soldAt: number | null;
  readonly type: string | null;
  readonly interface: Interface | null;
}

export interface Evidence {
  readonly records: readonly MissingRecord[];
  /** The newest id that is known; 0 without one. */
  readonly newestId: number;
  /** Whether the indexes that have every record could be read completely. */
  readonly areIndexesWhole: boolean;
}

type Known = Partial<Omit<MissingRecord, 'id'>>;
type Entry = readonly [id: Value | undefined, known: Known];

/** The indexes that together have every record once, and what an entry says about its record. */
const INDEXES: Readonly<Record<string, (values: readonly Value[]) => Entry>> = {
  originals: ([journalId, externalId, id]) => [
    id,
    { journalId: numberOf(journalId), externalId: textOf(externalId), interface: 'current' },
  ],
  earlier_originals: ([journalId, type, externalId, id]) => [
    id,
    { journalId: numberOf(journalId), externalId: textOf(externalId), type: textOf(type), interface: 'earlier' },
  ],
  duplicates: ([journalId, externalId, id]) => [id, { journalId: numberOf(journalId), externalId: textOf(externalId) }],
};

function readSale([journalId, stream, soldAt, id, type]: readonly Value[]): Entry {
  const { interface: by = null } = STREAMS[Number(stream)] ?? {};
  return [id, { journalId: numberOf(journalId), soldAt: numberOf(soldAt), type: textOf(type), interface: by }];
}

/**
 * Reads the indexes of records and `sales`. `found` has the ids of the records that were copied. If the id of a copied record
 * is damaged, corrects it.
 */
export function findEvidence(
  db: Connection,
  { scan, trees }: { readonly scan: Scan; readonly trees: ReadonlyMap<string, Tree> },
  found: IdSet,
): Evidence {
  const missing = new Map<number, MissingRecord>();
  const indexed = openIdSet();
  const note = (id: number, known: Known): void => {
    if (!found.has(id)) missing.set(id, { ...(missing.get(id) ?? NOTHING), ...known, id });
  };
  const read = function* (name: string, readEntry: (values: readonly Value[]) => Entry): Generator<[number, Known]> {
    const tree = trees.get(name);
    if (tree === undefined) return;
    for (const { rows } of scan.pagesOf(tree))
      for (const { values } of rows) {
        const [id, known] = readEntry(values);
        if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 1) yield [id, known];
      }
  };
  for (const [name, readEntry] of Object.entries(INDEXES))
    for (const [id, known] of read(name, readEntry)) {
      indexed.add(id);
      note(id, known);
    }
  const areIndexesWhole = Object.keys(INDEXES).every((name) => trees.has(name) && !scan.isDamaged(name));
  if (areIndexesWhole) settleIds(db, missing, { found, indexed });
  // `sales` alone proves no record, because one of its ids may be damaged too.
  for (const [id, known] of read('sales', readSale)) if (missing.has(id) || !areIndexesWhole) note(id, known);
  const records = [...missing.values()].toSorted((a, b) => a.id - b.id);
  return { records, newestId: records.at(-1)?.id ?? 0, areIndexesWhole };
}

const NOTHING: MissingRecord = {
  id: 0,
  journalId: null,
  externalId: null,
  soldAt: null,
  type: null,
  interface: null,
};

/**
 * If a missing record was copied with another id, one of the two ids is damaged. The ids of records grow within a page, so only
 * a larger id can be damaged there. Then the record gets its id back; otherwise the index is wrong.
 */
function settleIds(
  db: Connection,
  missing: Map<number, MissingRecord>,
  { found, indexed }: { readonly found: IdSet; readonly indexed: IdSet },
): void {
  // one part for each index, because a table scan for each missing record would take hours
  const list = db
    .prepare<[Pick<MissingRecord, 'journalId' | 'externalId' | 'type'>], number>(`
    SELECT id FROM records
    WHERE journal_id = @journalId AND external_id = @externalId AND status = 'NEW' AND interface = 'current'
    UNION ALL SELECT id FROM records
    WHERE journal_id = @journalId AND type = @type AND external_id = @externalId AND status = 'NEW' AND interface = 'earlier'
    UNION ALL SELECT id FROM records WHERE journal_id = @journalId AND external_id = @externalId AND status != 'NEW'`)
    .pluck();
  const rename = db.prepare('UPDATE records SET id = ? WHERE id = ?');
  for (const { id, journalId, externalId, type } of missing.values()) {
    const [other, more] = list.all({ journalId, externalId, type }).filter((each) => !indexed.has(each));
    if (other === undefined || more !== undefined) continue;
    missing.delete(id);
    if (other < id) continue;
    rename.run(id, other);
    found.remove(other);
    found.add(id);
  }
}

function numberOf(value: Value | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
