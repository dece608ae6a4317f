// A limit for all people together and a lower limit for each person.

import { expect, test } from 'vitest';

import { openShares } from '../../../server/console/shares.ts';

test('a person is refused at their own limit, everybody at the limit of all, and a released share is free', () => {
  const { take } = openShares({ max: 3, maxPerPerson: 2 });
  const first = take('a');
  expect(first).toMatchObject({ kind: 'taken' });
  expect(take('a')).toMatchObject({ kind: 'taken' });
  expect(take('a')).toEqual({ kind: 'refused', count: 2, isOwn: true });
  expect(take('b')).toMatchObject({ kind: 'taken' });
  expect(take('b')).toEqual({ kind: 'refused', count: 3, isOwn: false });
  if (first.kind === 'taken') first.release();
  expect(take('c')).toMatchObject({ kind: 'taken' });
  expect(take('a')).toEqual({ kind: 'refused', count: 3, isOwn: false });
});
