// What an upstream's answer, or the lack of one, means for the record and for its lane (design, section 5, "Forwarding"):
// the line is down, the upstream refuses us, it refuses this record, it wants to be left alone for a while, or it has it.

import type { IncomingHttpHeaders } from 'node:http';

import { causeOf } from '../cause.ts';
import type { Cause, Status } from '../contract/codes.ts';
import { assertNever } from '../errors.ts';
import { ANSWER_TOO_LONG } from './answer-guard.ts';

/** How an attempt ended. */
export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** What Retry-After says. */
      readonly retryAfterMs: number | undefined;
      /** As from a network that wants a login first, or a website at this address. */
      readonly isWebPage: boolean;
      /** Whether the body is longer than what is read. No answer of the interface is. */
      readonly isCut: boolean;
      /** The beginning of the body; empty for a delivery. */
      readonly excerpt: string;
      /** The body's `status`, where it is one; another gateway sends it. */
      readonly upstreamStatus: Status | null;
    }
  /** No connection came about, so nothing of the record went out. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The proxy on the way let nothing through, for want of a password or because it may not. */
  | { readonly kind: 'proxy refused'; readonly status: number }
  /** The other side could not prove who it is, or speaks no TLS we trust. */
  | { readonly kind: 'untrusted'; readonly reason: string }
  /** Its name leads to these addresses, which no upstream has; nothing was sent. */
  | { readonly kind: 'link-local'; readonly addresses: string }
  /** The record may have arrived: the connection broke or nothing came in time. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Of an attempt without an answer of the upstream. */
export type Failure = Exclude<Answer, { readonly kind: 'answered' }>;

export type Meaning =
  | { readonly kind: 'delivered' }
  /** The upstream will never take this record. */
  | { readonly kind: 'record refused' }
  /** The upstream takes nothing from us until somebody mends something. */
  | { readonly kind: 'we are refused'; readonly cause: Cause }
  | { readonly kind: 'line down'; readonly cause: Cause }
  /** The line may be down, or this record may be what the upstream can't cope with. */
  | { readonly kind: 'unclear'; readonly cause: Cause }
  | { readonly kind: 'not now'; readonly cause: Cause; readonly retryAfterMs: number | undefined };

export function meaningOf(answer: Answer): Meaning {
  switch (answer.kind) {
    case 'unreachable':
      return { kind: 'line down', cause: causeOf('unreachable', answer.reason) };
    case 'proxy refused':
      return { kind: 'we are refused', cause: causeOf('proxy_refused', answer.status) };
    case 'untrusted':
      return { kind: 'we are refused', cause: causeOf('untrusted', answer.reason) };
    case 'link-local':
      return { kind: 'we are refused', cause: causeOf('link_local', answer.addresses) };
    case 'unanswered':
      if (answer.reason === ANSWER_TOO_LONG) return { kind: 'unclear', cause: causeOf('answer_too_long') };
      return { kind: 'unclear', cause: causeOf('unanswered', answer.reason) };
    case 'answered':
      return meaningOfStatus(answer);
    default:
      return assertNever(answer);
  }
}

function meaningOfStatus({ status, retryAfterMs, isWebPage, isCut }: Extract<Answer, { kind: 'answered' }>): Meaning {
  if (status >= 200 && status < 300 && isWebPage) {
    return { kind: 'we are refused', cause: causeOf('web_page') };
  }
  if (status >= 200 && status < 300) {
    return isCut ? { kind: 'unclear', cause: causeOf('answer_too_long', status) } : { kind: 'delivered' };
  }
  if (status >= 300 && status < 400) {
    return { kind: 'we are refused', cause: causeOf('moved', status) };
  }
  switch (status) {
    case 400:
    case 409:
    case 413:
    case 414:
    case 415:
    case 422:
    case 431:
      return { kind: 'record refused' };
    case 401:
    case 403:
      return { kind: 'we are refused', cause: causeOf('key_refused', status) };
    case 407:
      return { kind: 'we are refused', cause: causeOf('proxy_refused', status) };
    case 402:
    case 451:
      return { kind: 'we are refused', cause: causeOf('nothing_taken', status) };
    case 404:
    case 405:
    case 410:
    case 421:
    case 426:
      return { kind: 'we are refused', cause: causeOf('nothing_there', status) };
    case 508:
      return { kind: 'we are refused', cause: causeOf('leads_back', status) };
    case 408:
      return { kind: 'unclear', cause: causeOf('cut_short', status) };
    case 429:
      return { kind: 'not now', cause: causeOf('slow_down', status), retryAfterMs };
    case 503:
      if (retryAfterMs === undefined) break;
      return { kind: 'not now', cause: causeOf('come_back', status), retryAfterMs };
  }
  return { kind: 'unclear', cause: causeOf('trouble', status) };
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; a date by the clock of whoever sent it. */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const [text = ''] = [headers['retry-after']].flat();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const until = /^[A-Z]/i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) return undefined;
  const sentAt = Date.parse(headers.date ?? '');
  return Math.max(0, until - (Number.isNaN(sentAt) ? Date.now() : sentAt));
}
