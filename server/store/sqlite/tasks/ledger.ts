// Tasks in SQLite.

import type { TaskLedger } from '../../tasks/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openTaskLedger({ reader, writer, reading, guard, noteWritten, now }: EngineParts): TaskLedger {
  return {
    list: () => reading(reader.call('listTasks', [])),
    update(changes) {
      noteWritten(changes.begun.length + changes.changed.length + changes.ended.length);
      return guard(writer.call('updateTasks', [changes]));
    },
    mark: (mark, actor) => guard(writer.call('markTasks', [mark, actor, now()])),
    reopen: (id, actor) => guard(writer.call('reopenTask', [id, actor, now()])),
    noteSeen: (ids, actor) => guard(writer.call('noteTasksSeen', [ids, actor, now()])),
    readSources: () => reading(reader.call('readTaskSources', [])),
  };
}
