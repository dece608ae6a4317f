/**
 * The records that most benchmarks send: sales of the current interface, about 200 bytes of ASCII each. Each external_id is
 * unique in a run. Building a record takes a few string joins, because the generator shares the machine with the subject.
 */

const items = [
  'Bread',
  'Coffee',
  'Tea',
  'Cake',
  'Pastry',
  'Medialuna',
  'Hot chocolate',
  'Sandwich',
  'Scandinavian',
  'Cookies',
  'Alfajores',
  'Farm House',
  'Jam',
  'Muffin',
  'Brownie',
  'Truffles',
];
const variantCount = 64;
const firstNumber = 1_000_000_000;

/** A filled store covers exactly this year. So each day and each month holds the same share of the records at every size. */
export const filledYear = { startMs: Date.UTC(2025, 0, 1), days: 365 } as const;

export type RecordPlan = {
  /** Prefix of each external_id; the caller keeps it unique among the loads on one store. */
  idPrefix: string;
  /** The number of the first record. An id is the prefix and ten digits, counting up from this number. */
  first: number;
  /** `detailed` sales have about half a kilobyte: each sold item with its quantity, price and VAT rate. By default `short`. */
  sales?: 'short' | 'detailed';
  /**
   * One time for all records, or a range in time order. In a range, record `first + n` has the time `startMs + spanMs × n /
   * count`.
   */
  time: { kind: 'now' } | { kind: 'spread'; startMs: number; spanMs: number; count: number };
};

export type BenchRecord = { id: string; type: string; timestamp: string; body: string };

/** Plans the records that fill a store. The `count` records are spread over the year, and their numbers begin at `first`. */
export function planFill(first: number, count: number): RecordPlan {
  const { startMs, days } = filledYear;
  return { idPrefix: 'fill', first, time: { kind: 'spread', startMs, spanMs: days * 86_400_000, count } };
}

/** The sold items as JSON; records use them in rotation. */
export const objects: readonly string[] = Array.from({ length: variantCount }, (_, variant) => buildObject(variant));
const detailedObjects: readonly string[] = Array.from({ length: variantCount }, (_, variant) => buildDetailed(variant));

/**
 * Returns a function that makes the next record of the plan, without end. All characters are ASCII, so a record's length is
 * its bytes.
 */
export function createRecordSource(plan: RecordPlan): () => BenchRecord {
  const { time } = plan;
  const sold = plan.sales === 'detailed' ? detailedObjects : objects;
  const now = formatTimestamp(Date.now());
  let sent = 0;

  return () => {
    const id = `${plan.idPrefix}-${firstNumber + plan.first + sent}`;
    const timestamp =
      time.kind === 'now' ? now : formatTimestamp(time.startMs + Math.floor((sent / time.count) * time.spanMs));
    const object = sold[sent % sold.length] ?? '';
    sent += 1;
    return {
      id,
      type: 'sale',
      timestamp,
      body: `{"type":"sale","external_id":"${id}","timestamp":"${timestamp}","object":${object}}`,
    };
  };
}

/** Writes an instant as `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function buildDetailed(variant: number): string {
  const lines = Array.from({ length: 6 + (variant % 4) }, (_, line) => ({
    item: items[(variant * 7 + line * 5) % items.length],
    quantity: 1 + ((variant + line) % 3),
    price: 95 + ((variant * 37 + line * 113) % 900),
    vat: line % 2 === 0 ? 9 : 21,
  }));
  return JSON.stringify({ receipt: 4000 + variant, lines });
}

function buildObject(variant: number): string {
  const bought = Array.from({ length: 4 + (variant % 6) }, (_, line) => items[(variant * 7 + line * 5) % items.length]);
  return JSON.stringify({ receipt: 4000 + variant, items: bought, unreadable_items: 0 });
}
