// Collects writes that are not records: the last use of keys, unusual forms of calls, and refusals. Writes them once a second.
// Otherwise a busy till or a flood of bad calls would cost a transaction per call.

import { networkOf } from '../../../lib/network.ts';
import type { NewRefusal, KeyForm, SeenForm } from '../../records/ledger.ts';
import { groupOf, type NotedRefusal } from '../records/refusal.ts';
import { addToTally, type FormTally, tallyForms } from '../records/unusual-form.ts';
import type { KeyUse } from '../setup/key.ts';

const INTERVAL_MS = 1000;
/** Maximum refusals that wait to be written one by one. Further refusals are written as one entry per group. */
const MAX_REFUSALS = 1000;
/** Maximum groups of refusals that are counted in memory. Beyond this limit, refusals are grouped by their code only. */
const MAX_GROUPS = 1000;
/**
 * Budget of one network for refusals that get separate entries: `atOnce` at the start, and `perDay` more each day. Further
 * refusals are counted by group and hour.
 */
const MAX_LISTED = { atOnce: 5000, perDay: 200 };
const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum networks whose budget is remembered. The network whose last refusal is oldest is forgotten first. */
const MAX_NETWORKS = 10_000;

export interface Notes {
  /** Notes the use of a key. `at` is in epoch milliseconds; `address` is the base address that the till called. */
  noteKeyUse(keyId: number, at: number, address?: string): void;
  noteRefusal(refusal: NewRefusal): void;
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** Number of refused calls that are not written yet. */
  unwrittenRefusals(): number;
  /** Writes everything noted so far. Resolves when the attempt is over, even if it failed. */
  write(): Promise<void>;
  close(): void;
}

/**
 * Writes notes with `save`, but only while `canSave()` is true. If `save` fails, `onFault` gets the error. If `canSave()` has
 * become false by then, the notes stay for the next attempt. Otherwise they are lost.
 */
export function openNotes(
  canSave: () => boolean,
  save: (
    uses: ReadonlyMap<number, KeyUse>,
    refusals: readonly NotedRefusal[],
    forms: readonly KeyForm[],
  ) => Promise<void>,
  onFault: (error: unknown) => void,
): Notes {
  let uses = new Map<number, KeyUse>();
  let refusals = openPile();
  const takeListed = openListedBudget();
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
    noteKeyUse: (keyId, at, address) => void uses.set(keyId, { at, address }),
    noteRefusal: (refusal) => refusals.add({ ...refusal, calls: 1, isSurplus: !takeListed(refusal) }),
    unwrittenRefusals: () => writing + refusals.calls(),
    noteUnusualForms: (keyId, at, seen) => tallyForms(forms, keyId, at, seen),
    write,
    close: () => clearInterval(timer),
  };
}

interface Noted {
  readonly uses: ReadonlyMap<number, KeyUse>;
  readonly refusals: Pile;
  readonly forms: FormTally;
}

interface Pile {
  add(refusal: NotedRefusal): void;
  /** Lists the entries, oldest first; entries that count several calls come last. */
  list(): NotedRefusal[];
  calls(): number;
}

/** Collects refusals in a limited number of entries, but counts every refused call. */
function openPile(): Pile {
  const single: NotedRefusal[] = [];
  const merged = new Map<string, NotedRefusal>();
  let calls = 0;
  return {
    add(refusal) {
      calls += refusal.calls;
      if (!refusal.isSurplus && single.length < MAX_REFUSALS) return void single.push(refusal);
      const group = groupOf(refusal);
      const key = merged.has(group) || merged.size < MAX_GROUPS ? group : refusal.code;
      merged.set(key, { ...refusal, calls: (merged.get(key)?.calls ?? 0) + refusal.calls, isSurplus: true });
    },
    list: () => [...single, ...merged.values()],
    calls: () => calls,
  };
}

/**
 * Decides whether a refusal gets a separate entry in the log. Each network has a separate budget, so that a flood from one
 * network does not hide refusals of other networks.
 */
function openListedBudget(): (refusal: NewRefusal) => boolean {
  /** By network: the remaining budget, and when it was computed. */
  const left = new Map<string, { readonly count: number; readonly at: number }>();
  return ({ address, at }) => {
    const network = networkOf(address);
    const before = left.get(network) ?? { count: MAX_LISTED.atOnce, at };
    const earned = (Math.max(0, at - before.at) * MAX_LISTED.perDay) / DAY_MS;
    const count = Math.min(MAX_LISTED.atOnce, before.count + earned);
    const isListed = count >= 1;
    left.delete(network);
    left.set(network, { count: isListed ? count - 1 : count, at });
    const [oldest = ''] = left.keys();
    if (left.size > MAX_NETWORKS) left.delete(oldest);
    return isListed;
  };
}
