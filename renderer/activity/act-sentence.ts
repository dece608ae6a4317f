// What somebody did, as the name of a text of the catalogue and what is to be said in it. Pure: it knows the acts by their
// names and reads their details, which are made for the log; what it doesn't know is said as it stands there.

import type { ActView } from '../../server/contract/setup.ts';
import { clockOfMinutes } from '../lib/time-of-day.ts';

/** What an act about records was about. */
export type RecordsChosen =
  | { readonly kind: 'one'; readonly recordId: number }
  | { readonly kind: 'some'; readonly count: number }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  /** `endPoint` is as in `/v1/transaction`. */
  | { readonly kind: 'held at'; readonly endPoint: string }
  | { readonly kind: 'held' | 'all' };

export type ActSentence =
  | { readonly kind: 'pause' | 'resume' | 'tryNow' | 'createAdministration' }
  | { readonly kind: 'setUpstream'; readonly url: string }
  | { readonly kind: 'sendAgain'; readonly records: RecordsChosen }
  | { readonly kind: 'sendMissing'; readonly count: number }
  | { readonly kind: 'setAside'; readonly records: RecordsChosen; readonly reason: string }
  | { readonly kind: 'createKey' | 'adoptKey' | 'revokeKey'; readonly till: string; readonly id: number }
  | { readonly kind: 'rotateKey'; readonly till: string; readonly id: number; readonly replaced: number }
  | { readonly kind: 'addUser' | 'removeUser'; readonly name: string }
  | { readonly kind: 'signInLink' | 'signInPassword' | 'refuseSignIn' | 'refuseLink'; readonly address: string }
  | { readonly kind: 'signOut' | 'signOutEverywhere' | 'changePassword' }
  | { readonly kind: 'refuseCall'; readonly call: string; readonly status: string; readonly address: string }
  | { readonly kind: 'changeAdministration'; readonly changes: readonly Change[] }
  /** `of` is what the total is about, a type and a till; empty for the whole day. None for one that was taken back. */
  | { readonly kind: 'declareTotal'; readonly date: string; readonly total: number | undefined; readonly of: string }
  | { readonly kind: 'declareTotals'; readonly from: string; readonly to: string; readonly count: number }
  /** `said` is the name that was signed with, unless it is that of who did it, and the note. */
  | { readonly kind: 'signOff' | 'takeBackSignature'; readonly date: string; readonly said: string }
  | { readonly kind: 'other'; readonly act: string; readonly detail: string };

/** A setting that is another now; values as they stand in the log. */
export interface Change {
  readonly member: string;
  readonly was: string;
  readonly is: string;
}

export function actSentence(view: Pick<ActView, 'actor' | 'act' | 'detail'>): ActSentence {
  const { act, detail } = view;
  switch (act) {
    case 'pause':
    case 'resume':
      return { kind: act };
    case 'try now':
      return { kind: 'tryNow' };
    case 'create administration':
      return { kind: 'createAdministration' };
    case 'set upstream':
      return { kind: 'setUpstream', url: detail };
    case 'send again': {
      const missing = /^(\d+) records?( so far)?: \{"kind":"missing",/.exec(detail)?.[1];
      if (missing !== undefined) return { kind: 'sendMissing', count: Number(missing) };
      const { records } = readChoice(detail);
      return records === undefined ? other(view) : { kind: 'sendAgain', records };
    }
    case 'set aside': {
      const { records, rest } = readChoice(detail);
      if (records === undefined) return other(view);
      // Only held records can be set aside.
      return { kind: 'setAside', records: records.kind === 'all' ? { kind: 'held' } : records, reason: rest };
    }
    case 'create key':
    case 'adopt key':
    case 'revoke key':
    case 'rotate key':
      return readKeyAct(act, detail) ?? other(view);
    case 'add user':
      return { kind: 'addUser', name: detail.replace(/, (clerk|manager)$/, '') };
    case 'remove user':
      return { kind: 'removeUser', name: detail };
    case 'sign in':
    case 'refuse sign-in':
    case 'refuse link':
    case 'refuse call':
      return readEntrance(act, detail) ?? other(view);
    case 'sign out':
      return { kind: 'signOut' };
    case 'sign out everywhere':
      return { kind: 'signOutEverywhere' };
    case 'change password':
      return { kind: 'changePassword' };
    case 'change administration':
      return { kind: 'changeAdministration', changes: readChanges(detail) };
    case 'declare totals':
      return readDeclared(detail) ?? other(view);
    case 'sign off day':
    case 'take back signature':
      return readSignature(view) ?? other(view);
    default:
      return other(view);
  }
}

function other({ act, detail }: Pick<ActView, 'act' | 'detail'>): ActSentence {
  return { kind: 'other', act, detail };
}

/** `link, from 192.0.2.1`, `from 192.0.2.1`, or `403 manager_required, POST /api/keys, from 192.0.2.1`. */
function readEntrance(
  act: 'sign in' | 'refuse sign-in' | 'refuse link' | 'refuse call',
  detail: string,
): ActSentence | undefined {
  const { told = '', address } = /^(?:(?<told>.*), )?from (?<address>\S*)$/s.exec(detail)?.groups ?? {};
  if (address === undefined) return undefined;
  switch (act) {
    case 'sign in':
      return { kind: told === 'link' ? 'signInLink' : 'signInPassword', address };
    case 'refuse sign-in':
      return { kind: 'refuseSignIn', address };
    case 'refuse link':
      return { kind: 'refuseLink', address };
    case 'refuse call': {
      const { status, call } = /^(?<status>\d{3}) \w+, (?<call>.*)$/s.exec(told)?.groups ?? {};
      return status === undefined || call === undefined ? undefined : { kind: 'refuseCall', call, status, address };
    }
  }
}

const KEY_ACTS = { 'create key': 'createKey', 'adopt key': 'adoptKey', 'revoke key': 'revokeKey' } as const;

/** "Till 1, key 7, instead of key 3, which …": the till's name may hold commas. */
function readKeyAct(act: keyof typeof KEY_ACTS | 'rotate key', detail: string): ActSentence | undefined {
  const { till, id, more = '' } = /^(?<till>.*), key (?<id>\d+), (?<more>.*)$/s.exec(detail)?.groups ?? {};
  if (till === undefined) return undefined;
  if (act !== 'rotate key') return { kind: KEY_ACTS[act], till, id: Number(id) };
  const replaced = /^instead of key (\d+)/.exec(more)?.[1];
  return replaced === undefined ? undefined : { kind: 'rotateKey', till, id: Number(id), replaced: Number(replaced) };
}

/** `2026-11-04: 412 (sale, Till 1)`, `2026-11-04: taken back`, or `2026-11-01 … 2026-11-30: 30 totals`; a day alone may have several. */
function readDeclared(detail: string): ActSentence | undefined {
  const several = /^(?<from>\d{4}-\d\d-\d\d)(?: … (?<to>\d{4}-\d\d-\d\d))?: (?<count>\d+) totals$/.exec(detail)?.groups;
  if (several !== undefined) {
    const { from = '', to = from, count } = several;
    return { kind: 'declareTotals', from, to, count: Number(count) };
  }
  const {
    date,
    told,
    of = '',
  } = /^(?<date>\d{4}-\d\d-\d\d): (?<told>\d+|taken back)(?: \((?<of>.*)\))?$/s.exec(detail)?.groups ?? {};
  if (date === undefined) return undefined;
  return { kind: 'declareTotal', date, total: told === 'taken back' ? undefined : Number(told), of };
}

/** `2026-11-04: Ann, counted twice`: who signs may be another than who did it, and both may hold commas. */
function readSignature({ actor, act, detail }: Pick<ActView, 'actor' | 'act' | 'detail'>): ActSentence | undefined {
  const { date, signed = '' } = /^(?<date>\d{4}-\d\d-\d\d): (?<signed>.*)$/s.exec(detail)?.groups ?? {};
  if (date === undefined) return undefined;
  const said = `${signed}, `.startsWith(`${actor}, `) ? signed.slice(`${actor}, `.length) : signed;
  return { kind: act === 'sign off day' ? 'signOff' : 'takeBackSignature', date, said };
}

/** The choice of records in a detail, as JSON after how many they were, and what comes after it. */
function readChoice(detail: string): { readonly records: RecordsChosen | undefined; readonly rest: string } {
  const told = detail.replace(/^\d+ records?( so far)?: /, '');
  const end = told.indexOf('}') + 1;
  const choice = parse(told.slice(0, end));
  return { records: choice && chosen(choice), rest: told.slice(end).trim() };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function chosen(choice: Record<string, unknown>): RecordsChosen | undefined {
  const { kind, recordId, recordIds, from, to, version, resource } = choice;
  if (typeof recordId === 'number') return { kind: 'one', recordId };
  if (Array.isArray(recordIds)) {
    const first: unknown = recordIds[0];
    return recordIds.length === 1 && typeof first === 'number'
      ? { kind: 'one', recordId: first }
      : { kind: 'some', count: recordIds.length };
  }
  if (typeof from === 'number' && typeof to === 'number') return { kind: 'sold', from, to };
  if (kind === 'held at' && typeof version === 'string' && typeof resource === 'string')
    return { kind, endPoint: `/${version}/${resource}` };
  return kind === 'all' || kind === 'held' ? { kind } : undefined;
}

/** `timeZone: null → "Europe/Amsterdam", dayStartsAt: 0 → 240` */
function readChanges(detail: string): readonly Change[] {
  return [...detail.matchAll(/(?:^|, )(\w+): (.*?) → (.*?)(?=, \w+: |$)/gs)].map(
    ([, member = '', was = '', is = '']) => ({
      member,
      was,
      is,
    }),
  );
}

/** A value of the log as people read it; `is` names a text that says it. */
export type ValueWords = { readonly is: 'nothing' | 'yes' | 'no' } | { readonly text: string };

export function valueWords(member: string, json: string): ValueWords {
  if (json === 'null' || json === '[]') return { is: 'nothing' };
  if (json === 'true' || json === 'false') return { is: json === 'true' ? 'yes' : 'no' };
  if (member === 'dayStartsAt' && /^\d+$/.test(json)) return { text: clockOfMinutes(Number(json)) };
  return { text: json.replaceAll(/["[\]{}]/g, '').replaceAll(/([,:])(?=\S)/g, '$1 ') };
}
