// Writes an entry of the log of acts as a sentence. Pure.

import type { TFunction } from 'i18next';

import type {
  NetworkChange,
  ActEntry,
  NotedAct,
  NotedRecords,
  SettingChange,
  UnknownAct,
} from '../../server/contract/acts.ts';
import { ACTORS } from '../../server/contract/codes.ts';
import type { TaskFact } from '../../server/contract/todo.ts';
import { clockOfMinutes } from '../lib/time-of-day.ts';
import type { Formats } from '../locales/format.ts';

type Words = TFunction<['activity', 'people']>;
type DayFormats = Pick<Formats, 'day' | 'date' | 'number' | 'amount'> & { readonly task: (fact: TaskFact) => string };

/** The sentence about an act. `me` is the name of the signed-in user in the log of acts. */
export function actWords(entry: ActEntry, me: string | undefined, t: Words, formats: DayFormats): string {
  const { actor, administration, mode, interface: by, act } = entry;
  const store = [
    administration ?? '',
    ...(mode === 'test' ? [t('inTest')] : []),
    ...(by === 'earlier' ? [t('byEarlier')] : []),
  ].join(' ');
  return sentence(act, { actor, who: whoWords(actor, me, t), store }, t, formats);
}

/** The id of the record if the act is about exactly one record; otherwise undefined. */
export function recordOf(act: ActEntry['act']): number | undefined {
  if (!('moved' in act)) return undefined;
  const { records } = act;
  if (records.kind === 'one') return records.recordId;
  return records.kind === 'some' && records.recordIds.length === 1 ? records.recordIds[0] : undefined;
}

function whoWords(actor: string, me: string | undefined, t: Words): string {
  switch (actor) {
    case ACTORS.link:
      return t('people:noName');
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

/**
 * Values for the placeholders of a sentence. `actor` is a name in the log of acts; `who` is the same name in words. `store`
 * also names test mode and the earlier interface.
 */
type About = Readonly<Record<'actor' | 'who' | 'store', string>>;

function sentence(act: NotedAct | UnknownAct, about: About, t: Words, formats: DayFormats): string {
  const { who } = about;
  switch (act.kind) {
    case 'pause':
    case 'resume':
      return t(act.kind, about);
    case 'try now':
      return t('tryNow', about);
    case 'restore':
      return act.madeAt === null ? t('restoreUndated', { who }) : t('restore', { who, time: formats.day(act.madeAt) });
    case 'confirm restore':
      return t('confirmRestore', { who });
    case 'create administration':
      return t('createAdministration', about);
    case 'change administration':
      return t('changeAdministration', {
        ...about,
        changes: act.changes.map((each) => changeWords(each, t)).join(', '),
      });
    case 'change network':
      return t('changeNetwork', { who, changes: act.changes.map((each) => changeWords(each, t)).join(', ') });
    case 'make authority':
      return t('makeAuthority', { who, fingerprint: act.fingerprint });
    case 'mark task': {
      const said = { who, task: formats.task(act.fact), note: act.note };
      if (act.as === 'not a problem') return t('markNotAProblem', said);
      return act.note === '' ? t('markDone', said) : t('markDoneSaid', said);
    }
    case 'add receiver':
      return t('addReceiver', { who, name: act.name });
    case 'change receiver':
      return t('changeReceiver', { who, name: act.name });
    case 'remove receiver':
      return t('removeReceiver', { who, name: act.name });
    case 'set mail server':
      return act.server === null ? t('removeMailServer', { who }) : t('setMailServer', { who, server: act.server });
    case 'reopen task':
      return t('reopenTask', { who, task: formats.task(act.fact) });
    case 'certify till': {
      const { till, passed, failed, skipped } = act;
      return t('certifyTill', { ...about, till, passed, failed, skipped });
    }
    case 'set amounts': {
      const { type, after } = act;
      if (after === null) return t('removeAmounts', { ...about, type });
      return t('setAmounts', { ...about, type, total: after.total });
    }
    case 'set upstream':
      return t('setUpstream', { ...about, url: act.url });
    case 'send again': {
      const count = act.moved ?? 0;
      const n = formats.number(count);
      if (!act.isOver) return t('sendAgainSoFar', { ...about, records: chosenWords(act, t, formats), n });
      if (act.records.kind === 'missing') return t('sendMissing', { ...about, count, n });
      return t('sendAgain', { ...about, records: chosenWords(act, t, formats) });
    }
    case 'set aside': {
      // Here “all” means all held records, because only held records can be set aside.
      const chosen: NotedRecords = act.records.kind === 'all' ? { kind: 'held' } : act.records;
      const said = { ...about, records: recordWords(chosen, t, formats), reason: act.reason };
      return act.isOver ? t('setAside', said) : t('setAsideSoFar', { ...said, n: formats.number(act.moved ?? 0) });
    }
    case 'create key':
      return t('createKey', { ...about, till: act.till, id: act.keyId });
    case 'adopt key':
      return t('adoptKey', { ...about, till: act.till, id: act.keyId });
    case 'revoke key':
      return t('revokeKey', { ...about, till: act.till, id: act.keyId });
    case 'rotate key':
      return t('rotateKey', { ...about, till: act.till, id: act.keyId, replaced: act.replacedId });
    case 'add user':
      return t('addUser', { who, name: act.name });
    case 'remove user':
      return t('removeUser', { who, name: act.name });
    case 'add read token':
      return t('addReadToken', { who, name: act.name });
    case 'remove read token':
      return t('removeReadToken', { who, name: act.name });
    case 'change role':
      return t(act.after === 'manager' ? 'makeManager' : 'makeClerk', { who, name: act.name });
    case 'reset password':
      return t('resetPassword', { who, name: act.name });
    case 'change password':
      return t('changePassword', { who });
    case 'sign in':
      return t(act.by === 'link' ? 'signInLink' : 'signInPassword', { who, address: act.address });
    case 'sign out':
      return t('signOut', { who });
    case 'sign out everywhere':
      return t('signOutEverywhere', { who });
    case 'refuse sign-in':
      return t('refuseSignIn', { who, address: act.address });
    case 'refuse link':
      return t('refuseLink', { who, address: act.address });
    case 'refuse call': {
      const { method, path, status, address } = act;
      return t('refuseCall', { who, call: `${method} ${path}`, status, address });
    }
    case 'declare total': {
      const { records, date } = act;
      const of = [act.type, act.till].filter((part) => part !== null).join(', ');
      const day = of === '' ? formats.date(date) : t('dayOf', { day: formats.date(date), of });
      if (records === null) return t('takeBackTotal', { ...about, day });
      const n = formats.number(records);
      const amounts = (act.amounts ?? []).map(formats.amount).join(', ');
      return t('declareTotal', { ...about, day, n: amounts === '' ? n : `${n} (${amounts})` });
    }
    case 'import totals': {
      const [from, to] = [formats.date(act.from), formats.date(act.to)];
      const days = act.from === act.to ? from : t('days', { from, to });
      return t('declareTotals', { ...about, days, n: formats.number(act.totals) });
    }
    case 'sign off day':
    case 'take back signature': {
      const kind = act.kind === 'sign off day' ? 'signOff' : 'takeBackSignature';
      const name = act.name === about.actor ? '' : act.name;
      const said = [name, act.note].filter((part) => part !== '').join(', ');
      return t(said === '' ? kind : `${kind}Said`, { ...about, day: formats.date(act.date), said });
    }
    case 'unknown': {
      const { name, text } = act;
      return t(about.store === '' ? 'other' : 'otherOf', { ...about, act: name, detail: text });
    }
  }
}

/**
 * The chosen records in words, with “including delivered ones” if the act includes delivered records. These words are left out
 * for missing sales, because all of those were delivered, and for a single record.
 */
function chosenWords(act: Extract<NotedAct, { kind: 'send again' }>, t: Words, formats: DayFormats): string {
  const records = recordWords(act.records, t, formats);
  const isPlain = !act.delivered || act.records.kind === 'missing' || recordOf(act) !== undefined;
  return isPlain ? records : t('recordsDelivered', { records });
}

/** The records of an act in words. */
function recordWords(records: NotedRecords, t: Words, formats: DayFormats): string {
  switch (records.kind) {
    case 'one':
      return t('record', { id: records.recordId });
    case 'some': {
      const count = records.recordIds.length;
      return count === 1 ? t('record', { id: records.recordIds[0] ?? 0 }) : t('records', { count, n: count });
    }
    case 'sold':
      return t('recordsSold', { day: formats.day(records.from * 1000) });
    case 'held':
      return t('recordsHeld');
    case 'held at':
      return t('recordsHeldAt', { endPoint: `/${records.version}/${records.resource}` });
    case 'missing':
      return t('recordsMissing');
    case 'all':
      return t('recordsAll');
  }
}

type Change = SettingChange | NetworkChange;

function changeWords({ member, before, after }: Change, t: Words): string {
  return t('change', { setting: t(member), was: valueWords(member, before, t), is: valueWords(member, after, t) });
}

function valueWords(member: Change['member'], value: Change['before'], t: Words): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return t('nothing');
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (member === 'dayStartsAt' && typeof value === 'number') return clockOfMinutes(value);
  return plainText(value);
}

/** A value of a setting as text, such as `NEW, ERROR` or `name: bakery, id: 1207`. */
function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${each}`)
    .join(', ');
}
