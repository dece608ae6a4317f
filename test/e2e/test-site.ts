// A site for one test, and the bakery's sales.

import { onTestFinished } from 'vitest';

import { openSite, type Site } from '../support/gateway-process.ts';
import { openSales } from '../support/till/sales.ts';

/** Registers work for the end of a test. A concurrent test must pass its own. */
export type WhenDone = (close: () => Promise<void>) => void;

/** An empty data directory. It and its processes end with the test. */
export async function openTestSite(whenDone: WhenDone = onTestFinished): Promise<Site> {
  const site = await openSite();
  whenDone(() => site.close());
  return site;
}

export interface BakerySale {
  readonly externalId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly body: Buffer;
}

/** The days from the first sale to the last, both included. */
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
