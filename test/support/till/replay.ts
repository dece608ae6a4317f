// Plays several tills. Each till sends one call at a time on its own connection and retries it until the gateway accepts it.
// The next free till gets the next sale of the file.

import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { CURRENT } from './dialect.ts';
import { type Call, judge, openPlan, type PlannedSale, type PlanOptions, type Receipt } from './plan.ts';
import { openRandom } from './random.ts';
import { openTally, type ReplaySummary, type Tally } from './summary.ts';
import { openWire } from './wire.ts';

export interface ReplayOptions extends Partial<PlanOptions> {
  /** The gateway's base address. */
  readonly url: string;
  /** The keys of the tills. If there are more tills than keys, tills share keys. */
  readonly keys: readonly string[];
  /** One record for each sale. `dialect` turns it into a body. */
  readonly sales: AsyncIterable<Buffer> | Iterable<Buffer>;
  /** The number of tills; 4 by default. */
  readonly tills?: number;
  /** Sales per second of all tills, without resends. By default there is no limit. */
  readonly rate?: number | undefined;
  /** Stops the replay and abandons its calls. */
  readonly signal?: AbortSignal;
  /** Called with each answer for a kept record. */
  readonly onAnswer?: (call: Call, receipt: Receipt) => void;
  /** The counts of a running replay. */
  readonly tally?: Tally;
}

/** Back-off: a random pause of up to 50 ms after the first failure, doubling to up to 2 s. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;

/** Replays sales until all are accepted or refused, or until `signal` is aborted. It retries without limit. */
export async function replaySales(options: ReplayOptions): Promise<ReplaySummary> {
  const {
    url,
    keys,
    tills = 4,
    rate,
    duplicates = 0,
    changed = 0,
    seed = 1,
    dialect = CURRENT,
    signal = new AbortController().signal,
  } = options;
  const { onAnswer = () => {}, tally = openTally() } = options;
  const sales = paced(planned(options.sales, { duplicates, changed, seed, dialect }), rate, signal);
  setMaxListeners(0, signal);

  async function runTill(number: number): Promise<void> {
    const wire = openWire(url, keys[number % keys.length] ?? '', dialect);
    const random = openRandom(seed + number + 1);
    const later = openLater();

    /** Sends a call until it is accepted or refused. Returns the id of the original record, or undefined. */
    async function deliver(call: Call, originalId: number | undefined): Promise<number | undefined> {
      let wasAnswerLost = false;
      let isUnderway = false;
      signal.throwIfAborted();
      tally.begin(call);
      try {
        for (let failures = 0; ; failures++) {
          isUnderway = true;
          const attempt = await wire.attempt(call.body, signal);
          isUnderway = false;
          if (attempt.kind === 'refused') {
            tally.refuse(call, attempt);
            return undefined;
          }
          if (attempt.kind === 'kept') {
            const { receipt } = attempt;
            tally.keep(receipt, judge(call, receipt, { wasAnswerLost, originalId, httpOfNew: dialect.httpOfNew }));
            onAnswer(call, receipt);
            return receipt.originalId ?? receipt.recordId;
          }
          tally.retry(attempt);
          wasAnswerLost ||= attempt.mayBeKept;
          await delay(
            attempt.retryAfterMs + random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures),
            undefined,
            { signal },
          );
        }
      } catch (error) {
        tally.giveUp(isUnderway);
        throw error;
      }
    }

    try {
      for (let next = await sales.next(); next.done !== true; next = await sales.next()) {
        const { sale, resends } = next.value;
        const originalId = await deliver(sale, undefined);
        for (const due of later.countSale()) await deliver(due.call, due.originalId);
        if (originalId !== undefined) later.add(resends, originalId);
      }
      for (const due of later.takeAll()) await deliver(due.call, due.originalId);
    } finally {
      await wire.close();
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: tills }, (_, number) => runTill(number)));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure === undefined) tally.complete();
  else if (!signal.aborted) throw failure.reason;
  return tally.summarize();
}

async function* planned(sales: ReplayOptions['sales'], options: PlanOptions): AsyncGenerator<PlannedSale> {
  const plan = openPlan(options);
  for await (const record of sales) yield plan(record);
}

/** Yields each sale at its planned time. After an outage, overdue sales follow without a pause. */
async function* paced(
  sales: AsyncGenerator<PlannedSale>,
  rate: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<PlannedSale> {
  const startedAt = performance.now();
  let count = 0;
  for await (const sale of sales) {
    const early = rate === undefined ? 0 : startedAt + (count * 1000) / rate - performance.now();
    if (early >= 1) await delay(early, undefined, { signal });
    signal.throwIfAborted();
    count += 1;
    yield sale;
  }
}

interface DueCall {
  readonly call: Call;
  readonly originalId: number;
}

/** The resends of one till, in the order in which they are due. */
function openLater() {
  let salesMade = 0;
  let waiting: (DueCall & { readonly dueAt: number })[] = [];
  return {
    add(resends: PlannedSale['resends'], originalId: number): void {
      for (const { call, after } of resends) waiting.push({ call, originalId, dueAt: salesMade + after });
      waiting.sort((a, b) => a.dueAt - b.dueAt);
    },
    /** Counts a sale and returns the resends that are now due. */
    countSale(): DueCall[] {
      salesMade += 1;
      const due = waiting.filter(({ dueAt }) => dueAt <= salesMade);
      waiting = waiting.slice(due.length);
      return due;
    },
    takeAll(): DueCall[] {
      return waiting.splice(0);
    },
  };
}
