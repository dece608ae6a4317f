// What is worth knowing but is no record: when keys were last used, unusual forms, and the refusal log. Gathered here and written
// once a second, so that neither a busy till nor a flood of bad calls costs a transaction each.

import type { Refusal } from './refusal.ts';
import { type FormTally, type KeyForm, type SeenForm, tallyForms } from './unusual-form.ts';

const INTERVAL_MS = 1000;
/** Refusals that wait to be written; in a flood the surplus is dropped. */
const MOST_REFUSALS = 1000;

export interface Notes {
  /** `at` in epoch milliseconds. */
  noteKeyUse(keyId: number, at: number): void;
  noteRefusal(refusal: Refusal): void;
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** Resolves when everything that was noted before is written, or has failed to be. */
  write(): Promise<void>;
  close(): void;
}

/**
 * `save` is told what to write, while `canSave`; what it rejects with goes to `onFault`, and those notes are lost.
 */
export function openNotes(
  canSave: () => boolean,
  save: (uses: ReadonlyMap<number, number>, refusals: readonly Refusal[], forms: readonly KeyForm[]) => Promise<void>,
  onFault: (error: unknown) => void,
): Notes {
  let uses = new Map<number, number>();
  let refusals: Refusal[] = [];
  let forms: FormTally = new Map();
  let written = Promise.resolve();

  async function writeNow(): Promise<void> {
    if ((uses.size === 0 && refusals.length === 0 && forms.size === 0) || !canSave()) return;
    const noted = { uses, refusals, forms: [...forms.values()] };
    uses = new Map();
    refusals = [];
    forms = new Map();
    await save(noted.uses, noted.refusals, noted.forms).catch(onFault);
  }
  /** One after the other, so that whoever waits has all that was noted before. */
  const write = (): Promise<void> => (written = written.then(writeNow));
  const timer = setInterval(() => void write(), INTERVAL_MS).unref();

  return {
    noteKeyUse: (keyId, at) => void uses.set(keyId, at),
    noteRefusal(refusal) {
      if (refusals.length < MOST_REFUSALS) refusals.push(refusal);
    },
    noteUnusualForms: (keyId, at, seen) => tallyForms(forms, keyId, at, seen),
    write,
    close: () => clearInterval(timer),
  };
}
