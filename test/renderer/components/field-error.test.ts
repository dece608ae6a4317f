import { expect, test } from 'vitest';

import { errorSentence, isWithinField } from '../../../renderer/components/field-error.ts';

test.each([
  ['token', 'token is a production key', 'Is a production key.'],
  ['customer/name', 'customer.name must be short', 'Must be short.'],
  ['name', 'There is one of this name.', 'There is one of this name.'],
  ['url', 'urls are longer', 'Urls are longer.'],
  ['url', 'http://[::1]:1 is this gateway', 'http://[::1]:1 is this gateway.'],
])('beside the field %s, "%s" is "%s"', (path, detail, sentence) => {
  expect(errorSentence(path, detail)).toBe(sentence);
});

test('an error within a field belongs to the field', () => {
  expect(isWithinField('customer', 'customer')).toBe(true);
  expect(isWithinField('customer/name', 'customer')).toBe(true);
  expect(isWithinField('customers', 'customer')).toBe(false);
});
