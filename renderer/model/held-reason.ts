// Why the upstream rejected a record: a reason derived from its answer, and the text of the answer. Pure.

import type { Delivery } from '../../server/contract/records.ts';

/** Why the upstream rejected a record, as a key of the texts. */
export type HeldReason =
  | 'unreadable' // the upstream cannot read it
  | 'contradicts' // the upstream has another record with this id
  | 'tooLarge'
  | 'wrongForm'
  | 'wrongField'
  | 'refusedIt'
  /** The record was never sent, because it is damaged here. */
  | 'kept';

export function heldReasonOf(answerStatus: number | null): HeldReason {
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

/** The human-readable part of an answer: a known member of a JSON object, otherwise the whole text. */
export function readableAnswer(answer: Delivery['answer']): string {
  const text = (answer ?? '').trim();
  const body = parse(text);
  if (typeof body !== 'object' || body === null) return text;
  const message = ['detail', 'message', 'error_description', 'error', 'title']
    .map((name): unknown => Reflect.get(body, name))
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof message === 'string' ? message.trim() : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
