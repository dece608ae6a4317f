// Routes of Days: the verdict of each store day, checks and sign-offs. A clerk may do everything except send records again.

import type { Request } from 'express';
import { z } from 'zod';

import { MAX_REASON_LENGTH } from '../contract/codes.ts';
import type { CheckRequest, DayCheck, DaysView, DayView, SignOffRequest } from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { addDays } from '../lib/calendar.ts';
import { byCurrency } from '../store/declared/amount-comparison.ts';
import { type Cell, formatParameter, sendRows, timeColumns } from './csv.ts';
import { administrationOfJournal, readJournal } from './journal.ts';
import { assertManager, type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, dateText, idText, nameText, nothingHere, readBody, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

/** Maximum days in one answer. A year is shown in whole weeks, so it needs more than 366 days. */
const MAX_DAYS = 400;
/** A limit that no day reaches. With it, the file lists all records behind a number. */
const ALL = 10_000_000;

/** Whether a range of days is valid. Both ends are included. */
const isRange = ({ from, to }: { from: string; to: string }): boolean => from <= to && to < addDays(from, MAX_DAYS);
const rangeFault = {
  path: ['to'],
  error: `must not be before from, and the range may have at most ${MAX_DAYS} days`,
  params: { code: 'range' },
};
const dates = { journal: idText, from: dateText, to: dateText };
const daysQuery = z.strictObject(dates).refine(isRange, rangeFault);
const daysExportQuery = z.strictObject({ ...dates, ...formatParameter }).refine(isRange, rangeFault);
const dayExportQuery = z.strictObject({ journal: idText, ...formatParameter });
const checkRequest = z
  .strictObject({
    journal: z.int().positive(),
    from: dateText,
    to: dateText,
    byIds: z.boolean(),
    resend: z.boolean().exactOptional(),
  })
  .refine(isRange, rangeFault) satisfies z.ZodType<unknown, CheckRequest>;
const signOffRequest = z
  .strictObject({
    journal: z.int().positive(),
    date: dateText,
    kind: z.enum(['sign off', 'take back']),
    signedFor: z.string(),
    name: nameText,
    note: z
      .string()
      .trim()
      .refine((text) => text.length <= MAX_REASON_LENGTH && text.isWellFormed(), {
        error: `must have at most ${MAX_REASON_LENGTH} characters`,
        params: { code: 'length' },
      }),
  })
  .refine(({ kind, note }) => kind === 'sign off' || note !== '', {
    path: ['note'],
    error: 'must give a reason for withdrawing the signature',
    params: { code: 'length' },
  }) satisfies z.ZodType<SignOffRequest>;

export function bindDays(routes: Routes, { store, days }: ConsoleParts): void {
  routes.forClerks.get('/api/days', async (req, res) => {
    res.json((await listDays(readQuery(req, daysQuery))) satisfies DaysView);
  });

  routes.forClerks.get('/api/days/export', async (req, res) => {
    const { format, ...wanted } = readQuery(req, daysExportQuery);
    const view = await listDays(wanted);
    const { name, timeZone } = administrationOfJournal(store, wanted.journal);
    const columns = dayColumns(timeZone, currenciesOf(view.days));
    const rows = view.days.map((day) => Object.values(columns).map((cell) => cell(day)));
    sendRows(res, { name: [name, wanted.from, wanted.to], columns: Object.keys(columns), rows, format });
  });

  routes.forClerks.get('/api/days/:date', async (req, res) => {
    const { journalId } = readJournal(req, store);
    res.json((await getDay(journalId, dateOf(req))) satisfies DayView);
  });

  routes.forClerks.get('/api/days/:date/gaps', async (req, res) => {
    const { journalId } = readJournal(req, store);
    const gaps = await days.listGaps(journalId, dateOf(req));
    if (gaps === undefined) throw nothingHere('This day does not exist.');
    res.json(gaps satisfies GapsView);
  });

  routes.forClerks.get('/api/days/:date/export', async (req, res) => {
    const { journal, format } = readQuery(req, dayExportQuery);
    const date = dateOf(req);
    const { name, timeZone } = administrationOfJournal(store, journal);
    const rows = listBehind(await getDay(journal, date, ALL));
    const columns = findingColumns(timeZone);
    const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
    sendRows(res, { name: [name, date], columns: Object.keys(columns), rows: cells, format });
  });

  routes.forManagers.post('/api/days/:date/resend', async (req, res) => {
    const { journalId } = readJournal(req, store);
    const records = await days.sendAgain(journalId, dateOf(req), sessionOf(res).actor);
    if (records === undefined) throw nothingHere('Nothing was found missing on this day.');
    res.json({ records });
  });

  routes.forClerks.post('/api/checks', async (req, res) => {
    assertNoQuery(req);
    const wanted = readBody(req, checkRequest);
    if (wanted.resend === true) assertManager(res);
    const check = await days.check(wanted, sessionOf(res).actor);
    if (check === undefined) throw nothingHere('This journal does not exist, or these days have not begun.');
    res.status(202).json(check satisfies DayCheck);
  });

  routes.forClerks.post('/api/sign-offs', async (req, res) => {
    assertNoQuery(req);
    const wanted = readBody(req, signOffRequest);
    const result = await days.sign(wanted, sessionOf(res).actor);
    switch (result) {
      case 'done':
        return void res.status(201).json({});
      case 'unknown':
        throw nothingHere('This journal or day does not exist.');
      case 'not over':
        throw new ConsoleError('day_not_over', { detail: 'The day has not ended yet. Sign it off afterwards.' });
      case 'changed':
        throw new ConsoleError('day_changed', { detail: 'The day has changed since it was opened. Check it again.' });
      case 'note missing':
        throw invalidFields([
          parameterFault('note', 'length', 'must give the reason for signing off an incomplete day'),
        ]);
      case 'not signed':
        throw new ConsoleError('day_not_signed', { detail: 'The day is not signed off.' });
      default:
        return assertNever(result);
    }
  });

  async function listDays({ journal, from, to }: z.infer<typeof daysQuery>): Promise<DaysView> {
    const view = await days.list(journal, from, to);
    if (view === undefined) throw nothingHere(`Journal ${journal} does not exist.`);
    return view;
  }

  async function getDay(journal: number, date: string, maxListed?: number): Promise<DayView> {
    const view = await days.get(journal, date, maxListed);
    if (view === undefined) throw nothingHere('This day does not exist.');
    return view;
  }
}

/** The date in the path. Throws `not_found`. */
function dateOf(req: Request): string {
  const date = req.params['date'];
  if (typeof date === 'string' && dateText.safeParse(date).success) return date;
  throw nothingHere('This day does not exist.');
}

type Day = DaysView['days'][number];

type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** All currencies that occur in these days, in sums or declared amounts. Amounts without a currency (null) come last. */
function currenciesOf(days: readonly Day[]): readonly (string | null)[] {
  const all = days.flatMap(({ amounts, declaredAmounts }) => [...(amounts ?? []), ...declaredAmounts]);
  return [...new Set(all.map(({ currency }) => currency))].toSorted(byCurrency);
}

function moneyColumns(currency: string | null): Columns<Day> {
  const name = (what: string): string => (currency === null ? what : `${what} (${currency})`);
  const of = <T extends { readonly currency: string | null }>(all: readonly T[] | null): T | undefined =>
    all?.find((each) => each.currency === currency);
  const cell = (amount: string | null | undefined): Cell => (amount == null ? '' : { amount });
  return {
    [name('amount_here')]: ({ amounts }) => cell(of(amounts)?.value),
    [name('without_amount')]: ({ amounts }) => String(of(amounts)?.withoutAmount ?? ''),
    [name('amount_declared')]: ({ declaredAmounts }) => cell(of(declaredAmounts)?.declared),
    [name('amount_difference')]: ({ declaredAmounts }) => cell(of(declaredAmounts)?.difference),
  };
}

/** The columns of the file with the list of days. */
function dayColumns(timeZone: string, currencies: readonly (string | null)[]): Columns<Day> {
  return {
    day: ({ date }) => date,
    verdict: ({ verdict }) => verdict,
    provisional: ({ isProvisional }) => (isProvisional ? 'yes' : ''),
    here: ({ here }) => String(here),
    upstream: ({ upstream }) => String(upstream ?? ''),
    declared: ({ declared }) => String(declared ?? ''),
    ...Object.fromEntries(currencies.flatMap((currency) => Object.entries(moneyColumns(currency)))),
    earlier_interface: ({ earlier }) => String(earlier),
    earlier_interface_taken: ({ earlierTaken }) => String(earlierTaken),
    reasons: ({ reasons }) =>
      reasons
        .map(({ code, count, amounts = [] }) =>
          [code, count, ...amounts.map(({ currency, value }) => `${currency ?? ''} ${value}`.trim())]
            .filter((part) => part !== undefined)
            .join(' '),
        )
        .join(', '),
    notes: ({ notes }) => notes.map(({ code, count }) => `${code} ${count}`).join(', '),
    rests_on: ({ basis }) => basis ?? '',
    ...timeColumns<Day>('checked_at', timeZone, ({ checkedAt }) => checkedAt),
    ...timeColumns<Day>('every_id_compared_at', timeZone, ({ passedAt }) => passedAt),
    signed_by: ({ signOff }) => signOff?.name ?? '',
    ...timeColumns<Day>('signed_at', timeZone, ({ signOff }) => signOff?.at),
    note: ({ signOff }) => signOff?.note ?? '',
    reopened: ({ signOff }) => (signOff?.isReopened === true ? 'yes' : ''),
  };
}

/** A record in one of the lists behind a day's numbers. */
interface ListedRecord {
  readonly list: string;
  readonly externalId: string;
  readonly type?: string | null;
  /** Epoch seconds. */
  readonly soldAt?: number;
  readonly till?: string | null | undefined;
  readonly delivery?: string | null | undefined;
}

function listBehind({ findings, declared }: DayView): ListedRecord[] {
  const found = findings.map(({ kind: list, record, ...finding }) => ({ ...finding, ...record, list }));
  const listed = declared.flatMap(({ type, till, ids }): ListedRecord[] => [
    ...(ids?.missing ?? []).map((externalId) => ({ list: 'declared, not here', externalId, type, till })),
    ...(ids?.undeclared ?? []).map((externalId) => ({ list: 'here, not declared', externalId, type, till })),
  ]);
  return [...found, ...listed];
}

function findingColumns(timeZone: string): Columns<ListedRecord> {
  return {
    list: ({ list }) => list,
    external_id: ({ externalId }) => externalId,
    type: ({ type }) => type ?? '',
    ...timeColumns<ListedRecord>('sold_at', timeZone, ({ soldAt }) =>
      soldAt === undefined ? undefined : soldAt * 1000,
    ),
    till: ({ till }) => till ?? '',
    delivery: ({ delivery }) => delivery ?? '',
  };
}
