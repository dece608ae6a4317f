// Says how long queries to an upstream must wait. The upstream limits all calls with one key together. So while records must
// pause (`pause.ts`), queries pause too. But a pause of queries does not pause records, because some upstreams limit only
// queries (docs/interface.md#limits).

import type { Cause } from '../contract/codes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import { MAX_PAUSE_MS } from './pause.ts';

export interface QueryPauses {
  /**
   * Call it when the upstream answers a record with a request to pause. The call can extend a running pause but not shorten it.
   */
  noteRecords(upstream: Upstream, forMs: number, cause: Cause): void;
  /** Call it when the upstream accepts records again before the pause is over. */
  endRecords(upstream: Upstream): void;
  /** Call it when the upstream answers a query with a request to pause. */
  noteQuery(upstream: Upstream, forMs: number, cause: Cause): void;
  /** The time that a query must still wait, and the cause. Undefined if the query may be sent now. */
  find(upstream: Upstream): { readonly leftMs: number; readonly cause: Cause } | undefined;
}

interface Pause {
  /** Monotonic. */
  readonly until: number;
  readonly cause: Cause;
}

export function openQueryPauses(clock: Clock): QueryPauses {
  const ofRecords = new Map<string, Pause>();
  const ofQuestions = new Map<string, Pause>();

  function note(pauses: Map<string, Pause>, upstream: Upstream, forMs: number, cause: Cause): void {
    const name = nameOf(upstream);
    const until = clock.monotonic() + Math.min(forMs, MAX_PAUSE_MS);
    if (until > (pauses.get(name)?.until ?? -Infinity)) pauses.set(name, { until, cause });
  }

  return {
    noteRecords: (upstream, forMs, cause) => note(ofRecords, upstream, forMs, cause),
    endRecords: (upstream) => void ofRecords.delete(nameOf(upstream)),
    noteQuery: (upstream, forMs, cause) => note(ofQuestions, upstream, forMs, cause),
    find(upstream) {
      const now = clock.monotonic();
      const name = nameOf(upstream);
      const [longest] = [ofRecords.get(name), ofQuestions.get(name)]
        .flatMap((each) => (each === undefined || each.until <= now ? [] : [each]))
        .toSorted((a, b) => b.until - a.until);
      return longest && { leftMs: Math.ceil(longest.until - now), cause: longest.cause };
    },
  };
}

function nameOf({ url, token }: Upstream): string {
  return `${url} ${token}`;
}
