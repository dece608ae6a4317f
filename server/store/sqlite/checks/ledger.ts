// Checks of store days in SQLite.

import type { CheckLedger } from '../../checks/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openCheckLedger(parts: EngineParts): CheckLedger {
  const { reader, writer, reading, guard, changingDays, tell, now } = parts;
  return {
    async request(check) {
      const requested = await changingDays(writer.call('requestCheck', [check]));
      tell((watcher) => watcher.checkRequested?.(check.journalId));
      return requested;
    },
    listOpen: () => reading(reader.call('listOpenChecks', [])),
    noteProgress: (id, progress) => changingDays(writer.call('noteCheck', [id, progress])),
    end: (id, at) => changingDays(writer.call('endCheck', [id, at])),
    takeTurn: (journalId, holder, until) => guard(writer.call('takeCheckTurn', [journalId, holder, now(), until])),
    leaveTurns: (holder) => guard(writer.call('leaveCheckTurns', [holder])),
  };
}
