// Routes of declared totals. A user types totals one by one, or imports them from a file. An import stores all lines or none.

import { z } from 'zod';

import {
  DATE_ORDERS,
  DECIMAL_SIGNS,
  type DeclaredChoice,
  type DeclaredImport,
  type DeclaredImportRequest,
  type DeclaredRole,
  type DeclaredTotalRequest,
  MAX_CURRENCIES,
} from '../contract/declared-totals.ts';
import { assertNever } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { addDays } from '../lib/calendar.ts';
import { parseDecimal } from '../lib/decimal.ts';
import { openDayFinder } from '../reconcile/day-finder.ts';
import { MAX_COLUMNS } from '../reconcile/declared-column.ts';
import { readDeclaredFile } from '../reconcile/declared-file.ts';
import { makeTemplate, TEMPLATE_LANGUAGES } from '../reconcile/declared-template.ts';
import { storeDayAt, storeDayOf } from '../store-day.ts';
import type { NewDeclaredTotal } from '../store/declared/ledger.ts';
import { isRecordType } from '../store/setup/input-rules.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { type Cell, formatParameter } from './csv.ts';
import type { SendExport } from './export.ts';
import { administrationOfJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, idText, readBody, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

const currencyText = z.string().regex(/^[A-Z]{3}$/, { error: 'must be a code of three capital letters, such as EUR' });
const amountList = z
  .array(
    z.strictObject({
      currency: currencyText.nullable(),
      value: z.string().refine((text) => parseDecimal(text) !== undefined, {
        error: 'must be a decimal with a point, such as -12.50',
        params: { code: 'decimal' },
      }),
    }),
  )
  .max(MAX_CURRENCIES)
  .refine((amounts) => new Set(amounts.map(({ currency }) => currency)).size === amounts.length, {
    error: 'must have each currency once',
    params: { code: 'repeated' },
  });
const totalRequest = z.strictObject({
  journal: z.int().positive(),
  date: z.string(),
  type: z
    .string()
    .refine(isRecordType, { error: 'must be a type of records', params: { code: 'record_type' } })
    .exactOptional(),
  tillId: z.int().positive().exactOptional(),
  records: z.int().nonnegative().nullable(),
  amounts: amountList.exactOptional(),
}) satisfies z.ZodType<DeclaredTotalRequest>;
const column = z.int().min(0).max(MAX_COLUMNS).nullable();
const choice = z.strictObject({
  columns: z
    .strictObject({
      day: column,
      count: column,
      id: column,
      amount: column,
      currency: column,
      till: column,
      type: column,
    } satisfies Record<DeclaredRole, typeof column>)
    .refine(
      ({ day, count, id, ...others }) => {
        const chosen = [day, count, id, ...Object.values(others)].filter((each) => each !== null);
        return day !== null && (count === null) !== (id === null) && new Set(chosen).size === chosen.length;
      },
      {
        error: 'must have a day, and either a count or an id, each in a column of its own',
        params: { code: 'columns' },
      },
    ),
  dateOrder: z.enum(DATE_ORDERS).exactOptional(),
  decimalSign: z.enum(DECIMAL_SIGNS).exactOptional(),
  currency: currencyText.exactOptional(),
}) satisfies z.ZodType<DeclaredChoice>;
const importRequest = z
  .strictObject({
    journal: z.int().positive(),
    text: z.string(),
    isTrial: z.boolean(),
    choice: choice.exactOptional(),
  })
  .refine((request) => request.isTrial || request.choice !== undefined, {
    path: ['choice'],
    error: 'must say which columns the file has',
    params: { code: 'required' },
  }) satisfies z.ZodType<DeclaredImportRequest>;
const templateQuery = z.strictObject({
  journal: idText,
  language: z.enum(TEMPLATE_LANGUAGES),
  ...formatParameter,
});

export function bindDeclaredTotals(routes: Routes, { store, clock }: ConsoleParts, sendExport: SendExport): void {
  routes.forClerks.put('/api/declared-totals', async (req, res) => {
    assertNoQuery(req);
    const { journal, date, type = null, tillId = null, records, amounts = [] } = readBody(req, totalRequest);
    assertDay(administrationOfJournal(store, journal), date);
    const by = { actor: sessionOf(res).actor, source: 'typed' } as const;
    const result = await store.declared.declare(journal, [{ date, type, tillId, records, amounts }], by);
    switch (result.kind) {
      case 'declared':
        return void res.status(204).end();
      case 'unknown till':
        throw invalidFields([parameterFault('tillId', 'unknown', 'is not a till of this journal')]);
      default:
        return assertNever(result);
    }
  });

  routes.forClerks.get('/api/declared-totals/template', async (req, res) => {
    const { journal, language, format } = readQuery(req, templateQuery);
    const { name, dayRules } = administrationOfJournal(store, journal);
    const tills = await store.glance.listTills(journal, []);
    const yesterday = addDays(storeDayAt(clock.now(), dayRules).date, -1);
    const { columns, rows } = makeTemplate(
      tills.map(({ label }) => label),
      yesterday,
      language,
    );
    await sendExport(res, () =>
      Promise.resolve({
        name: [name, yesterday],
        columns: Object.fromEntries(columns.map((column, at) => [column, (row: readonly Cell[]) => row[at] ?? ''])),
        rows,
        format,
      }),
    );
  });

  routes.forClerks.post('/api/declared-totals/import', async (req, res) => {
    assertNoQuery(req);
    const { journal, text, isTrial, choice: chosen } = readBody(req, importRequest);
    const finder = openDayFinder(administrationOfJournal(store, journal).dayRules);
    const tills = await store.glance.listTills(journal, []);
    const { totals, ...file } = readDeclaredFile(text, { tills, ...finder }, chosen);
    if (!isTrial && file.faults.length === 0) {
      const result = await store.declared.declare(journal, totals, { actor: sessionOf(res).actor, source: 'file' });
      if (result.kind !== 'declared') throw new Error('a till of the journal does not exist');
    }
    const labels = new Map(tills.map(({ id, label }) => [id, label]));
    res.json({ ...file, totals: totals.map((total) => viewTotal(total, labels)) } satisfies DeclaredImport);
  });
}

/** Throws `field_invalid`. */
function assertDay(administration: Administration, date: string): void {
  if (storeDayOf(date, administration.dayRules) !== undefined) return;
  throw invalidFields([parameterFault('date', 'date', 'must be a real date, written YYYY-MM-DD')]);
}

function viewTotal(
  { date, type, tillId, records, ids, amounts = [] }: NewDeclaredTotal,
  labels: ReadonlyMap<number, string>,
): DeclaredImport['totals'][number] {
  const till = tillId === null ? null : (labels.get(tillId) ?? null);
  return { date, type, till, records: records ?? 0, hasIds: ids !== undefined, amounts };
}
