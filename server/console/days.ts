// Routes of Days: the verdict of each store day, checks and sign-offs. A clerk may do everything except send records again.

import type { Request } from 'express';
import { z } from 'zod';

import { MAX_REASON_LENGTH } from '../contract/codes.ts';
import type { CheckRequest, DayCheck, DaysView, DayView, SignOffRequest } from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { addDays } from '../lib/calendar.ts';
import { sendRows } from './csv.ts';
import { administrationOfJournal, readJournal } from './journal.ts';
import { assertManager, type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, idText, nameText, nothingHere, readBody, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

/** Maximum days in one answer: a year and the rest of its first and last weeks. */
const MAX_DAYS = 400;
/** Maximum records listed behind a number in a file: a limit that no day reaches. */
const ALL = 10_000_000;

const dateText = z.iso.date({ error: 'must be a day, written YYYY-MM-DD', abort: true });
/** A range of days, both ends included. */
const isRange = ({ from, to }: { from: string; to: string }): boolean => from <= to && to < addDays(from, MAX_DAYS);
const rangeFault = {
  path: ['to'],
  error: `must not be before from, and the range may have at most ${MAX_DAYS} days`,
  params: { code: 'range' },
};
const daysQuery = z.strictObject({ journal: idText, from: dateText, to: dateText }).refine(isRange, rangeFault);
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
    res.json((await readDays(req)).view satisfies DaysView);
  });

  routes.forClerks.get('/api/days/export', async (req, res) => {
    const { journal, from, to, view } = await readDays(req);
    const { name } = administrationOfJournal(store, journal);
    const columns = Object.keys(DAY_COLUMNS);
    const rows = view.days.map((day) => Object.values(DAY_COLUMNS).map((cell) => cell(day)));
    sendRows(res, [name, from, to], columns, rows);
  });

  routes.forClerks.get('/api/days/:date', async (req, res) => {
    res.json((await readDay(req)).view satisfies DayView);
  });

  routes.forClerks.get('/api/days/:date/gaps', async (req, res) => {
    const { journalId } = readJournal(req, store);
    const gaps = await days.listGaps(journalId, dateOf(req));
    if (gaps === undefined) throw nothingHere('This day does not exist.');
    res.json(gaps satisfies GapsView);
  });

  routes.forClerks.get('/api/days/:date/export', async (req, res) => {
    const { journal, date, view } = await readDay(req, ALL);
    const { name } = administrationOfJournal(store, journal);
    sendRows(res, [name, date], ['list', 'external_id', 'type', 'sold_at (UTC)', 'till', 'delivery'], listBehind(view));
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

  async function readDays(req: Request) {
    const { journal, from, to } = readQuery(req, daysQuery);
    const view = await days.list(journal, from, to);
    if (view === undefined) throw nothingHere(`Journal ${journal} does not exist.`);
    return { journal, from, to, view };
  }

  async function readDay(req: Request, maxListed?: number) {
    const { journalId: journal } = readJournal(req, store);
    const date = dateOf(req);
    const view = await days.get(journal, date, maxListed);
    if (view === undefined) throw nothingHere('This day does not exist.');
    return { journal, date, view };
  }
}

/** The date in the path. Throws `not_found`. */
function dateOf(req: Request): string {
  const date = req.params['date'];
  if (typeof date === 'string' && dateText.safeParse(date).success) return date;
  throw nothingHere('This day does not exist.');
}

type Day = DaysView['days'][number];

/** The columns of a list of days. */
const DAY_COLUMNS: Readonly<Record<string, (day: Day) => string>> = {
  day: ({ date }) => date,
  verdict: ({ verdict }) => verdict,
  provisional: ({ isProvisional }) => (isProvisional ? 'yes' : ''),
  here: ({ here }) => String(here),
  upstream: ({ upstream }) => String(upstream ?? ''),
  declared: ({ declared }) => String(declared ?? ''),
  earlier_interface: ({ earlier }) => String(earlier),
  earlier_interface_taken: ({ earlierTaken }) => String(earlierTaken),
  reasons: ({ reasons }) =>
    reasons.map(({ code, count }) => (count === undefined ? code : `${code} ${count}`)).join(', '),
  notes: ({ notes }) => notes.map(({ code, count }) => `${code} ${count}`).join(', '),
  rests_on: ({ basis }) => basis ?? '',
  'checked_at (UTC)': ({ checkedAt }) => timeOf(checkedAt),
  'every_id_compared_at (UTC)': ({ passedAt }) => timeOf(passedAt),
  signed_by: ({ signOff }) => signOff?.name ?? '',
  'signed_at (UTC)': ({ signOff }) => timeOf(signOff?.at ?? null),
  note: ({ signOff }) => signOff?.note ?? '',
  reopened: ({ signOff }) => (signOff?.isReopened === true ? 'yes' : ''),
};

function timeOf(epochMs: number | null): string {
  return epochMs === null ? '' : new Date(epochMs).toISOString();
}

/** The columns of the records behind a number. */
function listBehind({ findings, declared }: DayView): string[][] {
  const found = findings.map(({ kind, externalId, type, soldAt, record }) => [
    kind,
    externalId,
    type,
    timeOf(soldAt * 1000),
    record?.till ?? '',
    record?.delivery ?? '',
  ]);
  const listed = declared.flatMap(({ type, till, ids }) => [
    ...(ids?.missing ?? []).map((id) => ['declared, not here', id, type ?? '', '', till ?? '', '']),
    ...(ids?.undeclared ?? []).map((id) => ['here, not declared', id, type ?? '', '', till ?? '', '']),
  ]);
  return [...found, ...listed];
}
