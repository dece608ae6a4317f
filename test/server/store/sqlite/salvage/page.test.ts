// A page of a hostile file cannot make its reader use memory without limit.

import { expect, test } from 'vitest';

import { PAGE_BYTES, parsePage, type ReadPage } from '../../../../../server/store/sqlite/salvage/page.ts';

const OVERFLOW_BYTES = PAGE_BYTES - 4;

function varint(value: number): number[] {
  const groups = [value & 127];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift((rest % 128) | 128);
  return groups;
}

/** A leaf of an index. Each of its pointers leads to one row, which states `total` bytes and continues on page 2. */
function leafOf(total: number, pointers: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  page[0] = 10;
  page.writeUInt16BE(pointers, 3);
  const at = PAGE_BYTES - 1200;
  for (let i = 0; i < pointers; i++) page.writeUInt16BE(at, 8 + 2 * i);
  const local = 489 + ((total - 489) % OVERFLOW_BYTES);
  const length = varint(total);
  // one blob, with a header of as many bytes as its type needs
  const headerBytes = 1 + varint(total * 2).length;
  const header = [headerBytes, ...varint((total - headerBytes) * 2 + 12)];
  page.set([...length, ...header], at);
  page.writeUInt32BE(2, at + length.length + (local <= 1002 ? local : 489));
  return page;
}

/** Pages of a chain, which ends after `length` pages. Page 2 is the first. */
function chainOf(length: number): ReadPage & { reads: number } {
  const read = (number: number): Buffer => {
    read.reads += 1;
    const page = Buffer.alloc(PAGE_BYTES);
    page.writeUInt32BE(number - 1 < length ? number + 1 : 0);
    return page;
  };
  read.reads = 0;
  return read;
}

const LONG = 489 + 5 * OVERFLOW_BYTES;

test('a row is read from its overflow pages', () => {
  const { rows, isDamaged } = parsePage(7, leafOf(LONG, 1), chainOf(5)) ?? {};
  expect(isDamaged).toBe(false);
  expect(rows?.[0]?.values).toEqual([expect.any(Buffer)]);
});

test('overflow pages that form a cycle are read once, and the row is damaged', () => {
  let reads = 0;
  const cycle: ReadPage = (number) => {
    reads += 1;
    if (reads > 10) throw new Error('the cycle was followed');
    const page = Buffer.alloc(PAGE_BYTES);
    page.writeUInt32BE(number === 4 ? 2 : number + 1);
    return page;
  };
  expect(parsePage(7, leafOf(LONG, 1), cycle)).toMatchObject({ rows: [], isDamaged: true });
  expect(reads).toBe(3);
});

test('a row that states more bytes than any row of ours has is not read', () => {
  const chain = chainOf(10_000);
  expect(parsePage(7, leafOf(489 + 8000 * OVERFLOW_BYTES, 1), chain)).toMatchObject({ rows: [], isDamaged: true });
  expect(chain.reads).toBe(0);
});

test('of many pointers to one long row, only the number that fits on a page is followed', () => {
  const chain = chainOf(5);
  const page = parsePage(7, leafOf(LONG, 1000), chain);
  expect(page).toMatchObject({ isDamaged: true });
  expect(page?.rows.length).toBe(8);
  expect(chain.reads).toBe(8 * 5);
});
