// What a repeated record means: what differs, how much later it arrived, and the deliveries of the original and the resend.
// Pure: other modules choose the words.

import type { DeliveryState } from '../../server/contract/codes.ts';
import { type Difference, MAX_DIFFERENCES, type RecordDetail } from '../../server/contract/records.ts';

export type Comparison =
  /** Both records have the same content. */
  | { readonly kind: 'same' }
  /** The content differs, but the bytes of a record are damaged, so the differences are unknown. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'changed'; readonly name: string; readonly original: string; readonly resent: string }
  /** The resend has a member that the original lacks. */
  | { readonly kind: 'added'; readonly name: string; readonly resent: string }
  | { readonly kind: 'left out'; readonly name: string; readonly original: string }
  /** A member name occurs twice, so it is unclear which value counts. */
  | { readonly kind: 'named twice'; readonly name: string }
  | { readonly kind: 'several'; readonly names: readonly string[]; readonly n: number; readonly isMore: boolean };

export interface Resend {
  readonly comparison: Comparison;
  /** How much later the resend arrived. */
  readonly laterMs: number;
  /** The till of the original and, if it differs, the till of the resend. */
  readonly tills: readonly [string] | readonly [string, string];
  /** The deliveries of the original and of the resend; null for a record that is not forwarded. */
  readonly original: DeliveryState | null;
  readonly resent: DeliveryState | null;
}

/** What a repeated record means. Undefined if the record does not repeat another. */
export function resendOf({ record, original, differences }: RecordDetail): Resend | undefined {
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

/** The last name of a JSON pointer, with the position if it is an array item. */
export function nameOf(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.at(-1) ?? '';
  const before = steps.at(-2);
  return /^\d+$/.test(last) && before !== undefined ? `${before} ${Number(last) + 1}` : last;
}

/** Maximum length of a value within a sentence. */
const MAX_VALUE_LENGTH = 40;

/** Whether a value, as JSON text, is short and simple enough for a sentence. */
export function fitsSentence(value: string): boolean {
  return value.length <= MAX_VALUE_LENGTH && !/^[{[]/.test(value);
}
