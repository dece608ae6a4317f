// A scan of a hostile file ends, whatever its pages say.

import { expect, test } from 'vitest';

import type { PageFile } from '../../../../../server/store/sqlite/salvage/page-file.ts';
import { PAGE_BYTES } from '../../../../../server/store/sqlite/salvage/page.ts';
import { openScan } from '../../../../../server/store/sqlite/salvage/scan.ts';

/** A file in which page 1 leads to page 2, and so on. The last page is a leaf with one row. */
function deepFile(pageCount: number): PageFile {
  const read = (number: number): Buffer => {
    const page = Buffer.alloc(PAGE_BYTES);
    const start = number === 1 ? 100 : 0;
    if (number < pageCount) {
      page[start] = 5;
      page.writeUInt32BE(number + 1, start + 8);
      return page;
    }
    page[start] = 13;
    page.writeUInt16BE(1, start + 3);
    page.writeUInt16BE(PAGE_BYTES - 4, start + 8);
    page.set([2, 1, 2, 9], PAGE_BYTES - 4); // a row of two bytes with the rowid 1: its value is 1
    return page;
  };
  return {
    pageCount,
    missingPages: 0,
    log: 'none',
    firstFreePage: 0,
    schema: undefined,
    read,
    *loosePages() {},
    close() {},
  };
}

const tree = { name: 'deep', root: 1, kind: 'table', fits: () => true } as const;

test('a b-tree has at most 20 levels, as in SQLite; the rows below count as hidden', () => {
  const scan = openScan(deepFile(20));
  expect([...scan.pagesOf(tree)].length).toBe(1);
  expect(scan.isDamaged('deep')).toBe(false);
  for (const pages of [21, 30_000]) {
    const deep = openScan(deepFile(pages));
    expect([...deep.pagesOf(tree)]).toEqual([]);
    expect(deep.isDamaged('deep')).toBe(true);
    expect([...deep.hiddenPages()].length).toBe(1);
  }
});
