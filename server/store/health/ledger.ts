// How the store and its machine are: trouble, damage, load and the clock.

import type { MachineView, SleepView, StoreTrouble } from '../../contract.ts';
import type { CheckResult } from '../sqlite/integrity/check.ts';
import type { ScrubState } from '../sqlite/integrity/scrub.ts';

export interface Health {
  /** Reads everything that is kept; queries wait meanwhile. */
  check(): Promise<CheckResult>;
  /** Notes that this machine slept; epoch milliseconds. */
  noteSleep(sleep: SleepView): Promise<void>;
  /** Why no records are taken at present, if so. */
  trouble(): StoreTrouble | undefined;
  /** How far the scrub has come. */
  readScrub(): Promise<ScrubState>;
  /** Scrubs the next slice of records, of a new scrub where the last one has ended. */
  scrubSlice(): Promise<{ readonly hasMore: boolean; readonly hasDamage: boolean }>;
  /** What is true of the machine now. */
  readMachine(): Promise<MachineView>;
  /** Another machine's clock shows the same as ours: one before the newest record is believed. Does nothing otherwise; safe to call twice. */
  confirmClock(): Promise<void>;
  /** Records waiting for the writer, those with it too whose tills wait for an answer, pages in the WAL at the last checkpoint. */
  load(): { readonly waiting: number; readonly unanswered: number; readonly walPages: number };
}
