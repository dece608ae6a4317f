// How far the first run is. The gateway knows what is set up. This tab remembers the rest, such as the step and the secret of
// the new key, which the gateway does not keep. So a reload continues at the same step, unless the browser refuses storage.

import { type Mode, MODES } from '../../server/contract/codes.ts';
import type { CreatedKey } from '../../server/contract/setup.ts';
import { FIRST_START, type Till } from '../../server/contract/setup.ts';
import { keepTabStored, readTabStored, removeTabStored } from '../lib/browser-storage.ts';

/** The last step waits for the first record. */
export const STEPS = ['store', 'till', 'upstream', 'people', 'record'] as const;
export type Step = (typeof STEPS)[number];

export interface Progress {
  readonly step: Step;
  /** Whether this run sets up an additional store. */
  readonly isAnother: boolean;
  /** Whether a till had a key when the first run began. Then the store has a separate page, before the page for the till. */
  readonly hadTill: boolean;
  /** Whether somebody has confirmed the name, the time zone and the start of the day. */
  readonly isNamed: boolean;
  readonly administration: string | undefined;
  /** The mode in which this run began; undefined for an additional store. After a key is created, the mode of that key. */
  readonly mode: Mode | undefined;
  /** The key that this run created. Removed at the end of the first run, because it contains the secret. */
  readonly created: CreatedKey | undefined;
  /** Whether somebody copied, printed or used the key in `created`. */
  readonly isTaken: boolean;
}

/** What is set up already. */
export interface Facts {
  readonly isNetworkOpen: boolean;
  readonly hasTill: boolean;
  readonly hasUpstream: boolean;
  readonly hasUsers: boolean;
}

/**
 * Finds a till with a valid key. Ignores the key that the gateway prints at its first start, because perhaps nobody has seen
 * it.
 */
export function findFirstTill(tills: readonly Till[]): Till | undefined {
  return tills.find(
    ({ label, keys }) => label !== FIRST_START.till && keys.some(({ revokedAt }) => revokedAt === null),
  );
}

/** The first step that a newly opened browser tab shows. */
export function firstStep({ isNetworkOpen, hasTill, hasUpstream, hasUsers }: Facts): Step {
  if (!hasTill) return 'till';
  if (!hasUpstream && !hasUsers && !isNetworkOpen) return 'store';
  if (!hasUpstream) return 'upstream';
  return hasUsers ? 'record' : 'people';
}

/** The questions of this run. A run for an additional store skips the question about the first manager. */
export function questionsOf({ isAnother, hadTill }: Pick<Progress, 'isAnother' | 'hadTill'>): readonly Step[] {
  return STEPS.filter(
    (step) => step !== 'record' && (step !== 'people' || !isAnother) && (step !== 'store' || hadTill),
  );
}

/** The step that follows `step` in this run. */
export function stepAfter(step: Step, questions: readonly Step[]): Step {
  return STEPS.slice(STEPS.indexOf(step) + 1).find((each) => questions.includes(each)) ?? 'record';
}

/** The question that comes before `step` in this run; undefined for the first question. */
export function stepBefore(step: Step, questions: readonly Step[]): Step | undefined {
  return questions.findLast((each) => STEPS.indexOf(each) < STEPS.indexOf(step));
}

const STORAGE_NAME = 'counterfoil.welcome';

/** The progress of this tab. Undefined at the first visit, and if the visit starts an additional store. */
export function readProgress(isAnother: boolean): Progress | undefined {
  const kept = parse(readTabStored(STORAGE_NAME));
  return kept !== undefined && isAnother && !kept.isAnother ? undefined : kept;
}

export function keepProgress(progress: Progress): void {
  keepTabStored(STORAGE_NAME, JSON.stringify(progress));
}

export function forgetProgress(): void {
  removeTabStored(STORAGE_NAME);
}

function parse(text: string | null): Progress | undefined {
  const kept = (text === null ? null : JSON.parse(text)) as Partial<Progress> | null;
  const step = STEPS.find((each) => each === kept?.step);
  const mode = MODES.find((each) => each === kept?.mode);
  if (kept === null || step === undefined) return undefined;
  const { isAnother = false, hadTill = false, isNamed = false, isTaken = false, administration, created } = kept;
  return { step, mode, isAnother, hadTill, isNamed, isTaken, administration, created };
}
