// Counts the calls and answers of a replay while it runs. Its memory is bounded: it describes only the first few faults.

import type { StatusCounts } from '../../../server/contract/codes.ts';
import { type Call, describeCall, type Receipt, type Verdict } from './plan.ts';
import type { Attempt } from './wire.ts';

/** The summary is also printed as JSON. Its members are single words, which are the same in code and in JSON. */
export interface ReplaySummary {
  /** True if everything was sent and all answers were as expected. */
  readonly ok: boolean;
  /** True if the file was replayed to its end. */
  readonly complete: boolean;
  /** Calls by kind, each counted once, without retries. */
  readonly sales: number;
  readonly duplicates: number;
  readonly changed: number;
  /** Answers by status, for kept records. */
  readonly answers: Readonly<StatusCounts>;
  /**
   * Sales answered IGNORED because the gateway had kept an earlier attempt whose answer was lost. This is correct. `answers`
   * counts them too.
   */
  readonly repeated: number;
  /** Calls that were refused permanently, by error code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Retried attempts, by cause. */
  readonly retries: Readonly<Record<string, number>>;
  /**
   * The retried attempts that the gateway may have kept although their answers were lost. So the gateway may have up to this
   * number of records that it has not acknowledged.
   */
  readonly lost: number;
  /** Calls that had no answer yet when the replay was stopped. */
  readonly unanswered: number;
  /** Unexpected answers. */
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
  /** Counts an abandoned call. `mayBeKept`: the gateway may have kept the record. */
  giveUp(mayBeKept: boolean): void;
  /** Notes that the file was replayed to its end. */
  complete(): void;
  /** The counts so far. */
  summarize(): ReplaySummary;
  /** Why the newest attempt failed. Undefined if it succeeded. */
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
      // Describes one fault of each code only: with a wrong key, for example, every call is refused.
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
