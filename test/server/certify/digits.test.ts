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
  ['a number rounded to seven digits', '{"n":1.2345679e+19}', { lost: '1.2345679e+19' }],
  ['a rounded number in a text', '{"n":"12345678901234567890"}', { lost: '12345678901234567890' }],
  ['a number cut to 64 bits', '{"n":9223372036854775807}', { lost: '9223372036854775807' }],
  ['a number after an overflow', '{"n":-6101065172474983725}', { lost: '-6101065172474983725' }],
  [
    'every digit beside a rounded number',
    `{"a":"${MANY_DIGITS}","n":1.2345678901234567e19}`,
    { lost: '1.2345678901234567e19' },
  ],
  ['a number in JSON inside a text', `{"n":"{\\"total\\":${MANY_DIGITS}}"}`, 'number'],
  ['another number', '{"n":12345999999999999999}', null],
  ['a longer id with these digits', `{"n":"X-${MANY_DIGITS}"}`, null],
  ['nothing', '{"n":1}', null],
])('%s', (_name, body, expected) => {
  expect(findDigits(body)).toEqual(expected);
});
