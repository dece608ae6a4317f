// Checks of store days against the upstream: the requested checks, their progress, and which process may ask the upstream.
// Checks are stored, so that they continue after a restart. A command can request a check from a running gateway.

import type { Cause } from '../../contract/codes.ts';
import type { DayCheck } from '../../contract/days.ts';

export interface CheckLedger {
  /** Requests a check. If an equal check was requested before and has not begun, returns that check instead. */
  request(check: NewCheck): Promise<OpenCheck>;
  /** The checks that have not ended, oldest first. */
  listOpen(): Promise<OpenCheck[]>;
  /** Stores the progress of a check. Rejects if the check does not exist. */
  noteProgress(id: number, progress: CheckProgress): Promise<void>;
  /** Ends a check; `at` is in epoch milliseconds. Rejects if the check does not exist. */
  end(id: number, at: number): Promise<void>;
  /**
   * Takes or extends the turn of a journal until `until`, in epoch milliseconds. Only the holder of the turn may ask the
   * upstream. Resolves to false while another holder has the turn.
   */
  takeTurn(journalId: number, holder: string, until: number): Promise<boolean>;
  /** Gives up all turns of a holder. Safe to call twice. */
  leaveTurns(holder: string): Promise<void>;
}

export interface NewCheck {
  readonly journalId: number;
  /** Dates, YYYY-MM-DD; `from` and `to` are both included. */
  readonly from: string;
  readonly to: string;
  /** True to compare every id. If false, the gateway may compare only counts. */
  readonly byIds: boolean;
  /**
   * Whether the gateway sends records again if they are missing upstream, even before the settle time of the day (`SETTLE_MS`)
   * is over.
   */
  readonly resend: boolean;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
}

/** A check that has not ended. */
export interface OpenCheck extends DayCheck {
  readonly journalId: number;
}

/** The progress of a check, to be stored. */
export interface CheckProgress {
  /** The next day to check. */
  readonly next: string;
  /** When the upstream stopped answering, in epoch milliseconds; null while it answers. `cause` says why. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
  /** Requests and bytes since progress was last stored. They are added to the stored numbers. */
  readonly requests: number;
  readonly bytes: number;
}
