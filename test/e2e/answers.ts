// Collects the answers that tills got. Only these answers show which sales a gateway has promised to keep.

import { EventEmitter, once } from 'node:events';

import type { GatewayProcess } from '../support/gateway-process.ts';
import type { Call, Receipt } from '../support/till/plan.ts';

export interface Answers {
  /** Counts an answer. Pass this function to `replaySales` as `onAnswer`. */
  note(call: Call, receipt: Receipt): void;
  total(): number;
  /** The ids of the original records, by external_id. */
  readonly recordIds: ReadonlyMap<string, number>;
  /** Resolves at the n-th answer. Throws if the replays or the gateway end before that answer. */
  reach(n: number, replays: Promise<unknown>, gateway: GatewayProcess): Promise<void>;
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
    async reach(n, replays, gateway) {
      if (count >= n) return;
      const reached = once(answered, String(n)).then(() => undefined);
      const end = await Promise.race([reached, replays, gateway.exited]);
      if (end !== undefined) throw new Error(`the end came before answer ${n}: ${JSON.stringify(end)}`);
    },
  };
}
