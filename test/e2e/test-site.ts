// A site for one test, and the bakery's sales.

import { onTestFinished } from 'vitest';

import { openSite, type Site } from '../support/gateway-process.ts';
import { openSales } from '../support/till/sales.ts';

/** Registers work for the end of a test. A concurrent test must pass its own function. */
export type WhenDone = (close: () => Promise<void>) => void;

/** Makes an empty data directory. When the test ends, the processes on the directory end and the directory is removed. */
export async function openTestSite(whenDone: WhenDone = onTestFinished): Promise<Site> {
  const site = await openSite();
  whenDone(() => site.close());
  return site;
}

export interface BakerySale {
  readonly externalId: string;
  /** The day of sale as `YYYY-MM-DD`. */
  readonly day: string;
  readonly body: Buffer;
}

/** The first and the last day with a sale. */
export const BAKERY_DAYS = { first: '2016-10-30', last: '2017-04-09' } as const;

export async function loadBakerySales(): Promise<BakerySale[]> {
  const sales: BakerySale[] = [];
  for await (const body of openSales()) {
    const { external_id: externalId, timestamp } = JSON.parse(body.toString()) as {
      external_id: string;
      timestamp: string;
    };
    sales.push({ externalId, day: timestamp.slice(0, 10), body });
  }
  return sales;
}
