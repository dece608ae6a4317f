// Suggests where records of a type have their amount, from names and values in the newest records. A person must confirm the
// suggestion, because a name proves nothing. Pure.

import type { AmountRule, AmountSuggestion } from '../../contract/amounts.ts';
import { extendPointer } from '../../lib/json-pointer.ts';
import { readQuery } from '../../lib/query-string.ts';
import { findParameters, type KeptCall, textOfBody } from '../records/content.ts';
import { ExactNumber, isObject, readDocument, type Value } from '../records/exact-json.ts';
import { formatAmount } from './currency.ts';
import { readAmount, readPayment } from './read-amount.ts';

export interface Sample {
  readonly externalId: string;
  readonly call: KeptCall;
}

/** A single value in a record, with its place. */
interface Leaf {
  readonly pointer: string;
  /** The last name in the pointer, in lower case and with letters only. `parent` is the name before it. */
  readonly name: string;
  readonly parent: string;
  readonly depth: number;
  readonly value: Value;
}

const MAX_DEPTH = 4;
/** Maximum number of values that are examined in one record. */
const MAX_LEAVES = 500;

const TOTAL =
  /^(grand|order|sale|gross|amount|invoice)?(total|totaal|gesamt|summe|sum)(amount|bedrag|betrag|summe|price|gross|value|incl(tax|vat|btw)?)?$/;
const AMOUNT = /^(amount|bedrag|betrag|gross|brutto|price|value)$/;
/** Words in the names of numbers that are not the total, such as a tax or a quantity. */
const NO_TOTAL =
  /tax|vat|btw|mwst|ust|net|sub|discount|korting|rabat|tip|fooi|change|wissel|tender|count|qty|quantity|items|point|excl|paid/;
const CURRENCY = /cur|valuta|w(a|ae|ä)?hrung/;
const PAYMENT = /pay|tender|betaal|betal|zahl|method/;
const METHOD = /method|wijze|art$|type|means|tender/;
const NO_METHOD = /id$|ref|date|time|status|state|token|number|card/;
/** Words in the names of types whose records reduce the turnover. */
const REFUND = /refund|return|retour|credit|storno|gutschrift|void|cancel|annul/i;

const currencies = new Set(Intl.supportedValuesOf('currency'));

/**
 * Suggests a rule for a type. `samples` are records of this type, newest first. Returns undefined if fewer than half of them
 * have a readable total.
 */
export function suggestRule(type: string, samples: readonly Sample[]): AmountSuggestion | undefined {
  const records = samples.map(({ call }) => listLeaves(call));
  const isEarlier = samples.some(({ call }) => call.method !== null);
  const total = isEarlier ? '/amount' : findBest(records, scoreTotal);
  if (total === undefined) return undefined;
  const place = {
    total,
    currency: findBest(records, scoreCurrency) ?? null,
    payment: findBest(records, scorePayment) ?? null,
  };
  const read = samples
    .map(({ externalId, call }) => ({ externalId, call, amount: readAmount({ ...place, sign: 'as sent' }, call) }))
    .filter((each): each is typeof each & { amount: NonNullable<typeof each.amount> } => each.amount !== undefined);
  const isRefund = REFUND.test(type) && read.some(({ amount }) => amount.value > 0n);
  const rule: AmountRule = { type, ...place, sign: isRefund ? 'negative' : 'as sent' };
  const [newest] = read;
  const amount = newest && readAmount(rule, newest.call);
  if (newest === undefined || amount === undefined || read.length * 2 < samples.length) return undefined;
  const { currency, value } = amount;
  return {
    rule,
    looked: samples.length,
    readable: read.length,
    example: {
      externalId: newest.externalId,
      amount: { currency, value: formatAmount(value, currency) },
      payment: readPayment(rule, newest.call),
    },
  };
}

/**
 * Returns the pointer with the highest total score. A pointer counts only if it scores in at least half of the records.
 * Undefined if no pointer counts.
 */
function findBest(records: readonly (readonly Leaf[])[], score: (leaf: Leaf) => number): string | undefined {
  const found = new Map<string, { sum: number; records: number }>();
  for (const leaves of records)
    for (const leaf of leaves) {
      const points = score(leaf);
      if (points <= 0) continue;
      const before = found.get(leaf.pointer) ?? { sum: 0, records: 0 };
      found.set(leaf.pointer, { sum: before.sum + points, records: before.records + 1 });
    }
  const [best] = [...found]
    .filter(([, { records: count }]) => count * 2 >= records.length)
    .toSorted(([a, one], [b, other]) => other.sum - one.sum || a.length - b.length);
  return best?.[0];
}

function scoreTotal({ pointer, name, parent, depth, value }: Leaf): number {
  if (typeof value === 'string' ? !/^[+-]?\d+([.,]\d+)?$/.test(value.trim()) : !isNumber(value)) return 0;
  if (NO_TOTAL.test(name) || NO_TOTAL.test(parent) || /\/\d+(\/|$)/.test(pointer)) return 0;
  const points = TOTAL.test(name) || (AMOUNT.test(name) && TOTAL.test(parent)) ? 100 : AMOUNT.test(name) ? 50 : 0;
  return points === 0 ? 0 : points - depth;
}

function scoreCurrency({ pointer, name, parent, depth, value }: Leaf): number {
  if (typeof value !== 'string' || !currencies.has(value.toUpperCase()) || /\/\d+(\/|$)/.test(pointer)) return 0;
  return CURRENCY.test(name) ? 100 - depth : CURRENCY.test(parent) ? 50 - depth : 0;
}

function scorePayment({ name, parent, depth, value }: Leaf): number {
  if (typeof value !== 'string' || value.length > 40 || /^[\d.,+-]*$/.test(value) || NO_METHOD.test(name)) return 0;
  const isPayment = PAYMENT.test(name);
  if (!isPayment && !PAYMENT.test(parent)) return 0;
  return (METHOD.test(name) ? 100 : isPayment ? 60 : 20) - depth;
}

function isNumber(value: Value): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Lists the values of a record with their pointers. Takes only the first item of an array. */
function listLeaves({ method, body }: KeptCall): Leaf[] {
  const text = textOfBody(body);
  if (method === 'GET')
    return readQuery(text).flatMap(({ name, value }) =>
      name === undefined || value === undefined ? [] : leafOf(extendPointer('', name), value, 1),
    );
  const { root } = readDocument(method === 'POST' ? findParameters(text).text : text);
  const leaves: Leaf[] = [];
  const walk = (pointer: string | undefined, value: Value, depth: number): void => {
    if (leaves.length >= MAX_LEAVES || pointer === undefined || depth > MAX_DEPTH) return;
    if (isObject(value)) for (const [name, each] of value) walk(extendPointer(pointer, name), each, depth + 1);
    else if (Array.isArray(value)) walk(extendPointer(pointer, 0), (value as readonly Value[])[0] ?? null, depth + 1);
    else leaves.push(...leafOf(pointer, value, depth));
  };
  const isWhole = method !== null || !isObject(root);
  walk(isWhole ? '' : '/object', isWhole ? root : (root.get('object') ?? null), 0);
  return leaves;
}

function leafOf(pointer: string | undefined, value: Value, depth: number): Leaf[] {
  if (pointer === undefined) return [];
  const names = pointer.split('/').filter((name) => !/^\d+$/.test(name));
  const tidy = (name: string | undefined): string => (name ?? '').toLowerCase().replaceAll(/[^\p{L}]/gu, '');
  return [{ pointer, name: tidy(names.at(-1)), parent: tidy(names.at(-2)), depth, value }];
}
