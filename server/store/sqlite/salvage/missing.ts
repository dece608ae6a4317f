// Finds out which records are missing. The indexes of records still have the ids of records that cannot be read any more, and
// `sales` has the times of sale.

import { type Interface, type Status, STATUSES } from '../../../contract/codes.ts';
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
  readonly status: Status | null;
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
    { journalId: numberOf(journalId), externalId: textOf(externalId), interface: 'current', status: 'NEW' },
  ],
  earlier_originals: ([journalId, type, externalId, id]) => [
    id,
    {
      journalId: numberOf(journalId),
      externalId: textOf(externalId),
      type: textOf(type),
      interface: 'earlier',
      status: 'NEW',
    },
  ],
  duplicates: ([journalId, externalId, id, status]) => [
    id,
    {
      journalId: numberOf(journalId),
      externalId: textOf(externalId),
      status: STATUSES.find((each) => each === status) ?? null,
    },
  ],
};

function readSale([journalId, stream, soldAt, id, type]: readonly Value[]): Entry {
  const { interface: by = null, status = null } = STREAMS[Number(stream)] ?? {};
  return [id, { journalId: numberOf(journalId), soldAt: numberOf(soldAt), type: textOf(type), interface: by, status }];
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
  let newestIndexed = 0;
  /** Copied records of which an index says that their number belongs to another record. */
  const contradicted = new Map<number, MissingRecord>();
  const idOf = db.prepare<[number], string>('SELECT external_id FROM records WHERE id = ?').pluck();
  // in the order of the index, so that a record is not looked up among all pages of records
  const originalOf = db
    .prepare<[number | null, string | null], number>(
      "SELECT id FROM records WHERE journal_id = ? AND external_id = ? AND status = 'NEW' AND interface = 'current'",
    )
    .pluck();
  const isAsIndexed = (id: number, { journalId, externalId, interface: by, status }: Known): boolean =>
    (by === 'current' && status === 'NEW' && originalOf.get(journalId ?? null, externalId ?? null) === id) ||
    externalId === idOf.get(id);
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
      if (found.has(id) && !isAsIndexed(id, known)) contradicted.set(id, { ...NOTHING, ...known, id });
      indexed.add(id);
      newestIndexed = Math.max(newestIndexed, id);
      note(id, known);
    }
  const areIndexesWhole = Object.keys(INDEXES).every((name) => trees.has(name) && !scan.isDamaged(name));
  settleIds(db, missing, { found, indexed: areIndexesWhole ? indexed : undefined, newestIndexed, contradicted });
  // `sales` alone proves no record, because one of its ids may be damaged too.
  if (missing.size > 0 || !areIndexesWhole)
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
  status: null,
};

interface KnownIds {
  readonly found: IdSet;
  /** The ids that an index has; undefined if an index could not be read completely. */
  readonly indexed: IdSet | undefined;
  readonly newestIndexed: number;
  readonly contradicted: ReadonlyMap<number, MissingRecord>;
}

/**
 * If a missing record was copied with another id, one of the two ids is damaged. Within b-trees of records, only the last id can
 * be damaged without a contradiction, and only to a larger one. Then the record gets its id back. It also does if an index says
 * that the copied id belongs to another record. If the copied id is smaller, the index is wrong.
 */
function settleIds(
  db: Connection,
  missing: Map<number, MissingRecord>,
  { found, indexed, newestIndexed, contradicted }: KnownIds,
): void {
  // one part for each index, because a table scan for each missing record would take hours
  const list = db
    .prepare<[Omit<MissingRecord, 'id' | 'soldAt' | 'interface'>], number>(`
    SELECT id FROM records
    WHERE journal_id = @journalId AND external_id = @externalId AND status = 'NEW' AND interface = 'current' AND @status = 'NEW'
    UNION ALL SELECT id FROM records
    WHERE journal_id = @journalId AND type = @type AND external_id = @externalId AND status = 'NEW' AND interface = 'earlier'
      AND @status = 'NEW'
    UNION ALL SELECT id FROM records
    WHERE journal_id = @journalId AND external_id = @externalId AND status != 'NEW' AND status = @status`)
    .pluck();
  const rename = db.prepare('UPDATE records SET id = ? WHERE id = ?');
  for (const { id, journalId, externalId, type, status } of missing.values()) {
    const [other, more] = list
      .all({ journalId, externalId, type, status })
      .filter((each) => contradicted.has(each) || indexed?.has(each) === false);
    if (other === undefined || more !== undefined) continue;
    const owner = contradicted.get(other);
    if (owner === undefined && other < id) missing.delete(id);
    if (owner === undefined && other <= newestIndexed) continue;
    missing.delete(id);
    if (owner !== undefined) missing.set(other, owner); // looked at later in this loop
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
