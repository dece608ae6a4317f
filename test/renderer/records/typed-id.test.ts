import { expect, test } from 'vitest';

import { follow } from '../../../renderer/records/typed-id.ts';

test('a letter that is typed while an id is on its way to the address stays', () => {
  const typed = { text: 'S-12', inAddress: '', sent: ['S-', 'S-1'] };
  const first = follow(typed, 'S-');
  expect(first).toEqual({ text: 'S-12', inAddress: 'S-', sent: ['S-1'] });
  expect(follow(first, 'S-1')).toEqual({ text: 'S-12', inAddress: 'S-1', sent: [] });
});

test('one that was passed over on its way is not waited for', () => {
  expect(follow({ text: 'S-1', inAddress: '', sent: ['S-', 'S-1'] }, 'S-1')).toMatchObject({ text: 'S-1', sent: [] });
});

test('an id that comes from elsewhere is taken over, also one that was sent earlier', () => {
  const there = follow({ text: 'S-1', inAddress: '', sent: ['S-1'] }, 'S-1');
  const gone = follow(there, '');
  expect(gone.text).toBe('');
  expect(follow(gone, 'S-1').text).toBe('S-1');
});
