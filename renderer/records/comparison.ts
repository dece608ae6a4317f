// What is to be said of a record that repeats another: what differs, how much later it came, and what became of both. Pure:
// the words are said elsewhere.

import type { DeliveryState } from '../../server/contract/codes.ts';
import { type Difference, MAX_DIFFERENCES, type RecordDetail } from '../../server/contract/records.ts';

export type Comparison =
  /** It says the same. */
  | { readonly kind: 'same' }
  /** It says something else, and damaged bytes can't tell what. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'changed'; readonly name: string; readonly original: string; readonly resent: string }
  /** It has something that the first one has not. */
  | { readonly kind: 'added'; readonly name: string; readonly resent: string }
  | { readonly kind: 'left out'; readonly name: string; readonly original: string }
  /** A name stands in it twice, so nobody can say which value counts. */
  | { readonly kind: 'named twice'; readonly name: string }
  | { readonly kind: 'several'; readonly names: readonly string[]; readonly n: number; readonly isMore: boolean };

export interface Resending {
  readonly comparison: Comparison;
  /** How much later it came than the first one. */
  readonly laterMs: number;
  /** The till of the first one and, where it is another, that of this one. */
  readonly tills: readonly [string] | readonly [string, string];
  /** Null where it is not forwarded. */
  readonly original: DeliveryState | null;
  readonly resent: DeliveryState | null;
}

/** Undefined for a record that repeats no other. */
export function resendingOf({ record, original, differences }: RecordDetail): Resending | undefined {
  if (original === null) return undefined;
  const { till, receivedAt, delivery } = original.record;
  return {
    comparison: record.status === 'IGNORED' ? { kind: 'same' } : comparisonOf(differences),
    laterMs: Math.max(0, record.receivedAt - receivedAt),
    tills: till === record.till ? [till] : [till, record.till],
    original: delivery?.state ?? null,
    resent: record.delivery?.state ?? null,
  };
}

function comparisonOf(differences: readonly Difference[]): Comparison {
  const [first] = differences;
  if (first === undefined) return { kind: 'untold' };
  if (differences.length > 1) {
    const names = [...new Set(differences.map(({ pointer }) => nameOf(pointer)))];
    return { kind: 'several', names, n: differences.length, isMore: differences.length >= MAX_DIFFERENCES };
  }
  const { original, resent } = first;
  const name = nameOf(first.pointer);
  if (original !== null && resent !== null && original !== resent) return { kind: 'changed', name, original, resent };
  if (original === null && resent !== null) return { kind: 'added', name, resent };
  if (original !== null && resent === null) return { kind: 'left out', name, original };
  return { kind: 'named twice', name };
}

/** What people call a place: its last name, with the number of the item where it is one of several. */
export function nameOf(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.at(-1) ?? '';
  const before = steps.at(-2);
  return /^\d+$/.test(last) && before !== undefined ? `${before} ${Number(last) + 1}` : last;
}

/** The longest value that is said within a sentence. */
const MAX_SAID_LENGTH = 40;

/** Whether a value, as JSON text, is short and plain enough to be said within a sentence. */
export function canBeSaid(value: string): boolean {
  return value.length <= MAX_SAID_LENGTH && !/^[{[]/.test(value);
}
