// Routes of declared totals: typed one by one, or imported from a file. An import keeps all lines or none.

import { z } from 'zod';

import type { DeclaredImport, DeclaredImportRequest, DeclaredTotalRequest } from '../contract/declared-totals.ts';
import { assertNever } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { openDayFinder } from '../reconcile/day-finder.ts';
import { readDeclaredFile } from '../reconcile/declared-file.ts';
import { storeDayOf } from '../store-day.ts';
import type { NewDeclaredTotal } from '../store/declared/ledger.ts';
import { isRecordType } from '../store/setup/input-rules.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { administrationOfJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, readBody } from './request.ts';
import type { Routes } from './rights.ts';

const totalRequest = z.strictObject({
  journal: z.int().positive(),
  date: z.string(),
  type: z
    .string()
    .refine(isRecordType, { error: 'must be a type of records', params: { code: 'record_type' } })
    .exactOptional(),
  tillId: z.int().positive().exactOptional(),
  records: z.int().nonnegative().nullable(),
}) satisfies z.ZodType<DeclaredTotalRequest>;
const importRequest = z.strictObject({
  journal: z.int().positive(),
  text: z.string(),
  isTrial: z.boolean(),
}) satisfies z.ZodType<DeclaredImportRequest>;

export function bindDeclaredTotals(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.put('/api/declared-totals', async (req, res) => {
    assertNoQuery(req);
    const { journal, date, type = null, tillId = null, records } = readBody(req, totalRequest);
    assertDay(administrationOfJournal(store, journal), date);
    const by = { actor: sessionOf(res).actor, source: 'typed' } as const;
    const result = await store.declared.declare(journal, [{ date, type, tillId, records }], by);
    switch (result.kind) {
      case 'declared':
        return void res.status(204).end();
      case 'unknown till':
        throw invalidFields([parameterFault('tillId', 'unknown', 'is not a till of this journal')]);
      default:
        return assertNever(result);
    }
  });

  routes.forClerks.post('/api/declared-totals/import', async (req, res) => {
    assertNoQuery(req);
    const { journal, text, isTrial } = readBody(req, importRequest);
    const finder = openDayFinder(administrationOfJournal(store, journal).dayRules);
    const tills = await store.glance.listTills(journal, []);
    const { columns, totals, faults } = readDeclaredFile(text, { tills, ...finder });
    if (!isTrial && faults.length === 0) {
      const result = await store.declared.declare(journal, totals, { actor: sessionOf(res).actor, source: 'file' });
      if (result.kind !== 'declared') throw new Error('a till of the journal does not exist');
    }
    const labels = new Map(tills.map(({ id, label }) => [id, label]));
    res.json({ columns, totals: totals.map((total) => viewTotal(total, labels)), faults } satisfies DeclaredImport);
  });
}

/** Throws `field_invalid`. */
function assertDay(administration: Administration, date: string): void {
  if (storeDayOf(date, administration.dayRules) !== undefined) return;
  throw invalidFields([parameterFault('date', 'date', 'must be a real date, written YYYY-MM-DD')]);
}

function viewTotal(
  { date, type, tillId, records, ids }: NewDeclaredTotal,
  labels: ReadonlyMap<number, string>,
): DeclaredImport['totals'][number] {
  const till = tillId === null ? null : (labels.get(tillId) ?? null);
  return { date, type, till, records: records ?? 0, hasIds: ids !== undefined };
}
