/**
 * A month of sales of a busy shop. The shop is open fourteen hours a day and sells most around midday and towards the weekend.
 * Some sales are returned. The records are the same in every run, in order of sale.
 */
import { type BenchRecord, formatTimestamp, objects } from './records.ts';

/** In this time zone the month has a day of 25 hours, and no store day equals a UTC day. */
export const shopMonth = {
  from: '2025-10-01',
  to: '2025-10-31',
  zone: 'Europe/Amsterdam',
  dayStartsAt: '04:00',
} as const;

const days = 31;
const firstOpeningMs = Date.UTC(2025, 9, 1, 6);
const quarters = 14 * 4;
const [dayMs, quarterMs] = [86_400_000, 900_000];
/** The relative sales of each weekday, starting with Sunday. */
const weekdays = [0.7, 0.8, 0.8, 0.9, 1, 1.3, 1.5];
const refundEvery = 40;
const firstNumber = 1_000_000_000;

/** The id of the nth record, counted from 0. */
export function idInMonth(n: number): string {
  return `month-${firstNumber + n}`;
}

/** Returns a function that makes the next of `count` records of the month. All characters are ASCII. */
export function createMonthSource(count: number): () => BenchRecord {
  const slots = listSlots();
  const all = slots.reduce((sum, { weight }) => sum + weight, 0);
  let [sold, first, end, weight] = [0, 0, 0, 0];
  let at = firstOpeningMs;

  return () => {
    while (sold >= end) {
      const slot = slots.shift();
      if (slot === undefined) throw new Error(`the month has no more than ${count} records`);
      at = slot.at;
      weight += slot.weight;
      first = end;
      end = Math.round((weight / all) * count);
    }
    const id = idInMonth(sold);
    const type = sold % refundEvery === refundEvery - 1 ? 'refund' : 'sale';
    const timestamp = formatTimestamp(at + Math.floor(((sold - first) / (end - first)) * quarterMs));
    const object = objects[sold % objects.length] ?? '';
    sold += 1;
    const body = `{"type":"${type}","external_id":"${id}","timestamp":"${timestamp}","object":${object}}`;
    return { id, type, timestamp, body };
  };
}

/** The quarter hours in which the shop is open, each with its share of the sales. */
function listSlots(): { at: number; weight: number }[] {
  return Array.from({ length: days * quarters }, (_, n) => {
    const [day, quarter] = [Math.floor(n / quarters), n % quarters];
    const at = firstOpeningMs + day * dayMs + quarter * quarterMs;
    const ofDay = 1 + 2 * Math.sin((Math.PI * (quarter + 0.5)) / quarters);
    return { at, weight: ofDay * (weekdays[new Date(at).getUTCDay()] ?? 1) };
  });
}
