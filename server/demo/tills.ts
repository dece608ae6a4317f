// The simulated tills of the demo. They sell as fast as a person does. Sometimes they send a sale again, unchanged or changed.
// Like real tills, they keep each sale until it is answered. The sales are invented and contain no personal data.

import { type Clock, machineClock } from '../lib/clock.ts';

export interface DemoTillsOptions {
  /** The gateway's address, without the path of the interface. */
  readonly apiUrl: string;
  /** One key for each till. */
  readonly keys: readonly string[];
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random?: () => number;
  readonly clock?: Clock;
}

export interface DemoTills {
  /** Stops selling, and aborts running calls. */
  close(): Promise<void>;
}

const GOODS: readonly (readonly [name: string, cents: number])[] = [
  ['Coffee', 260],
  ['Tea', 240],
  ['Hot chocolate', 310],
  ['Orange juice', 350],
  ['Croissant', 190],
  ['Cinnamon roll', 280],
  ['Cheese sandwich', 495],
  ['Sourdough loaf', 420],
  ['Six rolls', 330],
  ['Carrot cake', 375],
  ['Birthday cake', 2850],
];

/** Minimum and maximum pause between two sales of a till. */
const MIN_PAUSE_MS = 1500;
const MAX_PAUSE_MS = 7000;
/**
 * Percentage of sales that a till sends again unchanged. CHANGED_PERCENT is the percentage of sales that it sends again with
 * another total.
 */
const REPEATED_PERCENT = 8;
const CHANGED_PERCENT = 2;
const ANSWER_TIMEOUT_MS = 10_000;

/** Opens the tills. Each till waits for one pause before its first sale. */
export function openDemoTills({
  apiUrl,
  keys,
  random = Math.random,
  clock = machineClock,
}: DemoTillsOptions): DemoTills {
  const url = new URL('v1/raw_transactions', apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`);
  const stop = new AbortController();
  // Each start of the demo has its own prefix for the ids of sales, so an id from an earlier start never comes again.
  const opening = Math.floor(clock.now() / 1000)
    .toString(36)
    .toUpperCase();
  const tills = keys.map((key, i) => openTill(`T${i + 1}`, key));

  /** Sends a sale. Resolves to true if the answer is final: the gateway accepted or rejected the sale. */
  async function send(key: string, body: string): Promise<boolean> {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    try {
      const headers = { token: key, 'Content-Type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      await answer.arrayBuffer();
      return answer.status < 500 && answer.status !== 429;
    } catch {
      return false; // without an answer, the till sends the sale again later
    }
  }

  function openTill(name: string, key: string) {
    const unanswered: string[] = [];
    let sales = 0;
    let underway = Promise.resolve();
    let cancel = pause();

    function pause(): () => void {
      const ms = MIN_PAUSE_MS + random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
      return clock.after(ms, () => {
        underway = sell().then(() => {
          if (!stop.signal.aborted) cancel = pause();
        });
      });
    }

    async function sell(): Promise<void> {
      sales += 1;
      const sale = makeSale(`${name}-${opening}-${String(sales).padStart(4, '0')}`, name);
      unanswered.push(JSON.stringify(sale));
      const chance = random() * 100;
      if (chance < REPEATED_PERCENT) unanswered.push(JSON.stringify(sale));
      else if (chance < REPEATED_PERCENT + CHANGED_PERCENT) unanswered.push(JSON.stringify(corrected(sale)));
      for (let body = unanswered[0]; body !== undefined; body = unanswered[0]) {
        if (!(await send(key, body))) return;
        unanswered.shift();
      }
    }

    return {
      async close(): Promise<void> {
        cancel();
        await underway;
      },
    };
  }

  function makeSale(id: string, till: string) {
    const items = Array.from({ length: 1 + Math.floor(random() ** 2 * 4) }, () => {
      const [name, cents] = GOODS[Math.floor(random() * GOODS.length)] ?? ['Coffee', 260];
      return { name, quantity: 1 + Math.floor(random() ** 4 * 3), price: cents / 100 };
    });
    const cents = items.reduce((sum, { quantity, price }) => sum + quantity * Math.round(price * 100), 0);
    const object = { till, items, total: cents / 100, paid: random() < 0.8 ? 'card' : 'cash' };
    return { type: 'sale', external_id: id, timestamp: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`, object };
  }

  return {
    async close() {
      stop.abort();
      await Promise.all(tills.map((till) => till.close()));
    },
  };
}

/** Returns the same sale with another total. A real till should never change a sale that it has sent, but some tills do. */
function corrected<Sale extends { readonly object: { readonly total: number } }>(sale: Sale): Sale {
  return { ...sale, object: { ...sale.object, total: Math.round(sale.object.total * 90) / 100 } };
}
