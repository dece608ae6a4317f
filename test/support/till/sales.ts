// Reads the sales for a replay one by one. They come from a file with one record per line, or from this project's file with
// half a year of a bakery.

import { createReadStream, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Half a year of a real bakery. Its source is in test/fixtures/README.md. */
const BAKERY_FILE = fileURLToPath(new URL('../../fixtures/bakery-sales.csv', import.meta.url));

export interface Sales extends AsyncIterable<Buffer> {
  /** The part of the file that was read, from 0 to 1. */
  fractionRead(): number;
}

/** Every `of`-th sale, beginning with sale number `nth`, counted from 1. */
export interface Part {
  readonly nth: number;
  readonly of: number;
}

/** Opens a file with one record per line, or the bakery's sales. Throws immediately if the file is missing. */
export function openSales(path?: string, part: Part = { nth: 1, of: 1 }): Sales {
  const file = path ?? BAKERY_FILE;
  const stat = statSync(file);
  if (!stat.isFile()) throw new Error(`${file} is not a file`);
  let bytesRead = 0;
  const lines = (): AsyncGenerator<Buffer> => readLines(file, (bytes) => (bytesRead += bytes));
  return {
    [Symbol.asyncIterator]: () => pickPart(path === undefined ? expandBakery(lines()) : lines(), part),
    fractionRead: () => (stat.size === 0 ? 1 : Math.min(1, bytesRead / stat.size)),
  };
}

/** The lines of a file, byte for byte, without line feeds and empty lines. */
async function* readLines(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      onRead(line.length + 1);
      if (line.length > 0) yield line;
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
  const last = Buffer.concat(parts);
  onRead(last.length);
  if (last.length > 0) yield last;
}

async function* pickPart(sales: AsyncGenerator<Buffer>, { nth, of }: Part): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const sale of sales) {
    if (count % of === nth - 1) yield sale;
    count += 1;
  }
}

/** Makes a record of each row `receipt,timestamp,items,unreadable_items`; items are separated by semicolons. */
async function* expandBakery(rows: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let isHeading = true;
  for await (const row of rows) {
    if (!isHeading) yield expandRow(row.toString('utf8'));
    isHeading = false;
  }
}

function expandRow(row: string): Buffer {
  const [receipt = '', timestamp = '', items = '', unreadable = ''] = row.split(',');
  const object = {
    receipt: Number(receipt),
    items: items === '' ? [] : items.split(';'),
    unreadable_items: Number(unreadable),
  };
  return Buffer.from(
    JSON.stringify({ type: 'sale', external_id: `bakery-${receipt.padStart(5, '0')}`, timestamp, object }),
  );
}
