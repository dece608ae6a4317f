// Searches records by the beginning of their id, in the order of ids. Originals are found by the indexes of deduplication.
// Duplicates have a separate index.

import type { Interface } from '../../../contract/codes.ts';
import type { SearchFilter, IdPosition } from '../../records/ledger.ts';
import { type Connection, openStatements } from '../engine/database.ts';
import { isSearched, lookAt, type Looked, skim, type Step } from './record-stream.ts';
import { conditionsOf, matchSql, parametersOf } from './sale-search.ts';

/** Compares positions in the order of the index, which sorts ids by their UTF-8 bytes. */
export function compareIds(a: IdPosition, b: IdPosition): number {
  return Buffer.compare(Buffer.from(a.externalId), Buffer.from(b.externalId)) || a.recordId - b.recordId;
}

/** Each stream reads one contiguous range of an index. The index has the name of the stream. */
const STREAMS = {
  originals: "status = 'NEW' AND interface = 'current'",
  earlier_originals: "status = 'NEW' AND interface = 'earlier' AND type = @resource",
  duplicates: "status != 'NEW'",
};
type IdStream = keyof typeof STREAMS;

/**
 * SQL for one part of a chunk. `sameId`: the remaining records with the id at which the chunk begins. `furtherIds`: the records
 * with later ids. Exported for the test of its query plan.
 */
export function idSql(stream: IdStream, part: 'sameId' | 'furtherIds', conditions: readonly string[] = ['1']): string {
  const where = {
    sameId: 'external_id = @externalId AND records.id > @recordId',
    furtherIds: 'external_id > @externalId AND external_id < @end',
  };
  return `
  SELECT records.id AS recordId, external_id AS externalId, ${conditions.join(' AND ')} AS isMatch
  FROM records INDEXED BY ${stream} WHERE journal_id = @journalId AND ${STREAMS[stream]} AND ${where[part]}
  ORDER BY external_id, records.id LIMIT @limit`;
}

/**
 * SQL for the search by the end of an id, which reads an index in chunks. `boundary` finds the last id of the next chunk;
 * `matches` lists its matching records. Both read the index, and other data only for matches. Exported for the test of their
 * query plans.
 */
export function skimSql(stream: IdStream, part: 'boundary' | 'matches', conditions: readonly string[] = ['1']): string {
  const from = `FROM records INDEXED BY ${stream} WHERE journal_id = @journalId AND ${STREAMS[stream]}`;
  if (part === 'boundary')
    return `
  SELECT external_id ${from} AND external_id > @externalId AND external_id < @end
  ORDER BY external_id LIMIT 1 OFFSET @skip`;
  return `
  SELECT records.id AS recordId, external_id AS externalId ${from}
    AND external_id >= @externalId AND external_id <= @boundary AND external_id < @end AND substr(external_id, -length(@idEnd)) = @idEnd
    AND (external_id > @externalId OR records.id > @recordId) AND ${conditions.join(' AND ')}
  ORDER BY external_id, records.id`;
}

/** Finds the next resource that has records of the earlier interface. Exported for the test of its query plan. */
export const NEXT_RESOURCE_SQL = `
  SELECT min(type) FROM records INDEXED BY earlier_originals
  WHERE journal_id = @journalId AND status = 'NEW' AND interface = 'earlier' AND type > @type`;

/**
 * Returns a function that opens the streams for a filter, beginning after a position. Each stream reads at most `maxLooked`
 * records. In a search by the end of an id, it reads at most `maxSkimmed` entries of the index.
 */
export function openIdStreams(
  db: Connection,
  { maxLooked, maxSkimmed }: { readonly maxLooked: number; readonly maxSkimmed: number },
): (filter: SearchFilter, prefix: string, after: IdPosition | undefined) => Iterator<Step<IdPosition>, void>[] {
  const prepare = openStatements(db);
  const findNextResource = db.prepare<unknown[], string | null>(NEXT_RESOURCE_SQL).pluck();

  function listResources(journalId: number): string[] {
    const resources: string[] = [];
    for (let type: string | null | undefined = ''; ;) {
      type = findNextResource.get({ journalId, type });
      if (type === null || type === undefined) return resources;
      resources.push(type);
    }
  }

  return (filter, prefix, after) => {
    const { journalId, interface: by, status, type } = filter;
    const conditions = [
      matchSql(conditionsOf(filter)),
      ...(by === undefined ? [] : ['interface = @interface']),
      ...(status === undefined ? [] : ['status = @status']),
      ...(filter.from === undefined ? [] : ['sold_at >= @from']),
      ...(filter.to === undefined ? [] : ['sold_at < @to']),
    ];
    const start = after ?? { externalId: prefix, recordId: 0 };
    const scope = { ...parametersOf(filter), end: afterPrefix(prefix) };

    function* steps(stream: IdStream, resource?: string): Generator<Step<IdPosition>, void> {
      if (filter.idEnd !== undefined) {
        const findBoundary = prepare<{ external_id: string }>(skimSql(stream, 'boundary'));
        const listMatches = prepare<IdPosition>(skimSql(stream, 'matches', conditions));
        return yield* skim(
          ({ externalId }, skip) => findBoundary.get({ ...scope, resource, externalId, skip })?.external_id,
          (after, boundary) => listMatches.all({ ...scope, resource, ...after, boundary: boundary ?? scope.end }),
          start,
          maxSkimmed,
        );
      }
      const selectOf = (part: 'sameId' | 'furtherIds') => prepare<Looked<IdPosition>>(idSql(stream, part, conditions));
      const read = (position: IdPosition, limit: number) => {
        const at = { ...scope, resource, ...position };
        const rows = selectOf('sameId').all({ ...at, limit });
        const left = limit - rows.length;
        return left === 0 ? rows : rows.concat(selectOf('furtherIds').all({ ...at, limit: left }));
      };
      yield* lookAt(read, start, { left: maxLooked });
    }

    const hasOriginals = (stream: Interface): boolean => isSearched({ interface: stream, status: 'NEW' }, filter);
    const resources = hasOriginals('earlier') ? listResources(journalId) : [];
    return [
      ...(hasOriginals('current') ? [steps('originals')] : []),
      ...resources
        .filter((each) => type === undefined || each === type)
        .map((resource) => steps('earlier_originals', resource)),
      ...(status === 'NEW' ? [] : [steps('duplicates')]),
    ];
  };
}

/**
 * Returns the first text that sorts after all texts beginning with `prefix`, in the order of UTF-8. If there is no such text,
 * returns a blob, because SQLite sorts blobs after every text.
 */
export function afterPrefix(prefix: string): string | Uint8Array {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return new Uint8Array();
}
