// Counts the verdicts of the last store days for the metrics. Each journal is read at most once a minute, because a scrape must not
// burden the reader of the database.

import { listJudged } from '../contract/days.ts';
import { type Verdict, VERDICTS } from '../contract/verdicts.ts';
import { addDays } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { COUNTED_DAYS, type VerdictCounts } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import type { Days } from './days.ts';

const KNOWN_FOR_MS = 60_000;

/** Returns a function that counts the verdicts of every journal. It returns the last result for a minute. */
export function openVerdictCounts({
  store,
  days,
  clock,
}: {
  readonly store: Pick<Store, 'setup'>;
  readonly days: Pick<Days, 'list'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}): () => Promise<readonly VerdictCounts[]> {
  let readAt = -Infinity;
  let reading: Promise<readonly VerdictCounts[]> = Promise.resolve([]);

  async function read(): Promise<readonly VerdictCounts[]> {
    const journals = await store.setup.listJournals();
    return Promise.all(
      journals.map(async ({ id, administration, mode }) => ({ administration, mode, counts: await count(id) })),
    );
  }

  async function count(journalId: number): Promise<Record<Verdict, number>> {
    const date = new Date(clock.now()).toISOString().slice(0, 10); // a store's date is at most a day away
    const view = await days.list(journalId, addDays(date, -COUNTED_DAYS - 1), addDays(date, 1));
    const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    if (view === undefined) return counts;
    const from = addDays(view.today, -COUNTED_DAYS);
    for (const day of listJudged(view)) if (from <= day.date && day.date < view.today) counts[day.verdict] += 1;
    return counts;
  }

  return () => {
    if (clock.monotonic() - readAt < KNOWN_FOR_MS) return reading;
    readAt = clock.monotonic();
    reading = read();
    reading.catch(() => (readAt = -Infinity)); // the next call reads again
    return reading;
  };
}
