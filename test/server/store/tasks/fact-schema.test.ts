import { expect, test } from 'vitest';

import { parseFact } from '../../../../server/store/tasks/fact-schema.ts';

test('a differing day that an earlier version stored stays a task, without ids', () => {
  const stored = { kind: 'day_differs', date: '2026-11-04', reasons: [{ code: 'held', count: 1 }] };
  expect(parseFact(JSON.stringify(stored))).toEqual({ ...stored, missing: [] });
});

test('a fact of a later version is not read', () => {
  expect(parseFact('{"kind":"of_a_later_version"}')).toBeUndefined();
});
