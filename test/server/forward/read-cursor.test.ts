// How far a lane has read its outbox, and when it reads from the start again.

import { expect, test } from 'vitest';

import { openReadCursor, type ReadCursor } from '../../../server/forward/read-cursor.ts';

const readPage = (
  cursor: ReadCursor,
  last: number,
  { hasMore = false, hasPassedOver = false, meanwhile = () => {} } = {},
): void => {
  cursor.beginPage();
  meanwhile();
  cursor.endPage({ last, hasMore, hasPassedOver });
};

test('the next page begins after the last, until the store has no more', () => {
  const cursor = openReadCursor();
  readPage(cursor, 4, { hasMore: true });
  expect([cursor.position(), cursor.hasMore()]).toEqual([4, true]);
  readPage(cursor, 6);
  expect([cursor.position(), cursor.hasMore()]).toEqual([6, false]);
});

test('news that arrives while a page is read is not forgotten', () => {
  const cursor = openReadCursor();
  readPage(cursor, 4, { meanwhile: cursor.expectMore });
  expect(cursor.hasMore()).toBe(true);
  readPage(cursor, 9, { meanwhile: () => cursor.setBack(2) });
  expect([cursor.position(), cursor.hasMore()]).toEqual([2, true]);
});

test('a failed page is read again', () => {
  const cursor = openReadCursor();
  cursor.beginPage();
  cursor.failPage();
  expect([cursor.position(), cursor.hasMore()]).toEqual([0, true]);
});

test.each<[when: string, prepare: (cursor: ReadCursor) => void, isEmpty: boolean, rereadAt: number, at: number]>([
  ['never, when all is read', (cursor) => readPage(cursor, 4), true, Infinity, Infinity],
  ['when a record that did not fit into memory is due', (cursor) => readPage(cursor, 4), true, 7000, 7000],
  ['not while records wait in memory', (cursor) => readPage(cursor, 4), false, 7000, Infinity],
  ['not before the last page is read', (cursor) => readPage(cursor, 4, { hasMore: true }), true, 7000, Infinity],
  [
    'when a record was passed over and another was settled since',
    (cursor) => {
      readPage(cursor, 4, { hasPassedOver: true });
      cursor.noteSettled();
    },
    true,
    Infinity,
    1000,
  ],
  ['never only for a settled record', (cursor) => (readPage(cursor, 4), cursor.noteSettled()), true, 1e9, 1e9],
  ['as soon as allowed, if records may be at any position', (cursor) => cursor.expectAnywhere(), false, Infinity, 1000],
])('reads from the start: %s', (_when, prepare, isEmpty, rereadAt, at) => {
  const cursor = openReadCursor();
  cursor.startOver(0);
  prepare(cursor);
  expect(cursor.startOverAt(isEmpty, rereadAt)).toBe(at);
});
