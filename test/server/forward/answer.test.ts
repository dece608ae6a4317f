// What each answer of an upstream means for the record and its lane.

import { expect, test } from 'vitest';

import { causeSentence } from '../../../server/cause.ts';
import { type Answer, type Meaning, meaningOf } from '../../../server/forward/answer.ts';
import { answered } from '../../support/forwarding.ts';

type Row = [name: string, answer: Answer, kind: Meaning['kind'], cause?: RegExp];

const statuses = (kind: Meaning['kind'], ...all: readonly number[]): Row[] =>
  all.map((status) => [String(status), answered(status), kind]);

test.each<Row>([
  ...statuses('delivered', 200, 201, 202, 204, 299),
  ...statuses('we are refused', 300, 301, 302, 303, 304, 307, 308, 401, 403, 404, 405),
  ['508', answered(508), 'we are refused', /^The upstream address leads back to this gateway \(508\)\. Correct/],
  ...statuses('record refused', 400, 409, 413, 415, 422),
  ...statuses('unclear', 408, 500, 501, 502, 503, 504, 507, 599),
  ...statuses('not now', 429),
  ['429 with Retry-After', answered(429, { retryAfterMs: 1000 }), 'not now', /slow down \(429\)/],
  ['503 with Retry-After', answered(503, { retryAfterMs: 1000 }), 'not now', /later \(503\)/],
  ['500 with Retry-After', answered(500, { retryAfterMs: 1000 }), 'unclear', /\(500\)/],
  ['a web page with 200', answered(200, { isWebPage: true }), 'we are refused', /web page/],
  ['a web page with 502', answered(502, { isWebPage: true }), 'unclear', /\(502\)/],
  ['200 that was cut', answered(200, { isCut: true }), 'unclear', /answer is too long .*\(200\)/],
  ['422 that was cut', answered(422, { isCut: true }), 'record refused'],
  ['a web page with 200 that was cut', answered(200, { isCut: true, isWebPage: true }), 'we are refused', /web page/],
  ['too long an answer', { kind: 'unanswered', reason: 'ANSWER_TOO_LONG' }, 'unclear', /answer is too long/],
  ['no connection', { kind: 'unreachable', reason: 'ENOTFOUND' }, 'line down', /cannot be reached \(ENOTFOUND\)/],
  [
    'a certificate',
    { kind: 'untrusted', reason: 'CERT_HAS_EXPIRED' },
    'we are refused',
    /not secure \(CERT_HAS_EXPIRED\)/,
  ],
  ['no answer', { kind: 'unanswered', reason: 'UND_ERR_SOCKET' }, 'unclear', /does not answer \(UND_ERR_SOCKET\)/],
])('%s', (_name, answer, kind, cause = /^[A-Z].*\.$/) => {
  const meaning = meaningOf(answer);
  expect(meaning.kind).toBe(kind);
  if ('cause' in meaning) expect(causeSentence(meaning.cause)).toMatch(cause);
});

test('Retry-After is passed on unchanged', () => {
  expect(meaningOf(answered(429, { retryAfterMs: 0 }))).toMatchObject({ retryAfterMs: 0 });
  expect(meaningOf(answered(429))).toMatchObject({ retryAfterMs: undefined });
});
