// Classifies the result of an attempt, for the record and for its lane. The result can be: delivered, this record rejected, all
// our calls rejected, no connection, a pause requested, or unclear. Pure.

import type { IncomingHttpHeaders } from 'node:http';

import { causeOf } from '../cause.ts';
import type { Cause, Status } from '../contract/codes.ts';
import { assertNever } from '../errors.ts';
import { ANSWER_TOO_LONG } from './answer-guard.ts';

/** The result of an attempt to send a record. */
export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** From Retry-After. */
      readonly retryAfterMs: number | undefined;
      /** Whether the answer is a web page. The network then wants a login first, or the address belongs to a website. */
      readonly isWebPage: boolean;
      /** Whether the body was longer than the limit. A valid answer of an upstream is never that long. */
      readonly isCut: boolean;
      /** The beginning of the body. Empty if the record was delivered. */
      readonly excerpt: string;
      /**
       * The `status` in the body if it is NEW, IGNORED or ERROR; otherwise null. Only an upstream that is also a gateway sends
       * it.
       */
      readonly upstreamStatus: Status | null;
    }
  /** There was no connection, so no part of the record was sent. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The proxy rejected the call: it wants a password, or it forbids the address. */
  | { readonly kind: 'proxy refused'; readonly status: number }
  /** The certificate or the TLS version of the other side is not trusted. */
  | { readonly kind: 'untrusted'; readonly reason: string }
  /** The name resolves only to link-local addresses. The gateway never sends to them, so nothing was sent. */
  | { readonly kind: 'link-local'; readonly addresses: string }
  /** The record may have arrived: the connection broke, or no answer came in time. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** The result of an attempt without an answer from the upstream. */
export type Failure = Exclude<Answer, { readonly kind: 'answered' }>;

export type Meaning =
  | { readonly kind: 'delivered' }
  /** The upstream will never accept this record. */
  | { readonly kind: 'record refused' }
  /** The upstream rejects all our calls until a person fixes the cause. */
  | { readonly kind: 'we are refused'; readonly cause: Cause }
  | { readonly kind: 'line down'; readonly cause: Cause }
  /** Either the line is down, or the upstream cannot process this record. */
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

/**
 * Reads the header Retry-After (RFC 9110, 10.2.3). Returns milliseconds from now; undefined if it is missing or invalid. A date
 * in Retry-After is compared with the Date header of the same answer.
 */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = headerValue(headers['retry-after']) ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const until = /^[A-Z]/i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) return undefined;
  const sentAt = Date.parse(headers.date ?? '');
  return Math.max(0, until - (Number.isNaN(sentAt) ? Date.now() : sentAt));
}

/** Whether the content is a web page. A login page of a public network or an error page of a proxy has this type. */
export function isHtml(headers: IncomingHttpHeaders): boolean {
  return /^text\/html\b/i.test(headerValue(headers['content-type']) ?? '');
}

/** A header's value; the first one if it was sent more than once. */
export function headerValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
