// Finds the health of a data directory for commands. A command asks the running gateway for its problems by HTTP, because the
// gateway cannot write them to a full disk. The command itself checks the disk and the clock.

import { statSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { formatBytes, healthOf, listProblems, type Problem } from '../bad-news.ts';
import type { HealthView } from '../contract/machine.ts';
import { readListening } from '../listening.ts';
import { databasePath, isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';

const ANSWER_TIMEOUT_MS = 3000;
/** Minimum free space for a gateway to start. */
const MIN_FREE_BYTES = 1_000_000;

const answer = z.object({
  /** Missing in the answer of an earlier version. */
  version: z.string().optional(),
  trouble: z
    .object({ code: z.enum(['store_full', 'store_unavailable']), hint: z.string(), since: z.number() })
    .nullable(),
  unwrittenRefusals: z.number(),
});

type Answer = z.infer<typeof answer>;

/** The problems that a command prints before its own output. */
export interface Telling {
  readonly problems: readonly (Omit<Problem, 'code'> & {
    readonly code: Problem['code'] | 'gateway_silent' | 'disk_full';
  })[];
  /** The answer of the running gateway. Undefined if no gateway runs, or if it does not answer. */
  readonly gateway: Answer | undefined;
  /** The answer of the gateway, with the state of the machine as this command sees it. */
  readonly health: HealthView;
}

/** The gateway of a data directory, as it answers now. `starting`: it has no address yet, or a command is migrating the data. */
export type GatewayState =
  | { readonly kind: 'stopped' | 'starting' }
  | { readonly kind: 'silent'; readonly url: string }
  /** `answer` is undefined if the gateway is an earlier version, which does not report its health. */
  | { readonly kind: 'running'; readonly url: string; readonly answer: Answer | undefined };

/** Reads the state of the gateway. Throws the file system's error if the data directory cannot be read. */
export async function readGateway(dataDir: string): Promise<GatewayState> {
  // `isOwned` would leave a lock file in a directory that has no data.
  if (statSync(databasePath(dataDir), { throwIfNoEntry: false }) === undefined) return { kind: 'stopped' };
  if (!isOwned(dataDir)) return { kind: 'stopped' };
  const url = readListening(dataDir)?.localConsoleUrl;
  if (url == null) return { kind: 'starting' };
  try {
    return { kind: 'running', url, answer: await ask(`${url}/health`) };
  } catch {
    return { kind: 'silent', url };
  }
}

export async function readTelling(store: Store, dataDir: string): Promise<Telling> {
  const machine = await store.health.readMachine();
  const state = await readGateway(dataDir);
  const gateway = state.kind === 'running' ? state.answer : undefined;
  const { trouble = null, unwrittenRefusals = 0 } = gateway ?? {};
  const health = healthOf({ trouble, unwrittenRefusals, machine });
  const { disk } = machine;
  const isFull = disk !== null && disk.freeBytes < MIN_FREE_BYTES && gateway === undefined;
  const problems: Telling['problems'][number][] = listProblems(health, dataDir).filter(
    ({ code }) => !isFull || code !== 'disk_low',
  );
  if (state.kind === 'silent')
    problems.unshift({ code: 'gateway_silent', about: '', sentence: silentSentence(state.url), isSerious: true });
  if (isFull)
    problems.unshift({
      code: 'disk_full',
      about: '',
      sentence: fullSentence(disk.freeBytes, dataDir),
      isSerious: true,
    });
  return { problems, gateway, health };
}

export function silentSentence(url: string): string {
  return `The gateway runs but does not answer at ${url}, so tills may not be able to send. Restart it if this continues.`;
}

function fullSentence(freeBytes: number, dataDir: string): string {
  return `The disk is full: ${formatBytes(freeBytes)} are free on the disk of ${dataDir}, and no sale can be accepted. Free some space.`;
}

/**
 * Asks a gateway for its health. Resolves to undefined if the gateway is an earlier version, which does not report its health.
 * Rejects if there is no answer.
 */
async function ask(url: string): Promise<Answer | undefined> {
  const body = await new Promise<string>((resolve, reject) => {
    get(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS), agent: false }, (response) => {
      text(response).then(resolve, reject);
    }).on('error', reject);
  });
  try {
    return answer.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
