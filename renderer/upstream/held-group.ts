// Held records grouped by the upstream's reason. Pure.

import type { Cause } from '../../server/contract/codes.ts';
import type { RecordSummary } from '../../server/contract/records.ts';
import { type HeldReason, heldReasonOf, readableAnswer } from '../model/held-reason.ts';

export interface HeldGroup {
  /** Identifies the group. */
  readonly key: string;
  readonly reason: HeldReason;
  /** The HTTP status of the upstream's answer; null without an answer. */
  readonly answerStatus: number | null;
  /** The text of the upstream's answer for one of the records; empty if the answer had no text. */
  readonly answer: string;
  /** Why the records were never sent; null if the upstream rejected them. */
  readonly cause: Cause | null;
  readonly records: readonly RecordSummary[];
}

/** Largest group first. Answers that differ only in ids and numbers form one group. */
export function groupHeld(records: readonly RecordSummary[]): readonly HeldGroup[] {
  const groups = new Map<
    string,
    Omit<HeldGroup, 'key' | 'reason' | 'records'> & { readonly records: RecordSummary[] }
  >();
  for (const record of records) {
    const { answerStatus = null, answer = null, cause = null } = record.delivery ?? {};
    const ownWords = readableAnswer(answer);
    const key = `${answerStatus ?? cause?.code} ${ownWords.replace(/\S*\d\S*/g, '#')}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { answerStatus, answer: ownWords, cause, records: [record] });
    else group.records.push(record);
  }
  return [...groups]
    .map(([key, group]) => ({ key, reason: heldReasonOf(group.answerStatus), ...group }))
    .toSorted((a, b) => b.records.length - a.records.length);
}
