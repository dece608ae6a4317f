import { expect, test } from 'vitest';

import { formatDecimal } from '../../../../server/lib/decimal.ts';
import {
  type AmountPlace,
  openAmountReader,
  readAmount,
  readPayment,
} from '../../../../server/store/amounts/read-amount.ts';
import type { KeptCall } from '../../../../server/store/records/content.ts';

const RULE: AmountPlace = {
  total: '/object/total',
  currency: '/object/currency',
  payment: '/object/paid/0/method',
  sign: 'as sent',
};

function sale(object: string): KeptCall {
  const text = `{"type":"sale","external_id":"A-1","timestamp":"2026-11-03T16:30:00Z","object":${object}}`;
  return { method: null, body: Buffer.from(text) };
}

function read(call: KeptCall, rule: Partial<AmountPlace> = {}): string | undefined {
  const amount = readAmount({ ...RULE, ...rule }, call);
  return amount && `${formatDecimal(amount.value)} ${amount.currency ?? '-'}`;
}

test.each([
  ['a number', '12.50', '12.5 EUR'],
  ['a number with an exponent', '1.25e1', '12.5 EUR'],
  ['a number that no float can hold', '9007199254740993.01', '9007199254740993.01 EUR'],
  ['a string', '"12.50"', '12.5 EUR'],
  ['a string with a decimal comma', '"12,50"', '12.5 EUR'],
  ['a string with spaces around it', '" 12.50 "', '12.5 EUR'],
  ['a string with escapes', String.raw`"1\u0032.5"`, '12.5 EUR'],
  ['a negative number', '-12.5', '-12.5 EUR'],
  ['zero', '0.00', '0 EUR'],
])('%s is an amount', (_what, total, amount) => {
  expect(read(sale(`{"total":${total},"currency":"EUR"}`))).toBe(amount);
});

test.each([
  ['null', 'null'],
  ['a boolean', 'true'],
  ['an object', '{"value":12.5}'],
  ['an array', '[12.5]'],
  ['an empty string', '""'],
  ['a word', '"NaN"'],
  ['a string that may be a thousand', '"1,234"'],
  ['a string with a currency', '"€ 12.50"'],
  ['a number of 400 digits', '1e400'],
  ['a number of 40 digits', '1234567890123456789012345678901234567890'],
  ['a string of a megabyte', `"${'1'.repeat(1_000_000)}"`],
])('%s is no amount', (_what, total) => {
  expect(read(sale(`{"total":${total},"currency":"EUR"}`))).toBeUndefined();
});

test('a record without the total has no amount', () => {
  expect(read(sale('{"currency":"EUR"}'))).toBeUndefined();
});

test.each([
  ['a code', 'EUR', '12.5 EUR'],
  ['no currency', null, '12.5 -'],
  ['a pointer to nothing', '/object/money', undefined],
  ['a pointer to a number', '/object/total', undefined],
])('a rule with %s as the currency', (_what, currency, amount) => {
  expect(read(sale('{"total":12.5}'), { currency })).toBe(amount);
});

test('a currency in small letters is the same currency', () => {
  expect(read(sale('{"total":12.5,"currency":"eur"}'))).toBe('12.5 EUR');
});

test('a currency with a letter that only looks like I is no currency', () => {
  expect(read(sale('{"total":12.5,"currency":"ısk"}'))).toBeUndefined();
});

test.each(['12.5', '-12.5', '"12.50"'])('a refund of %s reduces the sum', (total) => {
  expect(read(sale(`{"total":${total},"currency":"EUR"}`), { sign: 'negative' })).toBe('-12.5 EUR');
});

test('a pointer may leave out the object', () => {
  expect(read(sale('{"total":12.5,"currency":"EUR"}'), { total: '/total', currency: '/currency' })).toBe('12.5 EUR');
});

test('the last of repeated names counts, as in a comparison', () => {
  expect(read(sale('{"total":1,"total":2,"currency":"EUR"}'))).toBe('2 EUR');
});

test.each([
  ['GET', 'transactionid=A-1&amount=12.50&timestamp=2026-11-03T16:30:00Z'],
  ['POST', '{"transactionid":"A-1","amount":12.5}'],
  ['POST', '{"data":{"transactionid":"A-1","amount":"12.5"}}'],
] as const)('the amount of a %s of the earlier interface is its parameter', (method, body) => {
  const call = { method, body: Buffer.from(body) };
  expect(read(call, { total: '/amount', currency: 'EUR' })).toBe('12.5 EUR');
  expect(read(call, { total: '/object/total', currency: 'EUR' })).toBe('12.5 EUR');
});

test.each([
  ['a string', '[{"method":" cash "}]', 'cash'],
  ['a number', '[{"method":7}]', '7'],
  ['an object', '[{"method":{"kind":"cash"}}]', null],
  ['an empty string', '[{"method":""}]', null],
  ['nothing', '[]', null],
])('a payment method that is %s', (_what, paid, method) => {
  expect(readPayment(RULE, sale(`{"total":1,"paid":${paid}}`))).toBe(method);
});

test('a reader remembers short amounts only, because a long text would keep the whole call in memory', () => {
  const readTwice = (total: string) => {
    const readOne = openAmountReader({ ...RULE, currency: 'EUR' });
    return [readOne(sale(`{"total":${total}}`)), readOne(sale(`{"total":${total}}`))] as const;
  };
  const [short, again] = readTwice('12.5');
  expect(short).toBeDefined();
  expect(again).toBe(short);
  const [long, longAgain] = readTwice('30.299999999999997');
  expect(long).toBeDefined();
  expect(longAgain).toEqual(long);
  expect(longAgain).not.toBe(long);
});
