// Calls the console API. The contract types the answers; an error answer is thrown as a Problem.

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import type { ProblemView } from '../../server/contract/codes.ts';
import type { RestoreBegunView, RestoreView } from '../../server/contract/restores.ts';
import { problemWords } from '../locales/problem.ts';
import { apiPath } from './session-key.ts';

/** An error answer of the API (RFC 9457) in the user's language. `status` is 0 if there was no answer. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** Error texts by field name. */
  readonly fields: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Query key of the session; its data is null if nobody is signed in. */
export const SESSION_KEY = ['session'] as const;

/** Milliseconds between two attempts to reach a gateway that restarts. */
const RESTART_POLL_MS = 500;
/** A restart usually takes this many milliseconds at most. */
const USUAL_RESTART_MS = 20_000;
/** In the time of `performance.now()`, which does not jump. */
let restartBegunAt: number | null = null;

/** Whether the gateway restarts on restored data. Its end of this session is then no reason to show the sign-in screen. */
export function isRestarting(): boolean {
  return restartBegunAt !== null;
}

/** Whether the gateway restarts, and the restart does not take longer than usual. */
export function isUsualRestart(): boolean {
  return restartBegunAt !== null && performance.now() - restartBegunAt < USUAL_RESTART_MS;
}

/**
 * Makes the call that begins a restore. Does not wait for the restart, which ends this session: after it, the page opens the screen of
 * the restore by the one-time link that the call returned. If the restore fails before the restart, the page stays.
 */
export async function restart(call: () => Promise<RestoreBegunView>): Promise<void> {
  restartBegunAt = performance.now();
  try {
    const { link } = await call();
    void enterAfterRestart(link);
  } catch (error) {
    restartBegunAt = null;
    throw error;
  }
}

async function enterAfterRestart(link: string): Promise<void> {
  for (;;) {
    try {
      const { state } = await get<RestoreView>('restore');
      if (state.kind !== 'restoring') return void (restartBegunAt = null); // the restore failed before the restart
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return location.assign(`/enter?code=${link}&to=/restore`);
    }
    await new Promise((resolve) => setTimeout(resolve, RESTART_POLL_MS));
  }
}

/** Called with the error of any call. If the session has ended, the console shows the sign-in screen. */
function forgetEndedSession(error: Error): void {
  if (!isRestarting() && error instanceof Problem && error.code === 'session_missing')
    queryClient.setQueryData(SESSION_KEY, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    // A browser without a network still reaches a gateway on its own machine.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 1000,
      // A read without an answer is tried once more. More retries are not needed: when the connection is back, everything is
      // refetched.
      retry: (failures, error) => error instanceof Problem && error.status === 0 && failures < 1,
      retryDelay: 300,
    },
  },
});

/** Time-out of a read. If it expires, the gateway is stuck or the browser has no free connection. */
const READ_TIMEOUT_MS = 30_000;
/** Time-out of an act, which may concern a million records. */
const ACT_TIMEOUT_MS = 180_000;

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** The address of an API path, such as `/s/KEY/api/records?journal=1`. Leaves out undefined parameters. */
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

/** Sends a part of a file. */
export async function sendBytes(path: string, parameters: Parameters, part: Blob): Promise<void> {
  const { isOk, status, text } = await exchange(addressOf(path, parameters), {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/octet-stream' },
    body: part,
    signal: AbortSignal.timeout(ACT_TIMEOUT_MS),
  });
  if (!isOk) throw problemOf(status, parse(text));
}

async function call<Answer>(method: string, address: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const { isOk, status, text } = await exchange(address, {
    method,
    headers: { Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([
      AbortSignal.timeout(method === 'GET' ? READ_TIMEOUT_MS : ACT_TIMEOUT_MS),
      ...(signal === undefined ? [] : [signal]),
    ]),
  });
  const answer: unknown = text === '' ? undefined : parse(text);
  if (isOk) return answer as Answer; // not validated: the gateway and the console share the types of this contract
  throw problemOf(status, answer);
}

/** Rejects truncated responses. */
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
