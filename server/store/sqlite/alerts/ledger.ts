// Alerts in SQLite.

import type { AlertLedger } from '../../alerts/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openAlertLedger({ writer, guard, changing, now }: EngineParts): AlertLedger {
  return {
    list: () => guard(writer.call('listReceivers', [])),
    add: (receiver, actor) => changing(writer.call('addReceiver', [receiver, actor, now()])),
    change: (id, change, actor) => changing(writer.call('changeReceiver', [id, change, actor, now()])),
    remove: (id, actor) => changing(writer.call('removeReceiver', [id, actor, now()])),
    mail: () => guard(writer.call('readMail', [])),
    setMail: (mail, actor) => changing(writer.call('setMail', [mail, actor, now()])),
    note: (report) => guard(writer.call('noteAlerts', [report])),
  };
}
