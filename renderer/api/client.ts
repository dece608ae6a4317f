// Calls the console API. What it answers is typed by the contract; what it refuses is thrown as a Problem.

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import type { ProblemView } from '../../server/contract/codes.ts';
import { problemWords } from '../locales/problem.ts';
import { apiPath } from './session-key.ts';

/** A refusal of the API (RFC 9457), in the user's words; or a call that got no answer: then `status` is 0. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong with each field, by its name. */
  readonly fields: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Where it is kept who is signed in; null where nobody is. */
export const SESSION_KEY = ['session'] as const;

/** By whatever call it is learned that a session has ended: whoever looks is asked to come in again. */
function noteEnd(error: Error): void {
  if (error instanceof Problem && error.code === 'session_missing') queryClient.setQueryData(SESSION_KEY, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    // A browser that is on no network still reaches the gateway on its own machine.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 1000,
      // Once more at once; when a gateway that was lost is back, everything is asked again.
      retry: (failures, error) => error instanceof Problem && error.status === 0 && failures < 1,
      retryDelay: 300,
    },
  },
});

/** Then nobody answers any more, or the browser has no connection left to ask on. */
const MAX_READ_MS = 30_000;
/** An act may be about a million records. */
const MAX_ACT_MS = 180_000;

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** As in `/s/KEY/api/records?journal=1`; what is undefined is left out. */
export function addressOf(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, String(value));
  return `${apiPath()}/${path}${search.size === 0 ? '' : `?${search}`}`;
}

export function get<Answer>(path: string, parameters?: Parameters, signal?: AbortSignal): Promise<Answer> {
  return call('GET', addressOf(path, parameters), undefined, signal);
}

export function send<Answer>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  return call(method, addressOf(path), body);
}

async function call<Answer>(method: string, address: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const { isOk, status, text } = await exchange(address, {
    method,
    headers: { Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([
      AbortSignal.timeout(method === 'GET' ? MAX_READ_MS : MAX_ACT_MS),
      ...(signal === undefined ? [] : [signal]),
    ]),
  });
  const answer: unknown = text === '' ? undefined : parse(text);
  if (isOk) return answer as Answer; // typed by the contract on both sides
  throw problemOf(status, answer);
}

/** A whole answer. One of which only a part came is none. */
async function exchange(address: string, init: RequestInit) {
  try {
    const response = await fetch(address, init);
    return { isOk: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, 'no_answer', problemWords('no_answer', '').message);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(status: number, answer: unknown): Problem {
  const { code = 'unknown', title = '', detail = title, errors } = (answer ?? {}) as Partial<ProblemView>;
  const { message, fields } = problemWords(code, detail, errors);
  return new Problem(status, code, message, fields);
}
