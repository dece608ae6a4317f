// How the gateway of a data directory is, as far as a command can tell: a gateway that runs is asked, because on a full disk it cannot
// write down what is wrong; the disk and the clock every process sees for itself.

import { get } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { formatBytes, healthOf, listProblems, type Problem } from '../bad-news.ts';
import type { HealthView } from '../contract/machine.ts';
import { readListening } from '../listening.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';

const ANSWER_TIMEOUT_MS = 3000;
/** With less than this on the disk, no gateway can start. */
const MIN_FREE_BYTES = 1_000_000;

/** What a command tells before anything else. */
export interface Telling {
  readonly problems: readonly (Omit<Problem, 'code'> & {
    readonly code: Problem['code'] | 'gateway_silent' | 'disk_full';
  })[];
  /** What the running gateway says of itself; undefined where none runs, or none answers. */
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
      sentence: `The gateway runs but gives no answer at ${url}, so tills may not be able to send. Restart it if that stays so.`,
      isSerious: true,
    });
  if (isFull)
    problems.unshift({
      code: 'disk_full',
      about: '',
      sentence: `The disk is full: ${formatBytes(disk.freeBytes)} are free on the disk of ${dataDir}, and no sale can be taken. Free some space.`,
      isSerious: true,
    });
  return { problems, gateway };
}

/** Undefined from a gateway of an earlier version, which does not tell. Rejects where none answers. */
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
