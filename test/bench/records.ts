/**
 * The records every benchmark sends: sales in the form the current interface takes, about 200 bytes of ASCII each, with an
 * external_id that no other load of the same run uses. Building one is a few string joins, because the generator that sends
 * them shares the machine with what it measures.
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

/** The stores that are filled cover exactly this year, so that a day and a month hold the same share of records at every size. */
export const filledYear = { startMs: Date.UTC(2025, 0, 1), days: 365 } as const;

export type RecordPlan = {
  /** Begins each external_id; the caller keeps it unique among the loads that reach one store. */
  idPrefix: string;
  /** Number of the first record; the ids of a plan are the prefix and ten digits counting up from here. */
  first: number;
  /** One time for all, or a run in time order: record `first + n` lies at `n / count` of the span. */
  time: { kind: 'now' } | { kind: 'spread'; startMs: number; spanMs: number; count: number };
};

export type BenchRecord = { id: string; type: string; timestamp: string; body: string };

/** The records that a store is filled with: `count` of them from number `first` on, spread over the year. */
export function planFill(first: number, count: number): RecordPlan {
  const { startMs, days } = filledYear;
  return { idPrefix: 'fill', first, time: { kind: 'spread', startMs, spanMs: days * 86_400_000, count } };
}

/** What was sold, as JSON; records take one after the other. */
export const objects: readonly string[] = Array.from({ length: variantCount }, (_, variant) => buildObject(variant));

/** A function that gives the next record of the plan each time; it never ends. All characters are ASCII: length = bytes. */
export function createRecordSource(plan: RecordPlan): () => BenchRecord {
  const { time } = plan;
  const now = formatTimestamp(Date.now());
  let sent = 0;

  return () => {
    const id = `${plan.idPrefix}-${firstNumber + plan.first + sent}`;
    const timestamp =
      time.kind === 'now' ? now : formatTimestamp(time.startMs + Math.floor((sent / time.count) * time.spanMs));
    const object = objects[sent % objects.length] ?? '';
    sent += 1;
    return {
      id,
      type: 'sale',
      timestamp,
      body: `{"type":"sale","external_id":"${id}","timestamp":"${timestamp}","object":${object}}`,
    };
  };
}

/** An instant in the only form the interface takes, `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function buildObject(variant: number): string {
  const bought = Array.from({ length: 4 + (variant % 6) }, (_, line) => items[(variant * 7 + line * 5) % items.length]);
  return JSON.stringify({ receipt: 4000 + variant, items: bought, unreadable_items: 0 });
}
