// What is worth knowing but is no record: when keys were last used, unusual forms, and the refusal log. Gathered here and written
// once a second, so that neither a busy till nor a flood of bad calls costs a transaction each.

import { groupOf, type NewRefusal, type Refusal } from './refusal.ts';
import { addToTally, type FormTally, type KeyForm, type SeenForm, tallyForms } from './unusual-form.ts';

const INTERVAL_MS = 1000;
/** Refusals that wait to be written one by one. The surplus is written as one for each group. */
const MAX_REFUSALS = 1000;
/** Groups that are told apart in the surplus; beyond, only the code is. */
const MAX_GROUPS = 1000;

export interface Notes {
  /** `at` in epoch milliseconds. */
  noteKeyUse(keyId: number, at: number): void;
  noteRefusal(refusal: NewRefusal): void;
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** Calls that were refused and are not written yet. */
  unwrittenRefusals(): number;
  /** Resolves when everything that was noted before is written, or has failed to be. */
  write(): Promise<void>;
  close(): void;
}

/**
 * `save` is told what to write, while `canSave`. What it rejects with goes to `onFault`: the notes are kept for later where they
 * cannot be saved any more, and else are lost.
 */
export function openNotes(
  canSave: () => boolean,
  save: (uses: ReadonlyMap<number, number>, refusals: readonly Refusal[], forms: readonly KeyForm[]) => Promise<void>,
  onFault: (error: unknown) => void,
): Notes {
  let uses = new Map<number, number>();
  let refusals = openPile();
  let forms: FormTally = new Map();
  let writing = 0;
  let written = Promise.resolve();

  async function writeNow(): Promise<void> {
    if ((uses.size === 0 && refusals.calls() === 0 && forms.size === 0) || !canSave()) return;
    const noted = { uses, refusals, forms };
    uses = new Map();
    refusals = openPile();
    forms = new Map();
    writing = noted.refusals.calls();
    try {
      await save(noted.uses, noted.refusals.list(), [...noted.forms.values()]);
    } catch (error) {
      onFault(error);
      if (!canSave()) putBack(noted);
    }
    writing = 0;
  }

  function putBack(noted: Noted): void {
    uses = new Map([...noted.uses, ...uses]);
    const since = { refusals: refusals.list(), forms: [...forms.values()] };
    ({ refusals, forms } = noted);
    for (const refusal of since.refusals) refusals.add(refusal);
    for (const form of since.forms) addToTally(forms, form);
  }
  /** Writes run one after another, so `write()` covers everything noted before it. */
  const write = (): Promise<void> => (written = written.then(writeNow));
  const timer = setInterval(() => void write(), INTERVAL_MS).unref();

  return {
    noteKeyUse: (keyId, at) => void uses.set(keyId, at),
    noteRefusal: (refusal) => refusals.add({ ...refusal, calls: 1 }),
    unwrittenRefusals: () => writing + refusals.calls(),
    noteUnusualForms: (keyId, at, seen) => tallyForms(forms, keyId, at, seen),
    write,
    close: () => clearInterval(timer),
  };
}

interface Noted {
  readonly uses: ReadonlyMap<number, number>;
  readonly refusals: Pile;
  readonly forms: FormTally;
}

interface Pile {
  add(refusal: Refusal): void;
  /** Oldest first, those that stand for several calls at the end. */
  list(): Refusal[];
  calls(): number;
}

/** Bounded, and complete in number. */
function openPile(): Pile {
  const single: Refusal[] = [];
  const merged = new Map<string, Refusal>();
  let calls = 0;
  return {
    add(refusal) {
      calls += refusal.calls;
      if (single.length < MAX_REFUSALS) return void single.push(refusal);
      const group = groupOf(refusal);
      const key = merged.has(group) || merged.size < MAX_GROUPS ? group : refusal.code;
      merged.set(key, { ...refusal, calls: (merged.get(key)?.calls ?? 0) + refusal.calls });
    },
    list: () => [...single, ...merged.values()],
    calls: () => calls,
  };
}
