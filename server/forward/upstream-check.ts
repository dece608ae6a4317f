// Checks an upstream for a person, in these steps: name, connection, certificate, interface, key. The check uses the same kind
// of connections as records. It asks only for a count, and creates no record.

import { isIP } from 'node:net';
import { promisify } from 'node:util';

import type { Dispatcher } from 'undici';

import { causeOf } from '../cause.ts';
import type { Config } from '../config.ts';
import type { Interface } from '../contract/codes.ts';
import type { CheckFinding, CheckStep, UpstreamCheck } from '../contract/lanes.ts';
import { assertNever } from '../errors.ts';
import { formatInstant } from '../lib/instant.ts';
import { withinTime } from '../lib/time-out.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import { headerValue, parseRetryAfter } from './answer.ts';
import { failureOf, type OpenDispatcher } from './connection.ts';
import { areLinkLocal, type Resolve, resolveHere } from './link-local.ts';
import { placeOf } from './place.ts';
import type { QueryPauses } from './query-pause.ts';
import { ask, queryUpstream, type UpstreamAnswer } from './upstream-query.ts';

const TIMEOUT_MS = 5000;
/** Maximum time for all steps, however slowly the upstream answers. */
const MAX_MS = 15_000;
/** Maximum bytes of an answer. An answer with a count has only a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const LIMITS = {
  connections: 1,
  connectTimeoutMs: TIMEOUT_MS,
  answerTimeoutMs: TIMEOUT_MS,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

export type CheckUpstream = (upstream: Upstream, by: Interface) => Promise<UpstreamCheck>;

/** Returns the function that checks an upstream. It never throws, and takes at most twenty seconds. */
export function prepareUpstreamCheck(
  openDispatcher: OpenDispatcher,
  { upstreamProxy: proxy }: Pick<Config, 'upstreamProxy'>,
  queryPauses?: QueryPauses,
  resolve = resolveHere,
): CheckUpstream {
  return async (upstream, by) => {
    const pause = queryPauses?.find(upstream);
    if (pause !== undefined) {
      const left = openNotes(new URL(upstream.url).host);
      left.failed('path', 'come_back', { code: pause.cause.detail ?? undefined });
      return { steps: left.steps };
    }
    const url = new URL(upstream.url);
    const host = new URL(proxy ?? upstream.url).hostname.replace(/^\[|\]$/g, '');
    const naming = openNotes(host);
    const isKnown = await checkName(host, proxy === undefined ? 'name' : 'proxy', naming, resolve);
    if (!isKnown) return { steps: naming.steps };
    const notes = openNotes(url.host);
    const dispatcher = openDispatcher(LIMITS);
    try {
      const answer = await askCurrentSecond(dispatcher, upstream, by);
      noteReached(url, notes);
      if (by === 'current') judgeAnswer(answer, upstream, notes);
      noteWish(answer, upstream);
    } catch (error) {
      judgeFailure(error, url, notes);
    } finally {
      await dispatcher.destroy();
    }
    return { steps: [...naming.steps, ...notes.steps] };
  };

  function noteWish({ status, headers }: UpstreamAnswer, upstream: Upstream): void {
    const afterMs = status === 429 || status === 503 ? parseRetryAfter(headers) : undefined;
    const cause = causeOf(status === 429 ? 'slow_down' : 'come_back', status);
    if (afterMs !== undefined) queryPauses?.noteQuery(upstream, afterMs, cause);
  }
}

type Step = UpstreamCheck['steps'][number];

interface Notes {
  readonly steps: Step[];
  fine(step: CheckStep, finding: CheckFinding, more?: Seen): void;
  failed(step: CheckStep, finding: CheckFinding, more?: Seen): void;
}

interface Seen {
  readonly code?: string | number | undefined;
  readonly seen?: string;
}

/** Collects the results of the steps. `host` is the host that the steps check. */
function openNotes(host: string): Notes {
  const steps: Step[] = [];
  const add =
    (isFine: boolean): Notes['fine'] =>
    (step, finding, { code, seen = null } = {}) =>
      void steps.push({ step, isFine, finding, host, seen, code: code === undefined ? null : String(code) });
  return { steps, fine: add(true), failed: add(false) };
}

/** Checks whether the name resolves. An IP address always passes. */
async function checkName(host: string, about: 'name' | 'proxy', notes: Notes, resolve: Resolve): Promise<boolean> {
  if (isIP(host) !== 0) return true;
  try {
    const addresses = await withinTime(promisify(resolve)(host, { all: true }), TIMEOUT_MS);
    const seen = addresses.map(({ address }) => address).join(', ');
    if (about === 'name' && areLinkLocal(addresses)) {
      notes.failed('name', 'name_link_local', { seen });
      return false;
    }
    notes.fine('name', `${about}_known`, { seen });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    notes.failed('name', code === 'ENOTFOUND' ? `${about}_unknown` : `${about}_not_looked_up`, { code });
    return false;
  }
}

/**
 * Asks the upstream for the number of sales in the current second. On the earlier interface, sends a HEAD without the key
 * instead; any answer to this HEAD is good.
 */
async function askCurrentSecond(dispatcher: Dispatcher, upstream: Upstream, by: Interface): Promise<UpstreamAnswer> {
  const signal = AbortSignal.timeout(MAX_MS);
  if (by === 'earlier') {
    const { origin, base } = placeOf(upstream.url);
    const path = `${base}/`;
    const headers = { 'user-agent': 'counterfoil' };
    return ask(dispatcher, { origin, method: 'HEAD', path, headers, signal, maxBytes: MAX_ANSWER_BYTES });
  }
  const second = Math.floor(Date.now() / 1000);
  const present = {
    timestamp_gte: formatInstant(second),
    timestamp_lt: formatInstant(second + 1),
    expand: 'none',
  };
  return queryUpstream(dispatcher, upstream, present, { signal, maxBytes: MAX_ANSWER_BYTES });
}

function noteReached({ protocol }: URL, notes: Notes): void {
  notes.fine('connection', 'answers');
  if (protocol === 'https:') notes.fine('certificate', 'proved');
}

/** Decides which step failed if there was no answer. The code of the error shows the step. */
function judgeFailure(error: unknown, url: URL, notes: Notes): void {
  const failure = failureOf(error);
  switch (failure.kind) {
    case 'unreachable':
      return notes.failed('connection', whyUnreachable(failure.reason), { code: failure.reason });
    case 'proxy refused':
      return notes.failed('connection', 'proxy_refuses', { code: failure.status });
    case 'link-local':
      return notes.failed('connection', 'name_link_local', { seen: failure.addresses });
    case 'untrusted':
      notes.fine('connection', 'answers');
      return notes.failed('certificate', whyUntrusted(failure.reason), { code: failure.reason });
    case 'unanswered':
      if (!/^(UND_ERR_(HEADERS|BODY)_TIMEOUT|TimeoutError)$/.test(failure.reason)) {
        const seen = url.protocol === 'https:' ? 'https' : 'http';
        return notes.failed('connection', 'broke_off', { code: failure.reason, seen });
      }
      noteReached(url, notes);
      return notes.failed('path', 'too_slow', { code: failure.reason });
    default:
      return assertNever(failure);
  }
}

function whyUnreachable(code: string): CheckFinding {
  if (code === 'ECONNREFUSED') return 'nobody_listens';
  return code === 'UND_ERR_CONNECT_TIMEOUT' ? 'no_answer' : 'no_way';
}

function whyUntrusted(code: string): CheckFinding {
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'for_another_name';
  if (/SELF_SIGNED|UNABLE_TO_|ISSUER/.test(code)) return 'not_trusted';
  return /^(ERR_SSL|EPROTO)/.test(code) ? 'no_https' : 'not_proved';
}

/** Processes the answer. The answer shows whether the other side is an upstream, and whether it accepts the key. */
function judgeAnswer({ status: code, text, headers }: UpstreamAnswer, { url }: Upstream, notes: Notes): void {
  if (code === 200 && isCount(text)) {
    notes.fine('path', 'interface_found', { code });
    return notes.fine('key', 'key_known', { code });
  }
  if (code === 401 || code === 403) {
    notes.fine('path', 'asks_for_key', { code });
    return notes.failed('key', 'key_refused', { code });
  }
  if (code >= 300 && code < 400) {
    const location = headerValue(headers['location']);
    const to = location === undefined ? null : URL.parse(location, url);
    if (to === null || to.origin === 'null') return notes.failed('path', 'moved', { code });
    return notes.failed('path', 'moved_to', { code, seen: to.origin });
  }
  notes.failed('path', whyNotThere(code), { code });
}

function whyNotThere(status: number): CheckFinding {
  if (status === 407) return 'proxy_wants_password';
  if (status === 429) return 'come_back';
  if (status >= 500) return 'trouble';
  return status === 400 || status === 422 ? 'not_understood' : 'interface_elsewhere';
}

function isCount(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'raw_transaction_count' in value;
  } catch {
    return false;
  }
}
