// Sentences about an outage and about a sleep of the machine. Pure.

import type { TFunction } from 'i18next';

import type { DayView, OutageDiary } from '../../server/contract/days.ts';
import type { Sleep } from '../../server/contract/machine.ts';
import type { Formats } from '../locales/format.ts';

/** The sentence about an outage, such as "No connection 13:02–15:47: 212 sales stored; all sent by 15:51." */
export function outageSentence(
  { state, from, to, kept, deliveredBy }: Omit<OutageDiary, 'laneId' | 'cause'>,
  t: TFunction<'day'>,
  formats: Times & Pick<Formats, 'number'>,
): string {
  const start = formats.time(from);
  const when =
    to === null
      ? t('outageNow', { what: t(state), from: start })
      : t('outage', { what: t(state), from: start, to: endOf(from, to, formats) });
  if (kept === 0) return `${when} ${t('keptNone')}`;
  const gone =
    deliveredBy === null ? t('notDelivered') : t('deliveredBy', { time: endOf(to ?? from, deliveredBy, formats) });
  return `${when} ${t('kept', { count: kept, n: formats.number(kept) })} ${gone}`;
}

/** The sentence about a sleep of the machine, such as "The computer was asleep 02:10–07:58. No till could send." */
export function sleepSentence({ from, to }: Sleep, t: TFunction<'day'>, formats: Times): string {
  return t('slept', { from: formats.time(from), to: endOf(from, to, formats) });
}

/** The sentences about all outages and sleeps of a day, in order of their start. */
export function listSentences(
  { outages, sleeps }: Pick<DayView, 'outages' | 'sleeps'>,
  t: TFunction<'day'>,
  formats: Times & Pick<Formats, 'number'>,
): string[] {
  const said = [
    ...outages.map((outage) => ({ from: outage.from, text: outageSentence(outage, t, formats) })),
    ...sleeps.map((sleep) => ({ from: sleep.from, text: sleepSentence(sleep, t, formats) })),
  ];
  return said.toSorted((one, other) => one.from - other.from).map(({ text }) => text);
}

type Times = Pick<Formats, 'time' | 'clock' | 'day'>;

/** The end of a period: only the time if the period ends on the day it began, otherwise with the date. */
function endOf(from: number, to: number, { time, clock, day }: Times): string {
  return day(to) === day(from) ? clock(to) : time(to);
}
