// Exports store days as CSV: the list of days with their verdicts, the sums of each till, and the records behind the numbers of
// one day.

import { z } from 'zod';

import { type AmountSums, byCurrency, countWithoutAmount, hasSum } from '../contract/amounts.ts';
import { type DayMoney, listMoney } from '../contract/day-money.ts';
import { type DaySummary, listJudged } from '../contract/days.ts';
import type { RecordBehind } from '../reconcile/behind.ts';
import type { TillSum } from '../reconcile/days.ts';
import { type Cell, formatParameter, timeColumns } from './csv.ts';
import { dateOf, daysExportQuery, NO_SUCH_DAY } from './days.ts';
import type { Columns, SendExport } from './export.ts';
import { administrationOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { assertFound, idText, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

const dayExportQuery = z.strictObject({ journal: idText, ...formatParameter });

export function bindDayExports(routes: Routes, { store, days }: ConsoleParts, sendExport: SendExport): void {
  routes.forClerks.get('/api/days/export', async (req, res) => {
    const { format, journal, from, to } = readQuery(req, daysExportQuery);
    const { name, timeZone } = administrationOfJournal(store, journal);
    await sendExport(res, async () => {
      const rows = listJudged(assertFound(await days.list(journal, from, to), NO_SUCH_DAY));
      return { name: [name, from, to], columns: dayColumns(timeZone, currenciesOf(rows)), rows, format };
    });
  });

  routes.forClerks.get('/api/days/tills/export', async (req, res) => {
    const { format, journal, from, to } = readQuery(req, daysExportQuery);
    const { name } = administrationOfJournal(store, journal);
    await sendExport(res, async () => {
      const rows = assertFound(await days.listTillSums(journal, from, to), NO_SUCH_DAY);
      return { name: [name, from, to, 'tills'], columns: tillColumns(rows), rows, format };
    });
  });

  routes.forClerks.get('/api/days/:date/export', async (req, res) => {
    const { journal, format } = readQuery(req, dayExportQuery);
    const date = dateOf(req);
    const { name, timeZone } = administrationOfJournal(store, journal);
    await sendExport(res, async () => {
      const rows = assertFound(await days.listBehind(journal, date), NO_SUCH_DAY);
      return { name: [name, date], columns: behindColumns(timeZone), rows, format };
    });
  });
}

/** The columns of the file with the sums of each till: one line per day, interface, type and till. */
function tillColumns(rows: readonly TillSum[]): Columns<TillSum> {
  const sums = rows.flatMap(({ amounts }) => amounts ?? []).filter(hasSum);
  const currencies = [...new Set(sums.map(({ currency }) => currency))].toSorted(byCurrency);
  return {
    day: ({ date }) => date,
    interface: ({ interface: by }) => by,
    type: ({ type }) => type,
    till: ({ till }) => till,
    sales: ({ here }) => String(here),
    ...Object.fromEntries(
      currencies.map((currency) => [
        headingOf('amount', currency),
        ({ amounts }: TillSum) => sumCell(amounts, currency),
      ]),
    ),
    without_amount: ({ amounts }) =>
      amounts === null || amounts.length === 0 // unknown while old amounts are read, and without any rule
        ? ''
        : String(countWithoutAmount(amounts)),
  };
}

function headingOf(what: string, currency: string | null): string {
  return currency === null ? what : `${what} (${currency})`;
}

/** Returns the cell for a sum. The cell is empty if no amount in this currency could be read. */
function sumCell(amounts: AmountSums, currency: string | null): Cell {
  const sum = amounts?.find((each) => each.currency === currency);
  return sum !== undefined && hasSum(sum) ? { amount: sum.value } : '';
}

/**
 * Returns all currencies in the sums and in the declared amounts of these days. Null, for amounts without a currency, comes
 * last.
 */
function currenciesOf(days: readonly DaySummary[]): readonly (string | null)[] {
  const all = days.flatMap(({ amounts, declaredAmounts }) => [...(amounts ?? []), ...declaredAmounts]);
  return [...new Set(all.map(({ currency }) => currency))].toSorted(byCurrency);
}

function moneyColumns(currency: string | null): Columns<DaySummary> {
  const name = (what: string): string => headingOf(what, currency);
  const moneyOf = ({ amounts, declaredAmounts }: DaySummary): DayMoney | undefined =>
    listMoney(amounts, declaredAmounts).find((each) => each.currency === currency);
  const cell = (amount: string | null | undefined): Cell => (amount == null ? '' : { amount });
  return {
    [name('amount_here')]: ({ amounts }) => sumCell(amounts, currency),
    [name('without_amount')]: ({ amounts }) =>
      String(amounts?.find((each) => each.currency === currency)?.withoutAmount ?? ''),
    [name('amount_declared')]: (day) => cell(moneyOf(day)?.declared),
    [name('amount_difference')]: (day) => cell(moneyOf(day)?.difference),
  };
}

/** The columns of the file with the list of days. */
function dayColumns(timeZone: string, currencies: readonly (string | null)[]): Columns<DaySummary> {
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
    ...timeColumns<DaySummary>('checked_at', timeZone, ({ checkedAt }) => checkedAt),
    ...timeColumns<DaySummary>('every_id_compared_at', timeZone, ({ passedAt }) => passedAt),
    signed_by: ({ signOff }) => signOff?.name ?? '',
    ...timeColumns<DaySummary>('signed_at', timeZone, ({ signOff }) => signOff?.at),
    note: ({ signOff }) => signOff?.note ?? '',
    reopened: ({ signOff }) => (signOff?.isReopened === true ? 'yes' : ''),
  };
}

/** The columns of the file with the records behind the numbers of a day. */
function behindColumns(timeZone: string): Columns<RecordBehind> {
  return {
    list: ({ kind }) => kind,
    external_id: ({ externalId }) => externalId,
    type: ({ type }) => type ?? '',
    ...timeColumns<RecordBehind>('sold_at', timeZone, (row) => ('soldAt' in row ? row.soldAt * 1000 : undefined)),
    till: (row) => ('record' in row ? row.record?.till : row.till) ?? '',
    delivery: (row) => ('record' in row ? row.record?.delivery : null) ?? '',
  };
}
