import { expect, test } from 'vitest';

import { faultSentence, isWithin } from '../../../renderer/components/field-fault.ts';

test.each([
  ['token', 'token is a production key', 'Is a production key.'],
  ['customer/name', 'customer.name must be short', 'Must be short.'],
  ['name', 'There is one of this name.', 'There is one of this name.'],
  ['url', 'urls are longer', 'Urls are longer.'],
  ['url', 'http://[::1]:1 is this gateway', 'http://[::1]:1 is this gateway.'],
])('beside the field %s, "%s" is "%s"', (path, detail, sentence) => {
  expect(faultSentence(path, detail)).toBe(sentence);
});

test('a fault within a field is one of the field', () => {
  expect(isWithin('customer', 'customer')).toBe(true);
  expect(isWithin('customer/name', 'customer')).toBe(true);
  expect(isWithin('customers', 'customer')).toBe(false);
});
