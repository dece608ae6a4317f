// Finds the health of a data directory for commands. A command asks the running gateway for its problems by HTTP, because the
// gateway cannot write them to a full disk. The command itself checks the disk and the clock.

import { get } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { formatBytes, healthOf, listProblems, type Problem } from '../bad-news.ts';
import type { HealthView } from '../contract/machine.ts';
import { readListening } from '../listening.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';

const ANSWER_TIMEOUT_MS = 3000;
/** Minimum free space for a gateway to start. */
const MIN_FREE_BYTES = 1_000_000;

/** The problems that a command prints before its own output. */
export interface Telling {
  readonly problems: readonly (Omit<Problem, 'code'> & {
    readonly code: Problem['code'] | 'gateway_silent' | 'disk_full';
  })[];
  /** The health that the running gateway reported. Undefined if no gateway runs, or if it does not answer. */
  readonly gateway: Omit<HealthView, 'machine'> | undefined;
}

const answer = z.object({
  trouble: z
    .object({ code: z.enum(['store_full', 'store_unavailable']), hint: z.string(), since: z.number() })
    .nullable(),
  unwrittenRefusals: z.number(),
});

export async function readTelling(store: Store, dataDir: string): Promise<Telling> {
  const machine = await store.health.readMachine();
  const url = isOwned(dataDir) ? readListening(dataDir)?.localConsoleUrl : undefined;
  const said = url == null ? undefined : await ask(`${url}/health`).catch(() => 'no answer' as const);
  const gateway = said === 'no answer' ? undefined : said;
  const health = healthOf({ trouble: null, unwrittenRefusals: 0, ...gateway, machine });
  const { disk } = machine;
  const isFull = disk !== null && disk.freeBytes < MIN_FREE_BYTES && gateway === undefined;
  const problems: Telling['problems'][number][] = listProblems(health, dataDir).filter(
    ({ code }) => !isFull || code !== 'disk_low',
  );
  if (said === 'no answer')
    problems.unshift({
      code: 'gateway_silent',
      about: '',
      sentence: `The gateway runs but does not answer at ${url}, so tills may not be able to send. Restart it if this continues.`,
      isSerious: true,
    });
  if (isFull)
    problems.unshift({
      code: 'disk_full',
      about: '',
      sentence: `The disk is full: ${formatBytes(disk.freeBytes)} are free on the disk of ${dataDir}, and no sale can be accepted. Free some space.`,
      isSerious: true,
    });
  return { problems, gateway };
}

/**
 * Asks a gateway for its health. Resolves to undefined if the gateway is an earlier version, which does not report its health.
 * Rejects if there is no answer.
 */
async function ask(url: string): Promise<z.infer<typeof answer> | undefined> {
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
