// What a replay sent and what came back, counted while it runs. Flat in memory: of what went wrong, only the first few
// are kept word for word.

import type { StatusCounts } from '../../../server/contract/codes.ts';
import { type Call, describeCall, type Receipt, type Verdict } from './plan.ts';
import type { Attempt } from './wire.ts';

/** Its members are single words, so that it is printed as JSON as it is. */
export interface ReplaySummary {
  /** Everything was sent and everything came back as expected. */
  readonly ok: boolean;
  /** The file was replayed to its end. */
  readonly complete: boolean;
  /** Calls by kind, each counted once however often it was tried. */
  readonly sales: number;
  readonly duplicates: number;
  readonly changed: number;
  /** Answers by status: what the gateway said it keeps. */
  readonly answers: Readonly<StatusCounts>;
  /** Sales answered IGNORED because an attempt whose answer was lost had been kept. Right, and in `answers` too. */
  readonly repeated: number;
  /** Calls refused for good, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Attempts that were tried again, by cause. */
  readonly retries: Readonly<Record<string, number>>;
  /** Of these, attempts that may have been kept all the same: the gateway may hold so many records more than it answered. */
  readonly lost: number;
  /** Calls given up without an answer, because the replay was stopped. */
  readonly unanswered: number;
  /** Answers that were not what they should be. */
  readonly unexpected: number;
  /** The first few unexpected answers, and the first refusal of each code, in words. */
  readonly faults: readonly string[];
  readonly seconds: number;
  /** Answers per second. */
  readonly rate: number;
}

const MAX_FAULTS = 10;

export interface Tally {
  begin(call: Call): void;
  retry(attempt: Attempt & { kind: 'failed' }): void;
  keep(receipt: Receipt, verdict: Verdict): void;
  refuse(call: Call, attempt: Attempt & { kind: 'refused' }): void;
  /** A call is given up: `mayBeKept` as for an attempt. */
  giveUp(mayBeKept: boolean): void;
  /** The file was replayed to its end. */
  complete(): void;
  /** What happened up to now. */
  summarize(): ReplaySummary;
  /** Why the newest attempt failed, while no attempt has succeeded since. */
  trouble(): string | undefined;
}

export function openTally(): Tally {
  const startedAt = performance.now();
  const calls = { sale: 0, duplicate: 0, changed: 0 };
  const answers: StatusCounts = { NEW: 0, IGNORED: 0, ERROR: 0 };
  const refused: Record<string, number> = {};
  const retries: Record<string, number> = {};
  const counts = { repeated: 0, lost: 0, unanswered: 0, unexpected: 0 };
  const faults: string[] = [];
  let isComplete = false;
  let trouble: string | undefined;

  const addFault = (fault: string): void => {
    if (faults.length < MAX_FAULTS) faults.push(fault);
  };

  return {
    begin(call) {
      calls[call.kind] += 1;
    },
    retry({ cause, mayBeKept }) {
      trouble = cause;
      retries[cause] = (retries[cause] ?? 0) + 1;
      if (mayBeKept) counts.lost += 1;
    },
    keep(receipt, verdict) {
      trouble = undefined;
      answers[receipt.status] += 1;
      if (verdict.kind === 'repeated') counts.repeated += 1;
      if (verdict.kind !== 'unexpected') return;
      counts.unexpected += 1;
      addFault(verdict.why);
    },
    refuse(call, { code, detail }) {
      trouble = undefined;
      refused[code] = (refused[code] ?? 0) + 1;
      // One of a kind is enough: with a wrong key every call is refused.
      if (refused[code] === 1) addFault(`${describeCall(call)} was refused (${code}): ${detail}`);
    },
    giveUp(mayBeKept) {
      counts.unanswered += 1;
      if (mayBeKept) counts.lost += 1;
    },
    complete() {
      isComplete = true;
    },
    trouble: () => trouble,
    summarize() {
      const seconds = (performance.now() - startedAt) / 1000;
      const answered = answers.NEW + answers.IGNORED + answers.ERROR;
      return {
        ok: isComplete && counts.unexpected === 0 && Object.keys(refused).length === 0,
        complete: isComplete,
        sales: calls.sale,
        duplicates: calls.duplicate,
        changed: calls.changed,
        answers: { ...answers },
        repeated: counts.repeated,
        refused: { ...refused },
        retries: { ...retries },
        lost: counts.lost,
        unanswered: counts.unanswered,
        unexpected: counts.unexpected,
        faults: [...faults],
        seconds: Number(seconds.toFixed(3)),
        rate: Math.round(answered / seconds),
      };
    },
  };
}
