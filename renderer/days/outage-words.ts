// An outage of a day's records, in words. Pure.

import type { TFunction } from 'i18next';

import type { OutageDiary } from '../../server/contract.ts';
import type { Formats } from '../words/format.ts';

/** "Line down 13:02–15:47: 212 sales kept; all delivered by 15:51." */
export function outageSentence(
  { state, from, to, kept, deliveredBy }: Omit<OutageDiary, 'laneId' | 'cause'>,
  t: TFunction<'day'>,
  formats: Pick<Formats, 'number' | 'time' | 'clock' | 'day'>,
): string {
  const start = formats.time(from);
  const end = (at: number, from: number): string =>
    formats.day(at) === formats.day(from) ? formats.clock(at) : formats.time(at);
  const when =
    to === null
      ? t('outageNow', { what: t(state), from: start })
      : t('outage', { what: t(state), from: start, to: end(to, from) });
  if (kept === 0) return `${when} ${t('keptNone')}`;
  const gone = deliveredBy === null ? t('notDelivered') : t('deliveredBy', { time: end(deliveredBy, to ?? from) });
  return `${when} ${t('kept', { count: kept, n: formats.number(kept) })} ${gone}`;
}
