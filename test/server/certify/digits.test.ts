// Finding the number of 20 digits in a body.

import { expect, test } from 'vitest';

import { findDigits } from '../../../server/certify/digits.ts';
import { MANY_DIGITS } from '../../../server/contract/certify.ts';

test.each([
  ['a number', `{"object":{"n":${MANY_DIGITS}}}`, 'number'],
  ['a text', `{"object":{"n":"${MANY_DIGITS}"}}`, 'text'],
  ['a query string', `transactionid=1&amount=${MANY_DIGITS}`, 'number'],
  ['a rounded number', '{"object":{"n":12345678901234567000}}', { lost: '12345678901234567000' }],
  ['a rounded number with an exponent', '{"n":1.2345678901234567e19}', { lost: '1.2345678901234567e19' }],
  ['another number', '{"n":12345678901234999999}', null],
  ['a longer id with these digits', `{"n":"X-${MANY_DIGITS}"}`, null],
  ['nothing', '{"n":1}', null],
])('%s', (_name, body, expected) => {
  expect(findDigits(body)).toEqual(expected);
});
