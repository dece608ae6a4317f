// Stores each act of the log also as JSON, beside its words. An old act gets JSON only if its words have exactly one meaning.
// Otherwise the column stays null, and the console shows the words. The words stay in all rows, for earlier versions.

import type { Connection } from '../engine/database.ts';

/** Number of acts that are read together. It limits the memory for a long log. */
const PAGE = 5000;

interface OldAct {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly act: string;
  readonly detail: string;
}

type Data = Readonly<Record<string, unknown>>;

export function addActData(db: Connection): void {
  db.exec(`
    -- The act as JSON; null where an earlier version wrote it in words that do not parse.
    ALTER TABLE acts ADD COLUMN data TEXT;`);
  const select = db.prepare<[number], OldAct>(
    `SELECT id, at, actor, act, detail FROM acts WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  );
  const update = db.prepare('UPDATE acts SET data = ? WHERE id = ?');
  const days = readDayEntries(db);
  for (let page = select.all(0); page.length > 0; page = select.all(page.at(-1)?.id ?? 0))
    for (const old of page) {
      const data = parse(old, days);
      if (data !== undefined) update.run(JSON.stringify(data), old.id);
    }
}

function parse(old: OldAct, days: DayEntries): Data | undefined {
  const { act: kind, detail } = old;
  switch (kind) {
    case 'create administration':
    case 'change password':
    case 'sign out':
    case 'sign out everywhere':
    case 'pause':
    case 'resume':
    case 'try now':
      return detail === '' ? { kind } : undefined;
    case 'set upstream':
      return { kind, url: detail };
    case 'remove user':
      return { kind, name: detail };
    case 'add user': {
      const { name, role } = match(/^(?<name>.*), (?<role>clerk|manager)$/su, detail);
      return role === undefined ? undefined : { kind, name, role };
    }
    case 'create key':
    case 'adopt key':
    case 'revoke key': {
      const form = /^(?<till>.*), key (?<id>\d+), for (?<by>current|earlier|both)$/su;
      const { till, id, by } = match(form, detail);
      return id === undefined ? undefined : { kind, till, keyId: Number(id), interface: by };
    }
    case 'rotate key':
      return parseRotation(kind, detail);
    case 'sign in': {
      const { by, address } = match(/^(?<by>link|password), from (?<address>\S*)$/u, detail);
      return by === undefined ? undefined : { kind, by, address };
    }
    case 'refuse sign-in':
    case 'refuse link': {
      const { address } = match(/^from (?<address>\S*)$/u, detail);
      return address === undefined ? undefined : { kind, address };
    }
    case 'refuse call': {
      const form = /^(?<status>\d{3}) (?<code>\w+), (?<method>[A-Z]+) (?<path>\S*), from (?<address>\S*)$/u;
      const { status, code, method, path, address } = match(form, detail);
      return status === undefined ? undefined : { kind, status: Number(status), code, method, path, address };
    }
    case 'change administration':
      return parseChanges(kind, detail);
    case 'send again':
    case 'set aside':
      return parseRecordAct(kind, detail);
    case 'declare totals':
      return parseTotals(old, days);
    case 'sign off day':
    case 'take back signature':
      return days.signatures.get(keyOf(old)) ?? undefined;
    default:
      return undefined;
  }
}

/** Returns the named groups of a match. Returns an empty object if the text has another form. */
function match(form: RegExp, text: string): Readonly<Record<string, string | undefined>> {
  return form.exec(text)?.groups ?? {};
}

/** A till's name may contain any text, so only the end of the detail shows where the name ends. */
function parseRotation(kind: string, detail: string): Data | undefined {
  const form = /^(?<till>.*), key (?<id>\d+), instead of key (?<old>\d+), which works until (?<until>\S+)$/su;
  const { till, id, old, until = '' } = match(form, detail);
  const replacedUntil = Date.parse(until);
  if (Number.isNaN(replacedUntil) || new Date(replacedUntil).toISOString() !== until) return undefined;
  return { kind, till, keyId: Number(id), replacedId: Number(old), replacedUntil };
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (isItem: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isItem);
const isObjectOf =
  (...members: string[]) =>
  (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === members.join() &&
    Object.values(value).every(isText);
const isCustomer = isObjectOf('name', 'id');

/** Checks for each setting whether a value has a valid form. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isText,
  timeZone: (value) => value === null || isText(value),
  dayStartsAt: Number.isSafeInteger,
  customer: (value) => value === null || isCustomer(value),
  versions: isList(isText),
  resources: isList(isObjectOf('name', 'idParameter')),
  forwarded: isList((value) => ['NEW', 'IGNORED', 'ERROR'].includes(value as string)),
  othersSend: (value) => typeof value === 'boolean',
};

/**
 * Parses a detail such as `timeZone: null → "Europe/Amsterdam", dayStartsAt: 0 → 240`. The values are JSON, and a text in them
 * may look like a change.
 */
function parseChanges(kind: string, detail: string): Data | undefined {
  const changes: Data[] = [];
  let at = 0;
  while (at < detail.length) {
    const member = /^(?:, )?(\w+): /.exec(detail.slice(at)) ?? [];
    const isSeparated = member[0]?.startsWith(', ') === changes.length > 0;
    const isValue = MEMBERS[member[1] ?? ''];
    if (isValue === undefined || !isSeparated) return undefined;
    const before = readJson(detail, at + (member[0]?.length ?? 0));
    if (before === undefined || !detail.startsWith(' → ', before.end)) return undefined;
    const after = readJson(detail, before.end + ' → '.length);
    if (after === undefined || !isValue(before.value) || !isValue(after.value)) return undefined;
    changes.push({ member: member[1], before: before.value, after: after.value });
    at = after.end;
  }
  return changes.length === 0 ? undefined : { kind, changes };
}

/** Parses a detail such as `2 records: {"kind":"held"}`. The first versions wrote no number. */
function parseRecordAct(kind: 'send again' | 'set aside', detail: string): Data | undefined {
  const { number, unit, more } = match(/^(?<number>\d+) (?<unit>records?)(?<more> so far)?: (?=\{)/, detail);
  const moved = number === undefined ? null : Number(number);
  if (moved !== null && (unit === 'record') !== (moved === 1)) return undefined;
  const start = moved === null ? 0 : detail.indexOf('{');
  const choice = detail[start] === '{' ? readJson(detail, start) : undefined;
  const records = withoutMethod(choice?.value);
  if (choice === undefined || !isChoice(records)) return undefined;
  const rest = detail.slice(choice.end);
  const common = { records, moved, isOver: more === undefined };
  if (kind === 'set aside') return rest.startsWith(' ') ? { kind, ...common, reason: rest.slice(1) } : undefined;
  if (rest !== '' && rest !== ', delivered ones too') return undefined;
  return { kind, ...common, delivered: rest !== '' };
}

/**
 * Removes `method` from the choice of an end point. Some versions also stored the method by which the first record of the end
 * point had arrived.
 */
function withoutMethod(choice: unknown): unknown {
  if (typeof choice !== 'object' || choice === null) return choice;
  const { kind, version, method, resource } = choice as Data;
  const isWithMethod = Object.keys(choice).join() === 'kind,version,method,resource' && isText(method);
  return isWithMethod ? { kind, version, resource } : choice;
}

function isChoice(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, ...rest } = value as Data;
  const members = Object.keys(rest).join();
  const isInteger = (each: unknown): boolean => Number.isSafeInteger(each);
  switch (kind) {
    case 'held':
    case 'all':
      return members === '';
    case 'one':
      return members === 'recordId' && isInteger(rest['recordId']);
    case 'missing':
      return members === 'verdictId' && isInteger(rest['verdictId']);
    case 'some':
      return members === 'recordIds' && isList(isInteger)(rest['recordIds']);
    case 'sold':
      return members === 'from,to' && Object.values(rest).every(isInteger);
    case 'held at':
      return members === 'version,resource' && Object.values(rest).every(isText);
    default:
      return false;
  }
}

/** Reads the JSON value that begins at `start`. Returns undefined if the text is not exactly as JSON.stringify writes it. */
function readJson(text: string, start: number): { readonly value: unknown; readonly end: number } | undefined {
  const token = /"(?:[^"\\]|\\.)*"|[[{]|[\]}]|[^"[\]{}, ]+|,/suy;
  token.lastIndex = start;
  let depth = 0;
  do {
    const [found] = token.exec(text) ?? [];
    if (found === undefined) return undefined;
    if (found === '{' || found === '[') depth++;
    if (found === '}' || found === ']') depth--;
  } while (depth > 0);
  const json = text.slice(start, token.lastIndex);
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) === json ? { value, end: token.lastIndex } : undefined;
  } catch {
    return undefined;
  }
}

/** Acts that are rebuilt from the tables of signatures and totals. The words of these acts do not show where a name ends. */
interface DayEntries {
  /** The act for each result of `keyOf`; null if two different entries have the same words. */
  readonly signatures: ReadonlyMap<string, Data | null>;
  readonly totals: ReadonlyMap<string, Data | null>;
}

function keyOf({ at, actor, act, detail }: Omit<OldAct, 'id'>): string {
  return JSON.stringify([at, actor, act, detail]);
}

function readDayEntries(db: Connection): DayEntries {
  const signatures = new Map<string, Data | null>();
  const totals = new Map<string, Data | null>();
  const add = (to: Map<string, Data | null>, key: string, data: Data): void => {
    const known = to.get(key);
    to.set(key, known === undefined || JSON.stringify(known) === JSON.stringify(data) ? data : null);
  };
  const signOffs = db.prepare<[], SignOffRow>(
    'SELECT date, is_undone AS isUndone, name, note, actor, at FROM sign_offs',
  );
  for (const { date, isUndone, name, note, actor, at } of signOffs.iterate()) {
    const act = isUndone === 1 ? 'take back signature' : 'sign off day';
    const detail = `${date}: ${name}${note === '' ? '' : `, ${note}`}`;
    add(signatures, keyOf({ at, actor, act, detail }), { kind: act, date, name, note });
  }
  const declared = db.prepare<[], TotalRow>(`
    SELECT date, type, label AS till, records, actor, at FROM declared_totals LEFT JOIN tills ON tills.id = till_id
    WHERE source != 'till'`);
  for (const { date, type, till, records, actor, at } of declared.iterate()) {
    const scope = [type, till].filter((part) => part !== null).join(', ');
    const detail = `${date}: ${records ?? 'taken back'}${scope === '' ? '' : ` (${scope})`}`;
    const key = keyOf({ at, actor, act: 'declare totals', detail });
    add(totals, key, { kind: 'declare total', date, type, till, records });
  }
  return { signatures, totals };
}

interface SignOffRow {
  readonly date: string;
  readonly isUndone: 0 | 1;
  readonly name: string;
  readonly note: string;
  readonly actor: string;
  readonly at: number;
}

interface TotalRow {
  readonly date: string;
  readonly type: string | null;
  readonly till: string | null;
  readonly records: number | null;
  readonly actor: string;
  readonly at: number;
}

/**
 * Parses a detail such as `2026-11-04: 412 (sale, Till 1)`, `2026-11-04: taken back`, `2026-11-04: 3 totals` or `2026-11-01 …
 * 2026-11-30: 30 totals`.
 */
function parseTotals(old: OldAct, { totals }: DayEntries): Data | undefined {
  const form = /^(?<from>\d{4}-\d\d-\d\d)(?: … (?<to>\d{4}-\d\d-\d\d))?: (?<number>\d+) totals$/u;
  const { from, to = from, number } = match(form, old.detail);
  if (from !== undefined) return { kind: 'import totals', from, to, totals: Number(number) };
  return totals.get(keyOf(old)) ?? undefined;
}
