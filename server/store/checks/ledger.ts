// Checks of store days against the upstream: which were requested, how far they are, and which process may ask the upstream.
// A check is stored, so that it continues after a restart and a command can request one from a running gateway.

import type { Cause } from '../../contract/codes.ts';
import type { DayCheck } from '../../contract/days.ts';

export interface CheckLedger {
  /** Requests a check. Returns the same check again if it is repeated before it begins. */
  request(check: NewCheck): Promise<OpenCheck>;
  /** The checks that have not ended, oldest first. */
  listOpen(): Promise<OpenCheck[]>;
  /** Stores the progress of a check. Rejects if there is no such check. */
  noteProgress(id: number, progress: CheckProgress): Promise<void>;
  /** Ends a check; `at` is in epoch milliseconds. Rejects if there is no such check. */
  end(id: number, at: number): Promise<void>;
  /**
   * Takes the turn to ask the upstream of a journal, or extends it, until a time in epoch milliseconds. Resolves to false while
   * another holder has it.
   */
  takeTurn(journalId: number, holder: string, until: number): Promise<boolean>;
  /** Gives up all turns of a holder. Safe to call twice. */
  leaveTurns(holder: string): Promise<void>;
}

export interface NewCheck {
  readonly journalId: number;
  /** YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  /** Compare every id and not only counts. */
  readonly byIds: boolean;
  /** Resend missing records even before the settle time is over. */
  readonly resend: boolean;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
}

/** A check that has not ended. */
export interface OpenCheck extends DayCheck {
  readonly journalId: number;
}

/** The progress of a check since it was last stored. */
export interface CheckProgress {
  /** The next day to check. */
  readonly next: string;
  /** Since when the upstream has not answered, in epoch milliseconds, and why; null while it answers. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
  /** Requests and bytes since the last note; they are added up. */
  readonly requests: number;
  readonly bytes: number;
}
