// Runs tables of calls that must be refused: each case on both paths and both methods. A refused call gets exactly its
// problem document, adds no record, and is in the refusal log. No secret appears anywhere.

import { expect, test } from 'vitest';

import { CALL_FAULTS, ERROR_CODES, type ErrorCode } from '../../../server/contract/codes.ts';
import { type Answer, bodyOf, type Call, call, rangeParameters } from '../http-call.ts';
import type { TestGateway } from '../open-gateway.ts';
import type { RawAnswer } from '../raw-call.ts';
import { waitUntil } from '../wait-until.ts';
import { anyList, anyText, textLike } from './matchers.ts';

export const PATHS = ['/v1/raw_transactions', '/api/v1/raw_transactions'];

/** How a call differs from a good call. */
export interface Sent {
  readonly headers?: Call['headers'];
  readonly body?: string | Buffer;
  /** The whole query string. */
  readonly query?: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  /** The expected JSON pointers in `errors`, in any order. Without this member the answer must have no `errors`. */
  readonly pointers?: readonly string[] | 'any';
  readonly contains?: readonly string[];
  readonly notContains?: readonly string[];
  /** The till's label in the refusal log; null if the key is unknown. */
  readonly label?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A rule by which calls are refused, with a call for POST and one for GET. A text in place of a call says why the rule has no
 * call for this method.
 */
export interface RefusalCase extends Refusal {
  readonly name: string;
  readonly POST: Sent | string;
  readonly GET: Sent | string;
}

/** The expected entry in the refusal log, without its code. */
export interface Logged {
  readonly method: string;
  /** The exact path, or a matcher for it. */
  readonly path: unknown;
}

/** Makes a test for each case, method and path. The default key is the production key. */
export function testRefusals(gateway: TestGateway, cases: readonly RefusalCase[]): void {
  for (const refusal of cases) {
    for (const method of ['POST', 'GET'] as const) {
      const sent = refusal[method];
      if (typeof sent === 'string') continue;
      test.each(PATHS)(`${method} %s: ${refusal.name} → ${refusal.status} ${refusal.code}`, async (path) => {
        await expectRefused(gateway, refusal, { method, path }, () => send(gateway, method, path, sent));
      });
    }
  }
}

function send(
  gateway: TestGateway,
  method: 'POST' | 'GET',
  path: string,
  { headers, body, query }: Sent,
): Promise<Answer> {
  const good = { token: gateway.production.secret, ...(method === 'POST' && { 'content-type': 'application/json' }) };
  const target = method === 'GET' ? `${path}?${query ?? rangeParameters()}` : path;
  return call(gateway.apiUrl + target, {
    method,
    headers: { ...good, ...headers },
    body: method === 'POST' ? (body ?? bodyOf()) : body,
  });
}

/** Makes a call that must be refused. Checks the answer, the records and the refusal log. */
export async function expectRefused(
  gateway: TestGateway,
  refusal: Refusal,
  logged: Logged,
  refusedCall: () => Promise<Answer | RawAnswer | undefined>,
): Promise<void> {
  const before = await gateway.countRecords();
  const { log } = await refusalsOf(gateway, async () => {
    const answer = await refusedCall();
    if (answer === undefined) throw new Error('the connection was closed without an answer');
    if (logged.method === 'HEAD') expect(answer).toMatchObject({ status: refusal.status, text: '' });
    else expectProblem(answer, refusal);
    expect(answer.headers).toMatchObject(refusal.headers ?? {});
    expectNoSecret(gateway, JSON.stringify([answer.headers, answer.text]));
  });
  expect(await gateway.countRecords()).toEqual(before);
  const { code, label = gateway.production.label } = refusal;
  expect(log).toMatchObject([{ address: '127.0.0.1', code, label, ...logged }]);
  expectNoSecret(gateway, JSON.stringify(log));
}

/** Makes refused calls. Returns their answers and their entries in the refusal log, oldest first. */
export async function refusalsOf<T>(gateway: TestGateway, refusedCalls: () => Promise<T>, count = 1) {
  const [newest] = await gateway.store.records.listRefusals(1);
  const from = Date.now();
  const answer = await refusedCalls();
  // Waits, because the gateway answers before it writes the refusal log.
  const log = await waitUntil(async () => {
    const entries = (await gateway.store.records.listRefusals(count + 10)).filter(
      ({ id, at }) => id > (newest?.id ?? 0) && at >= from,
    );
    return entries.length < count ? undefined : entries.toReversed();
  });
  return { answer, log };
}

/** Checks that an answer is exactly the problem document of its code. */
export function expectProblem(
  answer: Answer | RawAnswer,
  { status, code, pointers, contains = [], notContains = [] }: Refusal,
): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  const body = JSON.parse(answer.text) as {
    detail: string;
    errors?: { pointer: string; code: string; detail: string }[];
  };
  expect(body).toEqual({
    type: `/docs#${code}`,
    title: ERROR_CODES[code].title,
    status,
    detail: anyText,
    code,
    ...(pointers !== undefined && { errors: anyList }),
  });
  expect(body.detail).not.toBe('');
  if (pointers !== undefined && pointers !== 'any')
    expect(body.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers.toSorted());
  for (const error of body.errors ?? []) {
    expect(error).toEqual({
      pointer: anyText,
      code: anyText,
      detail: textLike(/./),
    });
    expect(CALL_FAULTS, 'the console has words for each fault').toContain(error.code);
  }
  for (const text of contains) expect(answer.text).toContain(text);
  for (const text of notContains) expect(answer.text).not.toContain(text);
  expect(answer.text.length, 'a refusal does not echo what was sent at any length').toBeLessThan(4096);
  expect(answer.text).not.toMatch(/\n\s+at |\.[jt]s:\d|node_modules|node:internal|SQLITE/);
}

/** Checks that a text contains no key of this gateway. */
export function expectNoSecret(gateway: TestGateway, text: string): void {
  for (const secret of gateway.listSecrets()) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(5, 25));
  }
}
