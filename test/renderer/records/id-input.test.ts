import { expect, test } from 'vitest';

import { followAddress } from '../../../renderer/records/id-input.ts';

test('typed letters stay while an earlier id is on its way to the address', () => {
  const typed = { text: 'S-12', inAddress: '', sent: ['S-', 'S-1'] };
  const first = followAddress(typed, 'S-');
  expect(first).toEqual({ text: 'S-12', inAddress: 'S-', sent: ['S-1'] });
  expect(followAddress(first, 'S-1')).toEqual({ text: 'S-12', inAddress: 'S-1', sent: [] });
});

test('an id that never reached the address is forgotten when a later one arrives', () => {
  expect(followAddress({ text: 'S-1', inAddress: '', sent: ['S-', 'S-1'] }, 'S-1')).toMatchObject({
    text: 'S-1',
    sent: [],
  });
});

test('an id from elsewhere replaces the text, even if this field sent it before', () => {
  const there = followAddress({ text: 'S-1', inAddress: '', sent: ['S-1'] }, 'S-1');
  const gone = followAddress(there, '');
  expect(gone.text).toBe('');
  expect(followAddress(gone, 'S-1').text).toBe('S-1');
});
