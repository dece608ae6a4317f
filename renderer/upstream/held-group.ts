// Held records by the reason they are held for: what the upstream said of each, in words. Pure.

import type { Cause } from '../../server/contract/codes.ts';
import type { Delivery, RecordSummary } from '../../server/contract/records.ts';

/** Why a record is held, as a text of the catalogue. */
export type HeldReason =
  | 'unreadable' // the upstream can't read it
  | 'contradicts' // the upstream has another one with this id
  | 'tooLarge'
  | 'wrongForm'
  | 'wrongField'
  | 'refusedIt'
  /** It never left: something is wrong with it here. */
  | 'kept';

export interface HeldGroup {
  /** What the group is told apart by. */
  readonly key: string;
  readonly reason: HeldReason;
  /** HTTP status. */
  readonly answerStatus: number | null;
  /** In the upstream's own words, of one of them; empty where it said nothing. */
  readonly said: string;
  /** Where it never left. */
  readonly cause: Cause | null;
  readonly records: readonly RecordSummary[];
}

/** The largest group first. Answers that differ only in ids and numbers are the same reason. */
export function groupHeld(records: readonly RecordSummary[]): readonly HeldGroup[] {
  const groups = new Map<
    string,
    Omit<HeldGroup, 'key' | 'reason' | 'records'> & { readonly records: RecordSummary[] }
  >();
  for (const record of records) {
    const { answerStatus = null, answer = null, cause = null } = record.delivery ?? {};
    const said = saidIn(answer);
    const key = `${answerStatus ?? cause?.code} ${said.replace(/\S*\d\S*/g, '#')}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { answerStatus, said, cause, records: [record] });
    else group.records.push(record);
  }
  return [...groups]
    .map(([key, group]) => ({ key, reason: reasonOf(group.answerStatus), ...group }))
    .toSorted((a, b) => b.records.length - a.records.length);
}

export function reasonOf(answerStatus: number | null): HeldReason {
  switch (answerStatus) {
    case null:
      return 'kept';
    case 400:
      return 'unreadable';
    case 409:
      return 'contradicts';
    case 413:
    case 414:
    case 431:
      return 'tooLarge';
    case 415:
      return 'wrongForm';
    case 422:
      return 'wrongField';
    default:
      return 'refusedIt';
  }
}

/** What an answer says to people: of JSON the member that does, otherwise the text. */
export function saidIn(answer: Delivery['answer']): string {
  const text = (answer ?? '').trim();
  const body = parse(text);
  if (typeof body !== 'object' || body === null) return text;
  const told = ['detail', 'message', 'error_description', 'error', 'title']
    .map((name): unknown => Reflect.get(body, name))
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof told === 'string' ? told.trim() : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
