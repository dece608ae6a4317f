// What somebody did, in words. Pure.

import type { TFunction } from 'i18next';

import { ACTORS } from '../../server/contract/codes.ts';
import type { ActView } from '../../server/contract/setup.ts';
import type { Formats } from '../locales/format.ts';
import { type ActSentence, actSentence, type Change, type RecordsChosen, valueWords } from './act-sentence.ts';

/** The settings that have a name in words; any other is called as the log names it. */
const MEMBERS = [
  'name',
  'timeZone',
  'dayStartsAt',
  'customer',
  'versions',
  'resources',
  'forwarded',
  'othersSend',
] as const;

type Words = TFunction<'activity'>;
type DayFormats = Pick<Formats, 'day' | 'date' | 'number'>;

/** The whole sentence. `me` is how the log names the one who reads. */
export function actWords(view: ActView, me: string | undefined, t: Words, formats: DayFormats): string {
  const { actor, administration, mode, interface: by } = view;
  const store = [
    administration ?? '',
    ...(mode === 'test' ? [t('inTest')] : []),
    ...(by === 'earlier' ? [t('byEarlier')] : []),
  ].join(' ');
  return sentenceWords(actSentence(view), { who: whoWords(actor, me, t), store }, t, formats);
}

function whoWords(actor: string, me: string | undefined, t: Words): string {
  switch (actor) {
    case ACTORS.link:
      return t('atConsole');
    case ACTORS.commandLine:
      return t('commandLine');
    case ACTORS.firstStart:
      return t('firstStart');
    case ACTORS.demo:
      return t('demo');
    case ACTORS.gateway:
      return t('gateway');
    case ACTORS.unknown:
      return t('somebody');
    default:
      return actor === me ? t('you') : actor;
  }
}

function sentenceWords(
  sentence: ActSentence,
  about: { readonly who: string; readonly store: string },
  t: Words,
  formats: DayFormats,
): string {
  switch (sentence.kind) {
    case 'pause':
    case 'resume':
    case 'tryNow':
    case 'createAdministration':
      return t(sentence.kind, about);
    case 'setUpstream':
      return t(sentence.kind, { ...about, url: sentence.url });
    case 'createKey':
    case 'adoptKey':
    case 'revokeKey':
      return t(sentence.kind, { ...about, till: sentence.till, id: sentence.id });
    case 'addUser':
    case 'removeUser':
      return t(sentence.kind, { who: about.who, name: sentence.name });
    case 'signInLink':
    case 'signInPassword':
    case 'refuseSignIn':
    case 'refuseLink':
      return t(sentence.kind, { who: about.who, address: sentence.address });
    case 'signOut':
    case 'signOutEverywhere':
    case 'changePassword':
      return t(sentence.kind, { who: about.who });
    case 'refuseCall': {
      const { call, status, address } = sentence;
      return t(sentence.kind, { who: about.who, call, status, address });
    }
    case 'rotateKey': {
      const { till, id, replaced } = sentence;
      return t(sentence.kind, { ...about, till, id, replaced });
    }
    case 'sendAgain':
      return t(sentence.kind, { ...about, records: recordWords(sentence.records, t, formats) });
    case 'sendMissing': {
      const { count } = sentence;
      return t(sentence.kind, { ...about, count, n: formats.number(count) });
    }
    case 'setAside':
      return t(sentence.kind, {
        ...about,
        records: recordWords(sentence.records, t, formats),
        reason: sentence.reason,
      });
    case 'changeAdministration':
      return t(sentence.kind, {
        ...about,
        changes: sentence.changes.map((change) => changeWords(change, t)).join(', '),
      });
    case 'declareTotal': {
      const { date, total, of } = sentence;
      const day = of === '' ? formats.date(date) : t('dayOf', { day: formats.date(date), of });
      return total === undefined
        ? t('takeBackTotal', { ...about, day })
        : t('declareTotal', { ...about, day, n: formats.number(total) });
    }
    case 'declareTotals': {
      const { from, to, count } = sentence;
      const days = from === to ? formats.date(from) : t('days', { from: formats.date(from), to: formats.date(to) });
      return t(sentence.kind, { ...about, days, n: formats.number(count) });
    }
    case 'signOff':
    case 'takeBackSignature': {
      const { kind, date, said } = sentence;
      return t(said === '' ? kind : `${kind}Said`, { ...about, day: formats.date(date), said });
    }
    case 'other': {
      const { act, detail } = sentence;
      return about.store === '' ? t('other', { who: about.who, act, detail }) : t('otherOf', { ...about, act, detail });
    }
  }
}

function recordWords(records: RecordsChosen, t: Words, formats: DayFormats): string {
  switch (records.kind) {
    case 'one':
      return t('record', { id: records.recordId });
    case 'some':
      return t('records', { count: records.count, n: records.count });
    case 'sold':
      return t('recordsSold', { day: formats.day(records.from * 1000) });
    case 'held':
      return t('recordsHeld');
    case 'held at':
      return t('recordsHeldAt', { endPoint: records.endPoint });
    case 'all':
      return t('recordsAll');
  }
}

function changeWords({ member, was, is }: Change, t: Words): string {
  const known = MEMBERS.find((each) => each === member);
  const setting = known === undefined ? member : t(known);
  const said = (json: string): string => {
    const value = valueWords(member, json);
    return 'text' in value ? value.text : t(value.is);
  };
  return t('change', { setting, was: said(was), is: said(is) });
}
