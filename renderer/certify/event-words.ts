// The evidence of a step in words. Pure.

import type { TFunction } from 'i18next';

import {
  CERTIFY_IDLE_MINUTES,
  type CertifyEvent,
  type CertifySale,
  COME_BACK_SECONDS,
  MANY_DIGITS,
  SLOW_LINE_SECONDS,
} from '../../server/contract/certify.ts';
import { AHEAD_MINUTES } from '../../server/contract/records.ts';
import type { Formats } from '../locales/format.ts';

type Words = TFunction<'certify'>;

/** Values for the texts about steps and findings. */
export const STEP_VALUES = {
  comeBack: COME_BACK_SECONDS,
  slow: SLOW_LINE_SECONDS,
  clock: AHEAD_MINUTES,
  minutes: CERTIFY_IDLE_MINUTES,
  number: MANY_DIGITS,
} as const;

type UsedFormats = Pick<Formats, 'number' | 'span'>;

/** The sentence about an event. `nameOf` turns an actor of the log of acts into a name. */
export function eventWords(
  event: CertifyEvent,
  t: Words,
  formats: UsedFormats,
  nameOf: (actor: string) => string,
): string {
  switch (event.kind) {
    case 'sale':
      return saleWords(event, t, formats);
    case 'refused':
      return t('event_refused', { status: event.status, code: event.code, detail: event.detail });
    case 'fault': {
      const { externalId: id, calls, afterMs } = event;
      const what = t(`fault_${event.fault}`, { id, calls: formats.number(calls) });
      return afterMs === null ? what : t('event_after', { what, seconds: secondsOf(afterMs, formats) });
    }
    case 'waited':
      return t('event_waited', { id: event.externalId, seconds: secondsOf(event.afterMs, formats) });
    case 'gave up':
      return t('event_gaveUp', { id: event.externalId, seconds: secondsOf(event.afterMs, formats) });
    case 'query': {
      const [records, all] = [formats.number(event.records), formats.number(event.count)];
      if (!event.isExpanded) return t('event_counted', { all });
      if (event.page === null) return t('event_oldPage', { records, all });
      return t('event_page', { page: formats.number(event.page), records, all });
    }
    case 'confirmed':
      return t('event_confirmed', { by: nameOf(event.by) });
  }
}

/** Clock differences below this are normal between two machines. */
const SHOWN_CLOCK_SECONDS = 60;

function saleWords(sale: CertifySale, t: Words, formats: UsedFormats): string {
  const { externalId: id, recordId, status, clockSeconds, digits, isSame, afterMs } = sale;
  let what: string = t('event_sale', { id, record: recordId, status });
  if (afterMs !== null) what = t('event_after', { what, seconds: secondsOf(afterMs, formats) });
  if (Math.abs(clockSeconds) > SHOWN_CLOCK_SECONDS) {
    const span = formats.span(Math.abs(clockSeconds) * 1000);
    what = t(clockSeconds > 0 ? 'event_ahead' : 'event_behind', { what, span });
  }
  if (typeof digits === 'string') what = t(digits === 'number' ? 'event_number' : 'event_text', { what });
  else if (digits !== null) what = t('event_lost', { what, lost: digits.lost });
  return isSame === false ? t('event_changed', { what }) : what;
}

/** Rounded down to tenths, so that a call before the end of a time never seems to be in time. */
function secondsOf(ms: number, formats: UsedFormats): string {
  return formats.number(Math.floor(ms / 100) / 10);
}
