// Queries an upstream about a range: one GET at a time, at most 500 records per page. It sends each cursor back unchanged
// (docs/interface.md#query and #limits). It waits without limit while the upstream asks for a pause or does not answer.

import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { causeOf } from '../cause.ts';
import { type Cause, MAX_PAGE_SIZE } from '../contract/codes.ts';
import { type Answer, isHtml, meaningOf, parseRetryAfter } from '../forward/answer.ts';
import { backOffMs } from '../forward/back-off.ts';
import { failureOf } from '../forward/connection.ts';
import { openQueryPauses, type QueryPauses } from '../forward/query-pause.ts';
import { MAX_PAGE_BYTES, queryUpstream, type UpstreamAnswer } from '../forward/upstream-query.ts';
import type { Clock } from '../lib/clock.ts';
import { formatInstant, parseBound } from '../lib/instant.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import type { Range } from '../store/records/ledger.ts';
import { UnreadableError, type UpstreamList, type UpstreamRecord, type UpstreamSide } from './compare.ts';
import { HURRY, pause } from './pause.ts';

export interface AskParts {
  readonly dispatcher: Dispatcher;
  /** The current upstream; undefined if none is set. */
  readonly upstream: () => Upstream | undefined;
  readonly clock: Clock;
  /** Knows how long queries must wait because an upstream asked for a pause. */
  readonly queryPauses?: QueryPauses | undefined;
  /** Returns a random number from 0 to 1, for back-off times. */
  readonly random: () => number;
  /** Aborts all queries. */
  readonly signal: AbortSignal;
  /** Its event `HURRY` ends the wait for an upstream that does not answer. The next query is then sent immediately. */
  readonly hurry?: EventTarget | undefined;
  /** Resolves when it is the turn of this process to query. Only one process may query at a time. */
  readonly takeTurn: () => Promise<void>;
  /**
   * Called every few seconds, with the cause, while the upstream does not answer. Called with undefined when it answers again.
   */
  readonly onSilence: (cause: Cause | undefined) => Promise<void>;
  /** Called after each answer to a query; `bytes` is the length of the answer. */
  readonly onAnswer: (bytes: number) => void;
}

/** Thrown when no upstream is set any more. */
export class NoUpstreamError extends Error {}

/** Thrown when the upstream rejects its own cursors, or repeats the same cursor endlessly. */
class CursorRefusedError extends Error {}

const BACK_OFF = { firstMs: 1000, maxMs: 5 * 60_000 };
/** Minimum time before the next query, even if Retry-After says less. */
const MIN_COME_BACK_MS = 250;
/**
 * While an upstream does not answer: interval at which `onSilence` is called, and at which the settings are checked for another
 * upstream.
 */
const TELL_MS = 5000;
/** Maximum number of times a query is sent while its answers cannot be read. */
const MAX_UNREADABLE = 3;
/** Maximum time for a whole answer. */
const MAX_ANSWER_MS = 60_000;

const instant = z.string().transform((text, context) => {
  const seconds = parseBound(text.replace(/\.\d+/, ''));
  if (seconds !== undefined) return seconds;
  context.addIssue('no instant');
  return z.NEVER;
});
/** Refuses lone surrogates. All of them become the same character in UTF-8, so different ids would become equal. */
const wellFormed = z.string().refine((text) => text.isWellFormed());
const echo = instant.optional().catch(undefined);
const countAnswer = z.object({
  // The upstream may repeat the bounds of the queried range in its answer. A missing or unreadable bound is ignored.
  timestamp_gte: echo,
  timestamp_lt: echo,
  raw_transaction_count: z.int().nonnegative(),
});
const pageAnswer = countAnswer.extend({
  next_cursor: z.string().nullish(),
  raw_transactions: z.array(z.object({ external_id: wellFormed, type: wellFormed, timestamp: instant })),
});

/**
 * Opens the queries to an upstream. Each query may reject with NoUpstreamError, with UnreadableError, or with the signal's
 * reason when it is aborted.
 */
export function openUpstreamSide(parts: AskParts): UpstreamSide {
  const { dispatcher, upstream, random, signal, hurry, takeTurn, onSilence, onAnswer } = parts;
  const { queryPauses = openQueryPauses(parts.clock) } = parts;

  /** Queries until a readable answer arrives. */
  async function ask<T extends z.infer<typeof countAnswer>>(
    range: Range,
    schema: z.ZodType<T>,
    more: Readonly<Record<string, string>>,
  ): Promise<T> {
    const bounds = { timestamp_gte: formatInstant(range.from), timestamp_lt: formatInstant(range.to) };
    let unreadable = 0;
    for (let failures = 0; ;) {
      await takeTurn();
      signal.throwIfAborted();
      const to = upstream();
      if (to === undefined) throw new NoUpstreamError();
      const wanted = queryPauses.find(to);
      if (wanted !== undefined) {
        // Waits in short steps, because the pause may end sooner, or another upstream may be set.
        await waitSilently(Math.min(wanted.leftMs, TELL_MS), wanted.cause);
        continue;
      }
      const read = aboutRange(await askOnce(to, { ...bounds, ...more }, schema), range);
      if (read.kind === 'read') {
        await onSilence(undefined);
        return read.value;
      }
      if (read.kind === 'cursor refused') throw new CursorRefusedError();
      if (read.kind === 'unreadable') {
        await onSilence(undefined);
        if (++unreadable === MAX_UNREADABLE) throw new UnreadableError(read.cause);
        await pause(MIN_COME_BACK_MS, parts);
        continue;
      }
      // If the answer had Retry-After, the next turn of the loop waits for the pause.
      if (read.afterMs === undefined) await waitSilently(backOffMs(BACK_OFF, failures++, random()), read.cause, hurry);
      else queryPauses.noteQuery(to, Math.max(MIN_COME_BACK_MS, read.afterMs), read.cause);
    }
  }

  /** Waits, and calls `onSilence` every few seconds, so that watchers know that the check continues. */
  async function waitSilently(ms: number, cause: Cause, sooner?: EventTarget): Promise<void> {
    let leftMs = ms;
    const goOn = (): void => void (leftMs = 0);
    sooner?.addEventListener(HURRY, goOn, { once: true });
    try {
      for (; leftMs > 0; leftMs -= TELL_MS) {
        await onSilence(cause);
        await pause(Math.min(leftMs, TELL_MS), parts, sooner);
      }
    } finally {
      sooner?.removeEventListener(HURRY, goOn);
    }
  }

  async function askOnce<T>(
    to: Upstream,
    parameters: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
  ): Promise<Read<T>> {
    let answer: UpstreamAnswer;
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_ANSWER_MS)]);
      answer = await queryUpstream(dispatcher, to, parameters, { signal: limit, maxBytes: MAX_PAGE_BYTES });
    } catch (error) {
      signal.throwIfAborted();
      return silent(failureOf(error));
    }
    onAnswer(Buffer.byteLength(answer.text));
    const isCursorAsked = parameters['cursor'] !== undefined;
    return readAnswer(answer, schema, isCursorAsked);
  }

  async function listPages(range: Range, max: number): Promise<UpstreamList | undefined> {
    const records: UpstreamRecord[] = [];
    const cursors = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const page = await ask(range, pageAnswer, {
        expand: 'raw_transactions',
        limit: String(MAX_PAGE_SIZE),
        ...(cursor !== undefined && { cursor }),
      });
      if (page.raw_transaction_count > max) return undefined;
      // An upstream that sends more records than it counts could send pages endlessly.
      if (records.length > page.raw_transaction_count + MAX_PAGE_SIZE)
        throw new UnreadableError(causeOf('numbers_disagree', `${page.raw_transaction_count} ≠ ${records.length}`));
      for (const { external_id: externalId, type, timestamp: soldAt } of page.raw_transactions)
        records.push({ externalId, type, soldAt });
      cursor = page.next_cursor ?? undefined;
      if (cursor === undefined || page.raw_transactions.length === 0)
        return { count: page.raw_transaction_count, records };
      if (cursors.has(cursor)) throw new CursorRefusedError(); // the same pages would follow endlessly
      cursors.add(cursor);
    }
  }

  /** Lists a range. If the upstream refuses cursors, halves the range until each part fits one page. */
  async function list(range: Range, max: number): Promise<UpstreamList | undefined> {
    try {
      return await listPages(range, max);
    } catch (error) {
      if (!(error instanceof CursorRefusedError)) throw error;
      if (range.to - range.from === 1)
        throw new UnreadableError(causeOf('not_understood', 'next_cursor'), { cause: error });
    }
    const middle = Math.floor((range.from + range.to) / 2);
    const left = await list({ from: range.from, to: middle }, max);
    const right = left && (await list({ from: middle, to: range.to }, max));
    return right && { count: left.count + right.count, records: [...left.records, ...right.records] };
  }

  return {
    count: async (range) => (await ask(range, countAnswer, { expand: 'none' })).raw_transaction_count,
    list,
  };
}

/** Rejects an answer about another range, which may come from a cache. */
function aboutRange<T extends z.infer<typeof countAnswer>>(read: Read<T>, { from, to }: Range): Read<T> {
  if (read.kind !== 'read') return read;
  const { timestamp_gte: gte = from, timestamp_lt: lt = to } = read.value;
  if (gte === from && lt === to) return read;
  return { kind: 'unreadable', cause: causeOf('not_understood', gte === from ? 'timestamp_lt' : 'timestamp_gte') };
}

type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'cursor refused' }
  /** The answer cannot be read, and a repeated query would probably get the same answer. */
  | { readonly kind: 'unreadable'; readonly cause: Cause }
  /** The upstream gave no usable answer. `afterMs` is the wait that it asked for. */
  | { readonly kind: 'silent'; readonly cause: Cause; readonly afterMs?: number };

function readAnswer<T>(
  { status, headers, text }: UpstreamAnswer,
  schema: z.ZodType<T>,
  isCursorAsked: boolean,
): Read<T> {
  const isWebPage = isHtml(headers) && /^\s*</.test(text);
  const retryAfterMs = parseRetryAfter(headers);
  if (status === 200 && !isWebPage) {
    const json = parseJson(text);
    const value = schema.safeParse(json);
    if (value.success) return { kind: 'read', value: value.data };
    const what = json === undefined ? 'JSON' : (value.error.issues[0]?.path.join('/') ?? '');
    return { kind: 'unreadable', cause: causeOf('not_understood', `${status}: ${what}`) };
  }
  if (status === 400 && isCursorAsked) return { kind: 'cursor refused' };
  return silent({ kind: 'answered', status, retryAfterMs, isWebPage, isCut: false, excerpt: '', upstreamStatus: null });
}

function silent<T>(answer: Answer): Read<T> {
  const meaning = meaningOf(answer);
  const status = answer.kind === 'answered' ? answer.status : null;
  if (meaning.kind === 'delivered') return { kind: 'unreadable', cause: causeOf('not_understood', status) };
  if (meaning.kind === 'record refused') return { kind: 'unreadable', cause: causeOf('question_refused', status) };
  if (meaning.kind === 'not now')
    return { kind: 'silent', cause: meaning.cause, afterMs: meaning.retryAfterMs ?? 1000 };
  // Reports a rejected query instead of a rejected key: an upstream may accept a key for records but not for queries.
  const isRefused = status === 401 || status === 403;
  return { kind: 'silent', cause: isRefused ? causeOf('question_refused', status) : meaning.cause };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
