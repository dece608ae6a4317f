// Controls the lane of the administration Bakery in test mode by commands. Also opens its upstream.

import { expect, onTestFinished } from 'vitest';

import { ACTORS } from '../../server/contract/codes.ts';
import { openStore as openFiles } from '../../server/store/open-store.ts';
import { generateSecret } from '../../server/store/setup/key-secret.ts';
import type { Site } from '../support/gateway-process.ts';
import { openStandIn, type StandIn, type StandInOptions } from '../support/upstream/stand-in.ts';
import { openTestSite, type WhenDone } from './test-site.ts';

/** The options that name the lane on the command line. */
export const LANE = ['--administration', 'Bakery', '--mode', 'test'];
/** The default key for the upstream. */
export const TOKEN = 'test_upstream-canary';

interface LaneJson {
  readonly state: string;
  readonly cause: string | null;
  readonly waiting: number;
  readonly held: number;
  readonly delivered: number;
  readonly set_aside: number;
  readonly oldest_waiting_at: string | null;
  readonly last_delivery_at: string | null;
}

/** The lane as `status` prints it. */
export async function laneOf(site: Site, name: 'lane' | 'earlier_lane' = 'lane'): Promise<LaneJson> {
  const { journals } = (await site.runJson('status')) as { journals: ({ mode: string } & Record<string, LaneJson>)[] };
  const lane = journals.find(({ mode }) => mode === 'test')?.[name];
  if (lane === undefined) throw new Error('there is no lane');
  return lane;
}

export function setUpstream(site: Site, url: string, token: string, ...more: string[]): Promise<unknown> {
  return site.runJson('upstream', 'set', ...LANE, '--url', url, '--token', token, ...more);
}

/** Opens a stand-in upstream that follows a script. It closes when the test ends. */
export async function openUpstream(
  script = 'accept',
  more: StandInOptions = {},
  whenDone: WhenDone = onTestFinished,
): Promise<StandIn> {
  const standIn = await openStandIn({ script, ...more });
  whenDone(() => standIn.close());
  return standIn;
}

/**
 * Makes a store with one key and a scripted upstream. Its gateway is not started yet. Writes to the store in this process, which
 * takes a tenth of the processor time of two commands.
 */
export async function openStore(whenDone: WhenDone, script?: string, more?: StandInOptions, token = TOKEN) {
  const site = await openTestSite(whenDone);
  const upstream = await openUpstream(script, more, whenDone);
  const key = generateSecret('test');
  const { setup, outbox, close } = await openFiles({ dataDir: site.dataDir, role: 'command' });
  const till = { administration: 'Bakery', mode: 'test', label: 'Till 1', interface: 'both' } as const;
  await setup.createKey({ ...till, secret: key, isAdopted: false }, ACTORS.commandLine);
  const lane = { ...till, interface: 'current' } as const;
  await outbox.performAct(lane, { kind: 'set upstream', upstream: { url: upstream.url, token } }, ACTORS.commandLine);
  await close();
  return { site, key, upstream };
}

/** Asserts that the upstream has accepted exactly these records as NEW, each once and with these bytes. */
export function expectInEffect(upstream: StandIn, bodies: ReadonlyMap<string, string>): void {
  const effects = upstream.effects.toSorted((a, b) => a.id.localeCompare(b.id));
  expect(effects.map(({ id }) => id)).toEqual([...bodies.keys()].toSorted((a, b) => a.localeCompare(b)));
  for (const { id, bytes, statuses } of effects) {
    expect(bytes?.toString()).toBe(bodies.get(id));
    expect(statuses).toMatchObject({ NEW: 1, ERROR: 0 });
  }
}
