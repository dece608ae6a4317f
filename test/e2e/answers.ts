// What tills were answered: the only witness of what a gateway has promised.

import { EventEmitter, once } from 'node:events';

import type { GatewayProcess } from '../support/gateway-process.ts';
import type { Call, Receipt } from '../support/till/plan.ts';
import type { ReplaySummary } from '../support/till/summary.ts';

export interface Answers {
  /** For `replaySales`. */
  note(call: Call, receipt: Receipt): void;
  total(): number;
  /** The record that counts, by external_id. */
  readonly recordIds: ReadonlyMap<string, number>;
  /** Resolves at the n-th answer. Throws when the replay or the gateway ends before. */
  reach(n: number, replay: Promise<ReplaySummary>, gateway: GatewayProcess): Promise<void>;
}

export function openAnswers(): Answers {
  const recordIds = new Map<string, number>();
  const answered = new EventEmitter();
  let count = 0;

  return {
    recordIds,
    total: () => count,
    note(_call, { externalId, recordId, originalId }) {
      count += 1;
      recordIds.set(externalId, originalId ?? recordId);
      answered.emit(String(count));
    },
    async reach(n, replay, gateway) {
      if (count >= n) return;
      const end = await Promise.race([once(answered, String(n)), replay, gateway.exited]);
      if (!Array.isArray(end)) throw new Error(`the end came before answer ${n}: ${JSON.stringify(end)}`);
    },
  };
}
