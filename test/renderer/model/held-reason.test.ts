import { expect, test } from 'vitest';

import { heldReasonOf, readableAnswer } from '../../../renderer/model/held-reason.ts';

test.each([
  [400, 'unreadable'],
  [409, 'contradicts'],
  [414, 'tooLarge'],
  [415, 'wrongForm'],
  [418, 'refusedIt'],
  [null, 'kept'],
])('a record held after the answer %s has the reason %s', (status, reason) => {
  expect(heldReasonOf(status)).toBe(reason);
});

test.each([
  ['{"title":"Bad","detail":" vat is missing "}', 'vat is missing'],
  ['{"error":"no"}', 'no'],
  ['{"error":{"code":7}}', '{"error":{"code":7}}'],
  ['not { json', 'not { json'],
  ['"text"', '"text"'],
  [null, ''],
])('the answer %s is shown as "%s"', (answer, shown) => {
  expect(readableAnswer(answer)).toBe(shown);
});
