// The language of scripts: one line of text says how the stand-in answers. This file defines its words and rules, and its error
// messages, which name the wrong word. decision.ts applies a script to a call.

import type { Interface } from '../../../server/contract/codes.ts';
import { UsageError } from '../../../server/errors.ts';

export interface Script {
  /** The first rule that matches a call decides. If none matches, the main track decides. */
  readonly rules: readonly Rule[];
  readonly main: Track;
  /** The same seed gives the same random draws. */
  readonly seed: number;
}

/** A track for the calls that meet all conditions. */
export interface Rule {
  readonly conditions: readonly Condition[];
  readonly track: Track;
}

export type Condition =
  /** `pattern` is an id in which each `*` stands for any text. */
  | { readonly kind: 'id'; readonly pattern: string }
  /** Whether the call sends a record or is a query. */
  | { readonly kind: 'asks'; readonly asks: Asks }
  | { readonly kind: 'interface'; readonly interface: Interface }
  /** The number of the call among the calls with the same id, counted from 1. */
  | { readonly kind: 'attempt'; readonly from: number; readonly to: number }
  | { readonly kind: 'chance'; readonly percent: number };

export type Asks = 'record' | 'query';

/** Steps in order. After the last step the track starts again or is used up. */
export interface Track {
  readonly steps: readonly Step[];
  readonly repeats: boolean;
}

export interface Step {
  readonly behaviour: Behaviour;
  readonly lasts:
    | { readonly kind: 'calls'; readonly count: number }
    | { readonly kind: 'time'; readonly ms: number }
    | { readonly kind: 'ever' };
}

interface Common {
  /** Whether the stand-in accepts the record, whatever it answers. */
  readonly takes: boolean;
  /** The delay of the answer. The stand-in accepts the record before the delay. */
  readonly afterMs: number;
}

export type Behaviour = Common &
  (
    | { readonly kind: 'accept'; readonly status?: number; readonly body?: string }
    | {
        readonly kind: 'refuse';
        readonly status: number;
        readonly body?: string;
        readonly retryAfter?: RetryAfter;
      }
    | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
    /** Sends the answer byte by byte. */
    | { readonly kind: 'dribble'; readonly everyMs: number }
    | { readonly kind: PlainKind }
  );

type PlainKind = keyof typeof PLAIN_KINDS;

/** The value of Retry-After: seconds, a date relative to now, or any text. */
export type RetryAfter =
  | { readonly kind: 'seconds'; readonly seconds: number }
  | { readonly kind: 'date'; readonly inMs: number }
  | { readonly kind: 'text'; readonly text: string };

/** The behaviours that need only one word, and whether they accept the record. */
export const PLAIN_KINDS = {
  hang: false,
  close: false,
  reset: false,
  cut: true,
  twice: true,
  garbage: true,
  'wrong-type': true,
  down: false,
} as const;

export const isPlainKind = (word: string): word is PlainKind => Object.hasOwn(PLAIN_KINDS, word);

/** The default target of redirects. The stand-in has nothing there, so a client that follows a redirect gets an error. */
export const ELSEWHERE = '/elsewhere';

/** Units of time in milliseconds, largest first. */
export const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** The language in words, for people at a command line. */
export const SCRIPT_HELP = `A script is steps, one after the other:   500 x3, hang, 429 retry-after 2s, accept
  A step is a behaviour, and how long it lasts: x3 (calls), for 2s (ms, s, m, h, d). Without either it lasts one call,
  the last step for ever. "repeat" at the end begins again; else, what is used up gives way to accept.

Behaviours
  accept          takes the record: 201 for NEW, 200 for IGNORED and ERROR; "accept 202", or only "202", for another status
  400 … 599       answers with that status; "refuse 422" is the same
  redirect, 301 … 308   redirects;  to "http://…" says where
  hang            never answers                       twice       answers, and once more
  close           closes without an answer            garbage     answers with what is not HTTP
  cut             closes in the middle of the answer  wrong-type  answers with a page of HTML
  reset           resets the connection               dribble 5ms answers byte by byte
  slow 300ms      accepts after that time             down        does not listen; takes a time, or is the last step
cut, twice, garbage, wrong-type, dribble and slow take the record, the others do not, unless the script adds
  taken, untaken  for example "close taken": the record is there, the answer is lost
and to any of them
  after 2s        waits before it answers             body "…"    answers with that text (accept, 400 … 599)
  retry-after 3s, retry-after-date 3s, retry-after "soon"   sends the header Retry-After (400 … 599)

Rules for some of the calls stand before or after the steps, separated by semicolons; the first that applies decides:
  id=POISON-*: 500;  attempt=1: close taken;  20%: hang;  query: 500 x2, 503 for 5s;  seed=7;  accept
  Conditions are id=…, attempt=2 or attempt=1-3 (of its id), record, query, current, earlier and a percentage; several
  must all hold. A rule that is used up no longer applies. Quotes go around what has spaces or , ; : in it.`;

/** Reads a script. Throws a UsageError that names the wrong word. */
export function parseScript(text: string): Script {
  const rules: Rule[] = [];
  let main: Track | undefined;
  let seed = 1;
  for (const clause of split(readWords(text), ';')) {
    const [first] = clause;
    if (first === undefined) continue;
    const colon = clause.indexOf(MARKS[':']);
    const seedText = clause.length === 1 ? /^seed=(.*)$/.exec(first.text)?.[1] : undefined;
    if (seedText !== undefined) {
      seed = readWhole(seedText, first, 0);
    } else if (colon !== -1) {
      if (colon === 0) throw wrong(first, 'follows a condition, such as id=A*');
      const conditions = clause.slice(0, colon).map(readCondition);
      rules.push({ conditions, track: readTrack(clause.slice(colon + 1), first, 'rule') });
    } else if (main === undefined) {
      main = readTrack(clause, first, 'main');
    } else {
      throw wrong(first, 'begins a second list of steps; there is one, and rules such as "id=A*: 500"');
    }
  }
  return { rules, main: main ?? { steps: [{ behaviour: accept(), lasts: { kind: 'ever' } }], repeats: false }, seed };
}

/** A word as written, and its text without quotes. A punctuation mark is a word too. */
interface Word {
  readonly written: string;
  readonly text: string;
}

const MARKS: Readonly<Record<',' | ';' | ':', Word>> = {
  ',': { written: ',', text: ',' },
  ';': { written: ';', text: ';' },
  ':': { written: ':', text: ':' },
};

function readWords(text: string): Word[] {
  const words: Word[] = [];
  const next = /\s*(?:([,;:])|((?:"(?:[^"\\]|\\.)*"|[^\s,;:"])+))/y;
  while (text.slice(next.lastIndex).trim() !== '') {
    const start = next.lastIndex;
    const [, mark, written = ''] = next.exec(text) ?? [];
    if (mark === undefined && written === '') {
      const written = text.slice(start).trim();
      throw wrong({ written, text: written }, 'lacks its closing quote');
    }
    words.push(mark === undefined ? { written, text: unquote(written) } : MARKS[mark as ',' | ';' | ':']);
  }
  return words;
}

function unquote(written: string): string {
  return written.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw wrong({ written: quoted, text: quoted }, 'is not a text as JSON writes it');
    }
  });
}

function split(words: readonly Word[], mark: ',' | ';'): Word[][] {
  const parts: Word[][] = [[]];
  for (const word of words) {
    if (word === MARKS[mark]) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function readCondition(word: Word): Condition {
  const [, name, value = ''] = /^([a-z]+)=(.+)$/s.exec(word.text) ?? [];
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(word.text)?.[1];
  if (percent !== undefined) {
    if (Number(percent) > 100) throw wrong(word, 'is more than 100 %');
    return { kind: 'chance', percent: Number(percent) };
  }
  if (name === 'id') return { kind: 'id', pattern: value };
  if (name === 'attempt') {
    const [from = '', to = from] = value.split('-');
    const least = readWhole(from, word, 1);
    return { kind: 'attempt', from: least, to: readWhole(to, word, least) };
  }
  if (word.text === 'record' || word.text === 'query') return { kind: 'asks', asks: word.text };
  if (word.text === 'current' || word.text === 'earlier') return { kind: 'interface', interface: word.text };
  throw wrong(word, 'is no condition; they are id=…, attempt=…, record, query, current, earlier and a percentage');
}

function readTrack(words: readonly Word[], place: Word, of: 'main' | 'rule'): Track {
  const parts = split(words, ',');
  const repeats = parts.length > 1 && parts.at(-1)?.length === 1 && parts.at(-1)?.[0]?.text === 'repeat';
  if (repeats) parts.pop();
  const steps = parts.map((part, i) => {
    if (part.length === 0) throw wrong(parts[i - 1]?.at(-1) ?? place, 'is followed by a step that is missing');
    return readStep(part, !repeats && i === parts.length - 1);
  });
  if (of === 'rule' && steps.some(({ behaviour }) => behaviour.kind === 'down'))
    throw wrong(place, 'is a rule, and nothing can be down for some calls only');
  return { steps, repeats };
}

/** The words of a step, taken one by one. */
interface Cursor {
  readonly words: readonly Word[];
  at: number;
}

/** The additions after a behaviour's name. */
interface Additions {
  takes?: boolean;
  afterMs?: number;
  body?: string;
  retryAfter?: RetryAfter;
  location?: string;
  lasts?: Step['lasts'];
}

function readStep(words: readonly Word[], isLast: boolean): Step {
  const cursor: Cursor = { words, at: 0 };
  const name = getNext(cursor);
  const bare = readBehaviour(name, cursor);
  const additions: Additions = {};
  while (cursor.at < words.length) readAddition(cursor, bare, additions);
  const { lasts = isLast ? { kind: 'ever' } : { kind: 'calls', count: 1 }, ...rest } = additions;
  if (bare.kind === 'down' && lasts.kind === 'calls')
    throw wrong(name, 'cannot count calls; say how long, as in "down for 2s"');
  return { behaviour: { ...bare, ...rest }, lasts };
}

const accept = (): Behaviour => ({ kind: 'accept', takes: true, afterMs: 0 });

function readBehaviour(name: Word, cursor: Cursor): Behaviour {
  const common = { takes: false, afterMs: 0 };
  const following = cursor.words[cursor.at];
  switch (name.text) {
    case 'accept':
      if (following === undefined || !/^\d+$/.test(following.text)) return accept();
      return { ...accept(), kind: 'accept', status: readStatus(getNext(cursor), 200, 299) };
    case 'refuse':
      return { ...common, kind: 'refuse', status: readStatus(getNext(cursor, name), 400, 599) };
    case 'redirect':
      return { ...common, kind: 'redirect', status: 302, location: ELSEWHERE };
    case 'slow':
      return { ...accept(), afterMs: readTime(getNext(cursor, name)) };
    case 'dribble': {
      const everyMs = isTime(following) ? readTime(getNext(cursor)) : 1;
      return { ...common, kind: 'dribble', takes: true, everyMs };
    }
    default:
  }
  if (isPlainKind(name.text)) return { ...common, kind: name.text, takes: PLAIN_KINDS[name.text] };
  if (/^\d+$/.test(name.text)) {
    const status = readStatus(name, 200, 599);
    if (status < 300) return { ...accept(), kind: 'accept', status };
    if (status < 400) return { ...common, kind: 'redirect', status, location: ELSEWHERE };
    return { ...common, kind: 'refuse', status };
  }
  const known = ['accept', '400 … 599', 'refuse', 'redirect', 'slow', 'dribble', ...Object.keys(PLAIN_KINDS)];
  throw wrong(name, `is no behaviour; they are ${known.join(', ')}`);
}

/** Reads the next addition into `additions`. Throws if it does not fit the behaviour or is repeated. */
function readAddition(cursor: Cursor, { kind }: Behaviour, additions: Additions): void {
  const word = getNext(cursor);
  const set = <Name extends keyof Additions>(
    name: Name,
    value: Additions[Name],
    kinds?: readonly Behaviour['kind'][],
  ) => {
    const isFitting = kinds === undefined ? kind !== 'down' : kinds.includes(kind);
    if (!isFitting) throw wrong(word, `does not go with ${kind}`);
    if (additions[name] !== undefined) throw wrong(word, 'says again what was said before');
    additions[name] = value;
  };
  const lasting = (lasts: Step['lasts']): void => set('lasts', lasts, [kind]);
  if (/^x\d+$/.test(word.text)) return lasting({ kind: 'calls', count: readWhole(word.text.slice(1), word, 1) });
  switch (word.text) {
    case 'for':
      return lasting({ kind: 'time', ms: readTime(getNext(cursor, word)) });
    case 'taken':
    case 'untaken':
      return set('takes', word.text === 'taken');
    case 'after':
      return set('afterMs', readTime(getNext(cursor, word)));
    case 'body':
      return set('body', getNext(cursor, word).text, ['accept', 'refuse']);
    case 'to':
      return set('location', getNext(cursor, word).text, ['redirect']);
    case 'retry-after':
      return set('retryAfter', readRetryAfter(getNext(cursor, word)), ['refuse']);
    case 'retry-after-date':
      return set('retryAfter', { kind: 'date', inMs: readTime(getNext(cursor, word)) }, ['refuse']);
    case 'repeat':
      throw wrong(word, 'stands alone at the end, after a comma');
    default:
      throw wrong(
        word,
        'is not known here; a behaviour is followed by x3, for 2s, taken, untaken, after, body, to, retry-after or retry-after-date',
      );
  }
}

function readRetryAfter(word: Word): RetryAfter {
  if (word.written.startsWith('"')) return { kind: 'text', text: word.text };
  const ms = readTime(word);
  if (ms % 1000 !== 0) throw wrong(word, 'is not a whole number of seconds, which Retry-After is');
  return { kind: 'seconds', seconds: ms / 1000 };
}

function getNext(cursor: Cursor, before?: Word): Word {
  const word = cursor.words[cursor.at];
  if (word === undefined) throw wrong(before ?? MARKS[','], 'says nothing without the word that must follow');
  cursor.at += 1;
  return word;
}

function readStatus(word: Word, least: number, most: number): number {
  const status = /^\d{3}$/.test(word.text) ? Number(word.text) : Number.NaN;
  if (!(status >= least && status <= most)) throw wrong(word, `is not a status from ${least} to ${most}`);
  return status;
}

function readWhole(text: string, word: Word, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least)) throw wrong(word, `needs a whole number, ${least} or more`);
  return number;
}

const TIME = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

const isTime = (word: Word | undefined): boolean => word !== undefined && TIME.test(word.text);

/** Reads a time as milliseconds. */
function readTime(word: Word): number {
  const [, number, unit] = TIME.exec(word.text) ?? [];
  const ms = Math.round(Number(number) * UNITS[unit as keyof typeof UNITS]);
  if (!(ms > 0)) throw wrong(word, 'is not a time, such as 300ms, 2s, 5m, 1h or 30d');
  return ms;
}

function wrong({ written }: Word, what: string): UsageError {
  const shown = /^".*"$/s.test(written) ? written : `"${written}"`;
  return new UsageError(`script: ${shown} ${what}`);
}
