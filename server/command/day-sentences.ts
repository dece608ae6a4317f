// The reasons and notes of a verdict in words, as the command line prints them.

import { causeOf, causeWithCommand, type ShownOptions } from '../cause.ts';
import type { Interface } from '../contract/codes.ts';
import type { DaySummary } from '../contract/days.ts';
import type { Note, Reason } from '../contract/verdicts.ts';
import { PROGRAM } from '../program.ts';
import { formatTime } from './output.ts';

/** The parts of a sentence. */
interface Told {
  readonly count: number;
  readonly until: string;
  readonly cause: string;
  readonly day: DaySummary;
  readonly amounts: string;
  /** Options to show with a command: those of the data directory, and of the lane of each interface. */
  readonly shown: Record<Interface, ShownOptions>;
}

type Sentence = (told: Told) => string;

const SENTENCES: Record<Reason['code'], Sentence> = {
  not_over: () => 'The day is not over.',
  on_the_way: ({ count, cause }) => `${sales(count)} on the way upstream. ${cause}`.trim(),
  earlier_on_the_way: ({ count, cause }) =>
    `${sales(count)} from the earlier interface on the way upstream. ${cause}`.trim(),
  not_seen_yet: ({ count, until, day: { reasons } }) =>
    `${sales(count)} not seen upstream yet; this can take until ${until}.${reasons.some(({ code }) => code === 'sent_again') ? '' : ' To send them again at once: --resend.'}`,
  settling: ({ until, day: { here } }) =>
    here === 0 ? `It is checked after ${until}.` : `The upstream may not show all sales before ${until}.`,
  to_be_checked: () => 'It has not been checked yet.',
  late_records: ({ count }) => `${sales(count)} arrived after the last check.`,
  sent_again: ({ count }) => `${sales(count)} sent again.`,
  missing_upstream: ({ count }) => `${sales(count)} not upstream. To send them again: --resend.`,
  held: ({ count }) => `${sales(count)} held: rejected by the upstream.`,
  set_aside: ({ count }) => `${sales(count)} set aside.`,
  earlier_held: ({ count }) => `${sales(count)} from the earlier interface held: rejected by the upstream.`,
  earlier_set_aside: ({ count }) => `${sales(count)} from the earlier interface set aside.`,
  missing_here: ({ count }) => `${sales(count)} upstream and not here.`,
  twice_upstream: ({ count }) => `${sales(count)} upstream more than once.`,
  other_upstream: ({ count }) => `${sales(count)} upstream with another type or time.`,
  declared_more: ({ count }) => `${sales(count)} declared and not here.`,
  declared_less: ({ count }) => `${sales(count)} here and not declared.`,
  amount_more: ({ amounts }) => `${amounts} more declared than here.`,
  amount_less: ({ amounts }) => `${amounts} less declared than here.`,
  amount_filling: () => 'The amounts of older sales are still being read.',
  amount_unreadable: ({ count }) => `${sales(count)} without a readable amount.`,
  amount_no_rule: ({ count, shown }) =>
    `No setting says where the amount stands in ${sales(count)}: ${PROGRAM} amounts set --help${shown.current.data}.`,
  amount_no_currency: ({ shown }) =>
    `The declared amounts cannot be compared, because only one side has a currency: ${PROGRAM} amounts set --help${shown.current.data}.`,
  damaged_here: ({ count, shown }) => `${sales(count)} damaged on the disk: ${PROGRAM} status${shown.current.data}.`,
  no_upstream: ({ shown }) => causeWithCommand(causeOf('no_upstream'), shown.current),
  earlier_no_upstream: ({ count, shown }) =>
    `For ${sales(count)} from the earlier interface: ${causeWithCommand(causeOf('no_upstream'), shown.earlier)}`,
  upstream_silent: ({ cause }) => cause,
  upstream_unreadable: ({ cause }) => cause || "The upstream's answer cannot be read.",
};

/** The sentence for each note. `count` is its number of records. */
export const NOTES: Record<Note['code'], (count: number) => string> = {
  listed_twice: (count) =>
    `The upstream's list repeats ${count === 1 ? '1 entry' : `${count} entries`} with the same content. This is not a difference.`,
  counted_twice: (count) =>
    `The upstream counts ${sales(count)} twice, because ${count === 1 ? 'it was' : 'they were'} sent twice. This is not a difference.`,
  others_upstream: (count) => `${sales(count)} of other senders upstream.`,
};

function sales(count: number): string {
  return count === 1 ? '1 sale' : `${count} sales`;
}

/** The sentence for a reason. */
export function sentenceOf(
  { code, count = 0, until, cause, amounts = [] }: Reason,
  day: DaySummary,
  shown: Told['shown'],
): string {
  return SENTENCES[code]({
    count,
    until: formatTime(until ?? null),
    cause: cause === undefined ? '' : causeWithCommand(cause, shown[interfaceOf(code)]),
    day,
    amounts: amounts.map(({ currency, value }) => (currency === null ? value : `${currency} ${value}`)).join(', '),
    shown,
  });
}

export function interfaceOf(code: Reason['code']): Interface {
  return code === 'earlier_on_the_way' ? 'earlier' : 'current';
}
