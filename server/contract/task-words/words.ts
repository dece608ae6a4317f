// What the languages of task-words.ts share: the form of their texts, and how they write counts and lists. Pure.

import type { CauseCode } from '../codes.ts';
import type { TaskFact, TaskKind } from '../todo.ts';
import type { ReasonCode } from '../verdicts.ts';

/** Formats numbers and times in the reader's language and the store's time zone. */
export interface TaskFormats {
  number(value: number): string;
  /** Formats a calendar day, given as YYYY-MM-DD. */
  date(day: string): string;
  /** Formats a time, given in epoch milliseconds. */
  time(at: number): string;
  /** Returns the calendar day of a time (epoch milliseconds) as YYYY-MM-DD. */
  day(at: number): string;
  /** Formats disk space, given in bytes. */
  space(bytes: number): string;
}

/** Two sentences: `what` says what is wrong, and `action` says what to do. */
export interface TaskText {
  readonly what: string;
  readonly action: string;
}

type Of<Kind extends TaskKind> = Extract<TaskFact, { readonly kind: Kind }>;
export type Words = { readonly [Kind in TaskKind]: (fact: Of<Kind>, formats: TaskFormats) => TaskText };

/** Writes a count with its noun: "1 sale" or "12 sales". */
type Counter = (count: number, formats: TaskFormats) => string;
export const counter =
  (one: string, many: string): Counter =>
  (count, { number }) =>
    `${number(count)} ${count === 1 ? one : many}`;

/** Writes labels as a list: "Till 1, Till 2". */
export const listed = (labels: readonly string[]): string => labels.join(', ');

/** The reasons that make the verdict of a day `differs`. */
type Difference = Extract<
  ReasonCode,
  | 'missing_upstream'
  | 'held'
  | 'set_aside'
  | 'missing_here'
  | 'twice_upstream'
  | 'other_upstream'
  | 'declared_more'
  | 'declared_less'
  | 'amount_more'
  | 'amount_less'
>;
type Differences = Readonly<Record<Difference, string>>;

/** Writes the differences of a day: "2 sales are missing upstream, 1 sale is held". */
export function differencesOf(
  { reasons }: Of<'day_differs'>,
  words: Differences,
  sales: Counter,
  formats: TaskFormats,
): string {
  return reasons
    .flatMap(({ code, count }) => {
      const found = words[code.replace('earlier_', '') as Difference] as string | undefined;
      if (found === undefined) return [];
      // a difference in money is not counted in sales
      return [code.startsWith('amount_') ? found : `${sales(count, formats)} ${found}`];
    })
    .join(', ');
}

export function isKeyRefused(cause: CauseCode | null): boolean {
  return cause === 'key_refused';
}
