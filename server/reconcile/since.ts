// Counts the sales that an upstream has from after a backup, so that a person knows what the restored data lack.

import type { OpenDispatcher } from '../forward/connection.ts';
import { findLinkLocalHost } from '../forward/link-local.ts';
import { MAX_PAGE_BYTES } from '../forward/upstream-query.ts';
import type { Clock } from '../lib/clock.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import type { Range } from '../store/records/ledger.ts';
import { openUpstreamSide } from './ask.ts';

const DAY_S = 86_400;
/** Maximum range of one query, in seconds. */
const MAX_WINDOW_S = 31 * DAY_S;
/** Beyond this range, the count would take too many queries. */
const MAX_RANGE_S = 400 * DAY_S;
const MAX_MS = 10_000;
const LIMITS = { connections: 1, connectTimeoutMs: 5000, answerTimeoutMs: 10_000, maxAnswerBytes: MAX_PAGE_BYTES };

/**
 * Asks an upstream how many sales it has in a range. Resolves to undefined if the upstream does not tell within ten seconds, if the
 * range is longer than 400 days, or if it ends before it begins: the backup is then from the future by our clock. Does not ask a
 * link-local address: a backup may come from anyone, and nobody has confirmed its addresses.
 */
export async function countUpstream(
  upstream: Upstream,
  { from, to }: Range,
  { openDispatcher, clock }: { readonly openDispatcher: OpenDispatcher; readonly clock: Clock },
): Promise<number | undefined> {
  if (to < from || to - from > MAX_RANGE_S || !URL.canParse(upstream.url)) return undefined;
  if (findLinkLocalHost(new URL(upstream.url)) !== undefined) return undefined;
  const dispatcher = openDispatcher(LIMITS);
  try {
    const side = openUpstreamSide({
      dispatcher,
      clock,
      random: Math.random,
      signal: AbortSignal.timeout(MAX_MS),
      upstream: () => upstream,
      takeTurn: async () => {},
      onSilence: async () => {},
      onAnswer() {},
    });
    let count = 0;
    for (let at = from; at < to; at += MAX_WINDOW_S)
      count += await side.count({ from: at, to: Math.min(to, at + MAX_WINDOW_S) });
    return count;
  } catch {
    return undefined; // the caller says that the upstream did not tell
  } finally {
    await dispatcher.destroy();
  }
}
