import { expect, test } from 'vitest';

import { receiptLines } from '../../../renderer/records/receipt.ts';

test('lines are recognised by usual names in three languages, wherever they stand', () => {
  const line = { name: 'Bread', quantity: '2', price: '3.10', total: '6.20' };
  for (const body of [
    '{"object":{"lines":[{"description":"Bread","quantity":2,"price":3.10,"total":6.20}],"total":6.20}}',
    '{"order":{"line_items":[{"name":"Bread","qty":2,"unit_price":"3.10","line_total":"6.20"}]}}',
    '{"object":{"regels":[{"omschrijving":"Bread","aantal":2,"stuksprijs":3.10,"bedrag":6.20}]}}',
    '{"positionen":[{"bezeichnung":"Bread","menge":2,"einzelpreis":3.10,"gesamtpreis":6.20}]}',
    '{"object":{"items":[{"product":{"title":"Bread"},"count":2,"price":3.10,"amount":6.20}]}}',
  ])
    expect(receiptLines(body), body).toEqual([line]);
});

test('numbers stay as they were sent', () => {
  const body = '{"lines":[{"name":"A","quantity":1.50,"price":0.10000000000000000001,"total":1e2}]}';
  expect(receiptLines(body)).toEqual([{ name: 'A', quantity: '1.50', price: '0.10000000000000000001', total: '1e2' }]);
});

test('what a line does not have is not made up', () => {
  expect(receiptLines('{"items":[{"name":"A","quantity":3},{"name":"B","price":2.50}]}')).toEqual([
    { name: 'A', quantity: '3', price: null, total: null },
    { name: 'B', quantity: null, price: '2.50', total: null },
  ]);
});

test.each([
  ['content that is not JSON', 'type=sale&amount=1'],
  ['a sale without lines', '{"object":{"total":12.50}}'],
  ['a list of something else', '{"items":[{"id":1},{"id":2}]}'],
  ['lines of which one has no name', '{"items":[{"name":"A","price":1},{"price":2}]}'],
  ['names without any number', '{"items":[{"name":"A"}]}'],
  ['a list of texts', '{"items":["A","B"]}'],
])('%s has no receipt', (_what, body) => expect(receiptLines(body)).toEqual([]));
