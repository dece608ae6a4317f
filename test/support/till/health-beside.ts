// Sales of many tills, and the health check beside them.

import { setTimeout as delay } from 'node:timers/promises';

import { expect } from 'vitest';

import { call } from '../http-call.ts';
import { replaySales } from './replay.ts';

/**
 * Sends `count` sales to a gateway. Returns the result, and the p99 of the time that `/healthz` takes meanwhile, in milliseconds.
 */
export async function measureHealthBeside(
  load: Omit<Parameters<typeof replaySales>[0], 'sales'>,
  count: number,
  pollMs: number,
): Promise<{ readonly replayed: Awaited<ReturnType<typeof replaySales>>; readonly p99: number }> {
  const timestamp = new Date().toISOString(); // late sales would cost searches for skipped numbers too
  const sales = Array.from({ length: count }, (_, i) =>
    Buffer.from(JSON.stringify({ type: 'sale', external_id: `T-${i}`, timestamp, object: { i } })),
  );
  let isOver = false;
  const replay = replaySales({ ...load, sales }).finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const askedAt = performance.now();
    expect((await call(`${load.url}/healthz`)).status).toBe(200);
    waits.push(performance.now() - askedAt);
    await delay(pollMs);
  }
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(0.99 * waits.length)] ?? Infinity;
  return { replayed: await replay, p99 };
}
