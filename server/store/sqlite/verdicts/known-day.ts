// Reads the verdict and the signature that are in force for a store day, and the history of both.

import type { DayEntry } from '../../../contract/days.ts';
import type { DatesQuery } from '../../days/ledger.ts';
import type { KnownDay } from '../../verdicts/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { listSignOffEntries, openSignOffReader } from './sign-off.ts';
import { listVerdictEntries, openVerdictReader } from './verdict.ts';

/** Reads the verdicts and signatures in force, by date. Leaves out days without a verdict or signature. */
export function openKnownDayReader(db: Connection): (query: DatesQuery) => ReadonlyMap<string, KnownDay> {
  const readVerdicts = openVerdictReader(db);
  const readSignOffs = openSignOffReader(db);
  return (query: DatesQuery): ReadonlyMap<string, KnownDay> => {
    const { verdicts, passes } = readVerdicts(query);
    const signOffs = readSignOffs(query);
    const dates = new Set([...verdicts.keys(), ...signOffs.keys()]);
    return new Map(
      [...dates].map((date): [string, KnownDay] => [
        date,
        {
          verdict: verdicts.get(date),
          pass: passes.get(date),
          passedAt: passes.get(date)?.at,
          signOff: signOffs.get(date),
        },
      ]),
    );
  };
}

/** Lists all verdicts and signatures of a day, newest first. */
export function listDayEntries(db: Connection, journalId: number, date: string): DayEntry[] {
  const entries = [...listVerdictEntries(db, journalId, date), ...listSignOffEntries(db, journalId, date)];
  return entries.toSorted((a, b) => a.at - b.at).toReversed();
}
