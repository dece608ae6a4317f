// Records in SQLite: the writer thread adds them in groups, the reader thread finds and reads them.

import type { Interface } from '../../../contract/codes.ts';
import type { RecordLedger, Arrival } from '../../records/ledger.ts';
import type { ComparisonQueue } from '../engine/comparison-queue.ts';
import type { TroubleWatch } from '../engine/disk-trouble.ts';
import type { GroupCommit } from '../engine/group-commit.ts';
import type { EngineParts } from '../engine/parts.ts';
import { interfaceOf } from './record.ts';

export interface RecordParts extends EngineParts {
  readonly groups: GroupCommit;
  readonly comparisons: ComparisonQueue;
  readonly trouble: TroubleWatch;
  readonly cursorSecret: Uint8Array;
}

export function openRecordLedger(parts: RecordParts): RecordLedger {
  const { reader, reading, notes, groups, comparisons, trouble, tell, now } = parts;
  /** Journals to which records were added since the watchers were last told. */
  const added = new Map<string, [journalId: number, by: Interface, newestId: number]>();

  function noteAdded(arrival: Arrival, recordId: number): void {
    const by = interfaceOf(arrival);
    if (added.size === 0) setImmediate(tellAdded);
    // replaces an older id, because outcomes come in the order of the arrivals
    added.set(`${arrival.journalId} ${by}`, [arrival.journalId, by, recordId]);
  }

  function tellAdded(): void {
    for (const what of added.values()) tell((watcher) => watcher.recordsAdded?.(...what));
    added.clear();
  }

  return {
    cursorSecret: parts.cursorSecret,

    async append(arrival) {
      trouble.assertTaking();
      let result = await groups.append(arrival);
      // The loop compares only once, because originals never change. The transaction still verifies that the original is the
      // one that was compared.
      while (result.status === 'uncompared') {
        const { originalId, originalBytes } = result;
        const { keyId, earlier, body } = arrival;
        const resend = { originalId, originalBytes, method: earlier?.method ?? null, body };
        const differences = await comparisons.compare(keyId, resend);
        trouble.assertTaking();
        result = await groups.append({ ...arrival, compared: { originalId, differences } });
      }
      if (result.status !== 'failed') {
        noteAdded(arrival, result.recordId);
        return result;
      }
      const cause = Object.assign(new Error(result.message), { code: result.code });
      return trouble.guard(Promise.reject(cause));
    },

    waitForRoom: comparisons.waitForRoom,

    queryRange: (query) => reading(reader.call('queryRange', [query])),
    countStatuses: () => reading(reader.call('countStatuses', [])),
    list: (filter) => reading(reader.call('listRecords', [filter])),
    search: (search) => reading(reader.call('searchRecords', [search])),
    get: (recordId) => reading(reader.call('getRecord', [recordId])),
    getBody: (recordId) => reading(reader.call('getRecordBody', [recordId])),
    getExcerpts: (recordIds, maxBytes) => reading(reader.call('getExcerpts', [recordIds, maxBytes])),

    noteRefusal: notes.noteRefusal,
    unwrittenRefusals: notes.unwrittenRefusals,
    async listRefusals(limit) {
      await notes.write();
      return reading(reader.call('listRefusals', [limit]));
    },
    async groupRefusals(choice) {
      await notes.write();
      return reading(reader.call('groupRefusals', [choice, now()]));
    },
    noteUnusualForms: notes.noteUnusualForms,
    async listUnusualForms() {
      await notes.write();
      return reading(reader.call('listUnusualForms', []));
    },
  };
}
