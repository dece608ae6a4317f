// Which upstreams want to be left alone, and for how long. An upstream counts all of our calls with one key, so the gateway's
// own questions wait as long as it asked of the records. What it asks of questions holds for questions alone: a limit of
// theirs (specification 8) says nothing about records.

import type { Clock } from '../clock.ts';
import type { Cause } from '../contract.ts';
import type { Upstream } from '../store/lane.ts';

export interface Patience {
  /** A record was answered so: nothing is sent for this time. A shorter time does not shorten one that runs. */
  noteRecords(upstream: Upstream, forMs: number, cause: Cause): void;
  /** It takes records again, sooner than it said. */
  endRecords(upstream: Upstream): void;
  /** A question was answered so. */
  noteQuestion(upstream: Upstream, forMs: number, cause: Cause): void;
  /** How long a question must still wait, and why; undefined where it may be asked. */
  find(upstream: Upstream): { readonly leftMs: number; readonly cause: Cause } | undefined;
}

interface Wish {
  /** Monotonic. */
  readonly until: number;
  readonly cause: Cause;
}

export function openPatience(clock: Clock): Patience {
  const ofRecords = new Map<string, Wish>();
  const ofQuestions = new Map<string, Wish>();

  function note(wishes: Map<string, Wish>, upstream: Upstream, forMs: number, cause: Cause): void {
    const name = nameOf(upstream);
    const until = clock.monotonic() + forMs;
    if (until > (wishes.get(name)?.until ?? -Infinity)) wishes.set(name, { until, cause });
  }

  return {
    noteRecords: (upstream, forMs, cause) => note(ofRecords, upstream, forMs, cause),
    endRecords: (upstream) => void ofRecords.delete(nameOf(upstream)),
    noteQuestion: (upstream, forMs, cause) => note(ofQuestions, upstream, forMs, cause),
    find(upstream) {
      const now = clock.monotonic();
      const name = nameOf(upstream);
      const [longest] = [ofRecords.get(name), ofQuestions.get(name)]
        .filter((wish) => wish !== undefined && wish.until > now)
        .toSorted((a, b) => (b?.until ?? 0) - (a?.until ?? 0));
      return longest && { leftMs: longest.until - now, cause: longest.cause };
    },
  };
}

function nameOf({ url, token }: Upstream): string {
  return `${url} ${token}`;
}
