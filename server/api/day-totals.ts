// Declared totals from tills. A till declares the number of its sales of a store day. The answer compares this number with the
// records.

import type { Amount } from '../contract/amounts.ts';
import { invalidFields, parameterFault, validate } from '../http/validation.ts';
import { parseDecimal } from '../lib/decimal.ts';
import { storeDayOf } from '../store-day.ts';
import { formatAmount } from '../store/amounts/currency.ts';
import type { NewDeclaredTotal } from '../store/declared/ledger.ts';
import type { Range } from '../store/records/ledger.ts';
import { textsAt } from '../store/records/text-at-pointer.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { sendJson } from './answer.ts';
import { assertStillAdmitted, authenticateToken } from './authentication.ts';
import { assertJsonBody } from './body.ts';
import type { Call, Intake } from './call.ts';
import { parseJsonBody } from './json-body.ts';
import type { QueryGate } from './query-gate.ts';
import { dayTotal } from './schema.ts';

/** The path begins with `/ext`, because it exists only in this gateway. The upstream has only the paths for records. */
export const DAY_TOTALS_PATH = '/ext/v1/day_totals';

/**
 * Stores the declared total of the key's till, and compares it with the records. Calls of the same journal run one at a time.
 * Answers 201 for a new total, and 200 for an unchanged one.
 */
export async function postDayTotal(
  call: Call,
  { store, readBody }: Pick<Intake, 'store' | 'readBody'>,
  gate: QueryGate,
): Promise<void> {
  const key = authenticateToken(call, store);
  const { journalId, tillId, label } = key;
  assertJsonBody(call.req);
  const body = (call.body = await readBody(call));
  assertStillAdmitted(call, store, key, 'current');
  const total = parseDayTotal(body);
  const { date, type, records } = total;
  const range = rangeOf(store.setup.administrationOf(key), date);

  const { added, compared } = await gate.run({ journalId, keyId: key.id }, async () => {
    const result = await store.declared.declare(journalId, [{ ...total, tillId }], { actor: label, source: 'till' });
    if (result.kind !== 'declared') throw new Error('the till of a key does not exist');
    const [declaredId] = result.ids;
    if (declaredId == null) throw new Error('a total was declared and has no entry');
    // Compares the records with the total that this call declared. Uses the total's id, which also finds a total that a user
    // has withdrawn since then.
    const [own] = await store.declared.compareDay({ journalId, date, range, declaredId });
    return { added: result.added, compared: own };
  });
  if (compared === undefined) throw new Error('a declared total cannot be found');
  sendJson(call.res, added > 0 ? 201 : 200, {
    day: date,
    type,
    till: label,
    count: records,
    here: compared.here,
    ...(compared.ids !== null && { missing: [...compared.ids.missing], undeclared: compared.ids.undeclaredCount }),
    ...(total.amounts.length > 0 && {
      amounts: compared.amounts.map((each) => ({ ...each })),
      without_amount: compared.amountGap !== null && 'records' in compared.amountGap ? compared.amountGap.records : 0,
    }),
  });
}

type SentTotal = NewDeclaredTotal & { readonly records: number; readonly amounts: readonly Amount[] };

/** Throws with a code and the field if the call is invalid. */
function parseDayTotal(body: Buffer): SentTotal {
  const result = validate(dayTotal, parseJsonBody(body).value);
  if (result.kind === 'invalid') throw invalidFields(result.errors);
  const { day: date, count: records, type = null, external_ids: ids, amounts = [] } = result.value;
  return {
    date,
    type,
    tillId: null,
    records,
    ...(ids !== undefined && { ids }),
    amounts: readAmounts(
      body,
      amounts.map(({ currency = null }) => currency),
    ),
  };
}

/** Reads each amount from the original text of the body, because a parsed number may lose digits. Throws `field_invalid`. */
function readAmounts(body: Buffer, currencies: readonly (string | null)[]): Amount[] {
  const pointers = currencies.map((_, index) => `/amounts/${index}/amount`);
  const texts = textsAt({ method: null, body }, pointers);
  return currencies.map((currency, index) => {
    const json = texts.get(pointers[index] ?? '') ?? '';
    const value = parseDecimal(json.startsWith('"') ? (JSON.parse(json) as string) : json);
    if (value !== undefined) return { currency, value: formatAmount(value, currency) };
    const detail = `amounts.${index}.amount must be a decimal with a point, such as "-12.50"`;
    throw invalidFields([{ pointer: pointers[index] ?? '', code: 'decimal', detail }]);
  });
}

/** The store day of a date. Throws `field_invalid`. */
function rangeOf({ dayRules }: Administration, date: string): Range {
  const day = storeDayOf(date, dayRules);
  if (day === undefined) throw invalidFields([parameterFault('day', 'format', 'is not a day of this store')]);
  return day;
}
