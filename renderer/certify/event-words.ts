// The evidence of a step in words. Pure.

import type { TFunction } from 'i18next';

import {
  CERTIFY_IDLE_MINUTES,
  type CertifyEvent,
  type CertifySale,
  COME_BACK_SECONDS,
  MANY_DIGITS,
  MAX_NORMAL_CLOCK_SECONDS,
  secondsOf,
  MAX_KEPT_SALES,
  SLOW_LINE_SECONDS,
} from '../../server/contract/certify.ts';
import { AHEAD_MINUTES } from '../../server/contract/records.ts';
import type { Formats } from '../locales/format.ts';

type Words = TFunction<'certify'>;

/** Values for the placeholders in texts about steps and findings. */
export const STEP_VALUES = {
  comeBack: COME_BACK_SECONDS,
  slow: SLOW_LINE_SECONDS,
  clock: AHEAD_MINUTES,
  minutes: CERTIFY_IDLE_MINUTES,
  number: MANY_DIGITS,
  most: MAX_KEPT_SALES,
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
      return afterMs === null ? what : t('event_after', { what, seconds: formats.number(secondsOf(afterMs)) });
    }
    case 'waited':
      return t('event_waited', { id: event.externalId, seconds: formats.number(secondsOf(event.afterMs)) });
    case 'gave up':
      return t('event_gaveUp', { id: event.externalId, seconds: formats.number(secondsOf(event.afterMs)) });
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

function saleWords(sale: CertifySale, t: Words, formats: UsedFormats): string {
  const { externalId: id, recordId, status, clockSeconds, digits, isSame, isCopy, afterMs } = sale;
  let what: string = t(`event_sale${status}`, { id, record: recordId });
  if (afterMs !== null) what = t('event_after', { what, seconds: formats.number(secondsOf(afterMs)) });
  if (clockSeconds !== null) {
    const span = formats.span(Math.abs(clockSeconds) * 1000);
    if (Math.abs(clockSeconds) <= MAX_NORMAL_CLOCK_SECONDS) what = t('event_clockRight', { what });
    else what = t(clockSeconds > 0 ? 'event_ahead' : 'event_behind', { what, span });
  }
  if (typeof digits === 'string') what = t(digits === 'number' ? 'event_number' : 'event_text', { what });
  else if (digits !== null) what = t('event_lost', { what, lost: digits.lost });
  if (isCopy) return t('event_copy', { what });
  return isSame === null ? what : t(isSame ? 'event_unchanged' : 'event_changed', { what });
}
