import { expect, test } from 'vitest';

import { suggestRule } from '../../../../server/store/amounts/suggest.ts';
import type { KeptCall } from '../../../../server/store/records/content.ts';

const sampleOf = (object: unknown, n = 0) => ({
  externalId: `A-${n}`,
  call: { method: null, body: Buffer.from(JSON.stringify({ type: 'sale', external_id: `A-${n}`, object })) },
});

test.each<[shop: string, object: unknown, total: string, currency: string | null, payment: string | null]>([
  [
    'a web shop',
    { order: { number: 7, total_price: '12.50', total_tax: '2.17', currency: 'EUR' }, payment_method: 'ideal' },
    '/object/order/total_price',
    '/object/order/currency',
    '/object/payment_method',
  ],
  [
    'a Dutch till',
    { bonnummer: 4, subtotaal: 10.33, btw: 2.17, totaal: 12.5, valuta: 'EUR', betaalwijze: 'pin' },
    '/object/totaal',
    '/object/valuta',
    '/object/betaalwijze',
  ],
  [
    'a German till',
    { positionen: [{ betrag: 12.5 }], mwst: 2, gesamtbetrag: '12,50', waehrung: 'EUR', zahlungsart: 'bar' },
    '/object/gesamtbetrag',
    '/object/waehrung',
    '/object/zahlungsart',
  ],
  [
    'a total with its currency',
    { amount: { value: '12.50', currency: 'EUR' }, payments: [{ type: 'card', amount: '12.50' }] },
    '/object/amount/value',
    '/object/amount/currency',
    '/object/payments/0/type',
  ],
  [
    'lines, and a discount',
    { items: [{ price: 12.5, total: 12.5 }], discountTotal: 1, grandTotal: 11.5 },
    '/object/grandTotal',
    null,
    null,
  ],
  ['only an amount', { amount: 1250 }, '/object/amount', null, null],
])('%s', (_shop, object, total, currency, payment) => {
  expect(suggestRule('sale', [sampleOf(object)])?.rule).toEqual({
    type: 'sale',
    total,
    currency,
    payment,
    sign: 'as sent',
  });
});

test.each([
  ['no number', { note: 'opened' }],
  ['only other numbers', { receipt: 4, items: 3, vat: 2.1, total_items: 3 }],
  ['only amounts of lines', { lines: [{ total: 3 }, { total: 4 }] }],
])('nothing is suggested for records with %s', (_what, object) => {
  expect(suggestRule('sale', [sampleOf(object)])).toBeUndefined();
});

test('nothing is suggested if most records have no such total', () => {
  const samples = [{ total: 1 }, {}, {}, { total: null }].map(sampleOf);
  expect(suggestRule('sale', samples)).toBeUndefined();
});

test('the example is the newest record with an amount', () => {
  const samples = [{ total: null }, { total: 2, currency: 'EUR' }, { total: 3, currency: 'EUR' }].map(sampleOf);
  expect(suggestRule('sale', samples)).toMatchObject({
    looked: 3,
    readable: 2,
    example: { externalId: 'A-1', amount: { currency: 'EUR', value: '2.00' } },
  });
});

test.each([
  ['refund', 3, 'negative'],
  ['refund', -3, 'as sent'],
  ['Retour', 3, 'negative'],
  ['sale', 3, 'as sent'],
])('the totals of the type %s such as %d count %s', (type, total, sign) => {
  expect(suggestRule(type, [sampleOf({ total })])?.rule.sign).toBe(sign);
});

test.each<[method: KeptCall['method'], body: string]>([
  ['GET', 'transactionid=A&amount=12.50&currency=EUR&payment=cash'],
  ['POST', '{"data":{"transactionid":"A","amount":"12.50","currency":"EUR","payment":"cash"}}'],
])('a %s of the earlier interface has its amount in the parameter amount', (method, body) => {
  const sample = { externalId: 'A', call: { method, body: Buffer.from(body) } };
  expect(suggestRule('transaction', [sample])).toMatchObject({
    rule: { total: '/amount', currency: '/currency', payment: '/payment' },
    example: { amount: { currency: 'EUR', value: '12.50' }, payment: 'cash' },
  });
});
