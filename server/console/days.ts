// Routes of Days: the verdict of each store day, checks and sign-offs. A clerk may do everything except send records again.

import type { Request } from 'express';
import { z } from 'zod';

import { MAX_REASON_LENGTH } from '../contract/codes.ts';
import type { CheckRequest, DayCheck, DaysView, DayView, SignOffRequest } from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { addDays } from '../lib/calendar.ts';
import { nameText } from '../store/setup/input-schema.ts';
import { formatParameter } from './csv.ts';
import { readJournal } from './journal.ts';
import { assertManager, type ConsoleParts, sessionOf } from './parts.ts';
import { assertFound, assertNoQuery, dateText, idText, nothingHere, readBody, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

/** Maximum days in one answer. It is more than 366, because the console shows a year in whole weeks. */
const MAX_DAYS = 400;

/** Whether a range of days is valid. Both ends are included. */
const isRange = ({ from, to }: { from: string; to: string }): boolean => from <= to && to < addDays(from, MAX_DAYS);
const rangeFault = {
  path: ['to'],
  error: `must not be before from, and the range may have at most ${MAX_DAYS} days`,
  params: { code: 'range' },
};
const dates = { journal: idText, from: dateText, to: dateText };
const daysQuery = z.strictObject(dates).refine(isRange, rangeFault);
/** The query of an export of days. */
export const daysExportQuery = z.strictObject({ ...dates, ...formatParameter }).refine(isRange, rangeFault);
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
    const { journal, from, to } = readQuery(req, daysQuery);
    res.json(assertFound(await days.list(journal, from, to), NO_SUCH_DAY) satisfies DaysView);
  });

  routes.forClerks.get('/api/days/:date', async (req, res) => {
    const { journalId } = readJournal(req, store);
    res.json(assertFound(await days.get(journalId, dateOf(req)), NO_SUCH_DAY) satisfies DayView);
  });

  routes.forClerks.get('/api/days/:date/gaps', async (req, res) => {
    const { journalId } = readJournal(req, store);
    res.json(assertFound(await days.listGaps(journalId, dateOf(req)), NO_SUCH_DAY) satisfies GapsView);
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
        throw nothingHere(NO_SUCH_DAY);
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
}

/** The error for an unknown journal or day. */
export const NO_SUCH_DAY = 'This journal or day does not exist.';

/** The date in the path. Throws `not_found`. */
export function dateOf(req: Request): string {
  const date = req.params['date'];
  if (typeof date === 'string' && dateText.safeParse(date).success) return date;
  throw nothingHere('This day does not exist.');
}
