/** The sales of a real bakery as records. The half year of sales repeats, each time with new ids of the same length. */
import { openSales } from '../support/till/sales.ts';
import type { BenchRecord } from './records.ts';

const idPattern = /^bakery-(\d{5})$/;
/**
 * Each repetition adds this number to the numbers in the ids. It exceeds every number in the bakery's ids. The sums have at
 * most five digits.
 */
const turnStep = 10_000;
const maxTurns = 9;

/** Returns a function that makes the next record. It throws when the ids are used up, after 85,000 records. */
export async function createBakerySource(): Promise<() => BenchRecord> {
  const sales: { type: string; external_id: string; timestamp: string; object: unknown }[] = [];
  for await (const bytes of openSales()) sales.push(JSON.parse(bytes.toString()) as (typeof sales)[number]); // our own file
  let sent = 0;

  return () => {
    const sale = sales[sent % sales.length];
    const turn = Math.floor(sent / sales.length);
    const number = idPattern.exec(sale?.external_id ?? '')?.[1];
    if (sale === undefined || number === undefined || turn >= maxTurns) throw new Error('no more sales of the bakery');
    sent += 1;
    const id = `bakery-${String(Number(number) + turn * turnStep).padStart(5, '0')}`;
    const { type, timestamp } = sale;
    return { id, type, timestamp, body: JSON.stringify({ ...sale, external_id: id }) };
  };
}
