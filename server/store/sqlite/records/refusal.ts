// The refusal log: calls that were not accepted, kept for thirty days so that a shop sees what was refused and why. Its size is
// limited, so that a flood of bad calls cannot fill the disk.

import { z } from 'zod';

import { type FieldFault, REFUSALS_KEPT_DAYS } from '../../../contract/codes.ts';
import type { RefusalGroup } from '../../../contract/records.ts';
import { networkOf } from '../../../lib/network.ts';
import type { ListedRefusal, RefusalChoice, Refusal } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';

/** A refusal that the store must write. `isSurplus` is true if it counts calls that are not listed one by one. */
export type NotedRefusal = Refusal & { readonly isSurplus: boolean };

/** Returns the group of a call. A group has one code and one key or, if the key is unknown, one code and one network. */
export function groupOf({ code, keyId, address }: Refusal): string {
  return `${code} ${keyId ?? networkOf(address)}`;
}

const KEPT_MS = REFUSALS_KEPT_DAYS * 24 * 60 * 60 * 1000;
const MAX_KEPT = 100_000;
/** One entry counts the surplus calls of a group for this long. A call is surplus if it is not listed one by one. */
const SURPLUS_MS = 60 * 60 * 1000;
/** Maximum groups whose surplus calls are added to an existing entry. Surplus calls of further groups get a new entry. */
const MAX_SURPLUSES = 10_000;

export interface RefusalWriter {
  /** Adds refusals and deletes old and excess ones, within the caller's transaction. */
  add(refusals: readonly NotedRefusal[], now: number): void;
  /** Call it after a failed transaction. Forgets the entries that the transaction added. */
  discard(): void;
}

export function openRefusalWriter(db: Connection): RefusalWriter {
  const insert = db.prepare(`
    INSERT INTO refusals (at, address, key_id, method, path, code, detail, excerpt, faults, calls)
    VALUES (@at, @address, @keyId, @method, @path, @code, @detail, @excerpt, @faults, @calls)`);
  const addTo = db.prepare(`
    UPDATE refusals SET at = @at, address = @address, method = @method, path = @path, detail = @detail, excerpt = @excerpt,
      faults = @faults, calls = calls + @calls WHERE id = @id`);
  const removeOld = db.prepare('DELETE FROM refusals WHERE at < ?');
  const removeExcess = db.prepare('DELETE FROM refusals WHERE id <= (SELECT max(id) FROM refusals) - ?');
  /** By group: the id of the entry that counts its surplus, and when that entry was added, in epoch milliseconds. */
  const surpluses = new Map<string, { readonly id: number | bigint; readonly since: number }>();

  function addSurplus(refusal: NotedRefusal): void {
    const group = groupOf(refusal);
    const entry = surpluses.get(group);
    const isCurrent = entry !== undefined && Math.abs(refusal.at - entry.since) < SURPLUS_MS;
    if (isCurrent && addTo.run({ ...rowOf(refusal), id: entry.id }).changes === 1) return;
    surpluses.delete(group);
    if (surpluses.size < MAX_SURPLUSES) surpluses.set(group, { id: insertOne(refusal), since: refusal.at });
    else insertOne(refusal);
  }

  function insertOne(refusal: NotedRefusal): number | bigint {
    return insert.run(rowOf(refusal)).lastInsertRowid;
  }

  return {
    add(refusals, now) {
      for (const refusal of refusals) {
        if (refusal.isSurplus) addSurplus(refusal);
        else insertOne(refusal);
      }
      removeOld.run(now - KEPT_MS);
      removeExcess.run(MAX_KEPT);
      for (const [group, { since }] of surpluses) if (Math.abs(now - since) >= SURPLUS_MS) surpluses.delete(group);
    },
    discard: () => surpluses.clear(),
  };
}

function rowOf({ isSurplus: _, faults, ...refusal }: NotedRefusal) {
  return { ...refusal, faults: JSON.stringify(faults) };
}

/** A row as it is read: its faults are JSON. */
type Read<Row extends Pick<Refusal, 'faults'>> = Omit<Row, 'faults'> & { readonly faults: string };

const fieldFaults: z.ZodType<FieldFault[]> = z.array(z.object({ pointer: z.string(), code: z.string() }));

/** A damaged row has no faults. Its English text remains, and the other refusals can be listed. */
function parseFaults(json: string): readonly FieldFault[] {
  try {
    return fieldFaults.safeParse(JSON.parse(json)).data ?? [];
  } catch {
    return [];
  }
}

/**
 * Exported for the test of its query plan. Sorted by time and not by id, because an entry gets a new time when surplus is
 * added, but keeps its id.
 */
export const REFUSALS_SQL = `
  SELECT refusals.id, at, address, key_id AS keyId, label, method, path, code, detail, excerpt, faults, calls
  FROM refusals LEFT JOIN keys ON keys.id = key_id LEFT JOIN tills ON tills.id = till_id
  ORDER BY at DESC, refusals.id DESC LIMIT @limit`;

/** Lists refusals, newest first. */
export function listRefusals(db: Connection, limit: number): ListedRefusal[] {
  const rows = db.prepare<unknown[], Read<ListedRefusal>>(REFUSALS_SQL).all({ limit });
  return rows.map((row) => ({ ...row, faults: parseFaults(row.faults) }));
}

/**
 * The latest refusal of each group, with the number of its calls. Groups are as in `groupOf`. Exported for the test of its
 * query plan.
 */
export const REFUSAL_GROUPS_SQL = `
  WITH sums AS (
    SELECT code, key_id, CASE WHEN key_id IS NULL THEN network_of(address) END AS network,
      sum(calls) AS calls, min(at) AS firstAt, max(at) AS lastAt
    FROM refusals
    WHERE at >= @since AND (key_id IS NULL OR key_id IN (
      SELECT keys.id FROM tills JOIN keys ON till_id = tills.id WHERE journal_id = @journalId))
    GROUP BY code, key_id, network
    ORDER BY lastAt DESC LIMIT @limit)
  SELECT latest.code, label AS till, latest.key_id AS keyId, address, sums.calls, firstAt, lastAt, method, path, detail, excerpt, faults
  FROM sums
  JOIN refusals AS latest ON latest.id = (
    SELECT max(id) FROM refusals
    WHERE at = lastAt AND key_id IS sums.key_id AND code = sums.code AND (network IS NULL OR network_of(address) = network))
  LEFT JOIN keys ON keys.id = latest.key_id LEFT JOIN tills ON tills.id = till_id
  ORDER BY lastAt DESC, latest.id DESC`;

/** Groups refusals of at most the last thirty days: the refusals of a journal, and refusals without a known key. */
export function openRefusalGroups(db: Connection): (choice: RefusalChoice, now: number) => RefusalGroup[] {
  db.function('network_of', { deterministic: true, directOnly: true }, (address) => networkOf(address as string));
  const select = db.prepare<unknown[], Read<RefusalGroup>>(REFUSAL_GROUPS_SQL);
  return (choice, now) =>
    select
      .all({ ...choice, since: Math.max(choice.since, now - KEPT_MS) })
      .map((row) => ({ ...row, faults: parseFaults(row.faults) }));
}
