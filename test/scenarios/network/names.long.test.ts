// Names by mDNS between machines: two gateways, a name that is taken, a changed address, a pulled cable. The tests use real
// multicast.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { AnnouncementState } from '../../../server/contract/network.ts';
import { type Lan, type LanHost, openLan, whyNoLan } from '../../support/namespaces.ts';
import { waitUntil } from '../../support/wait-until.ts';

const PROGRAM = fileURLToPath(new URL('../../support/mdns-program.ts', import.meta.url));

describe.skipIf(whyNoLan !== undefined)(`names${whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`}`, () => {
  test('a till finds the gateway by its name', async () => {
    const [shop, till] = await openHosts(2);
    await firstName(announce(shop));

    expect(await lookUp(till, 'counterfoil.local')).toEqual([shop.ipv4]);
  });

  test('a gateway in two networks gives each till the address in its own network', async () => {
    const [shop, officePc] = await openHosts(2);
    const tills = await openTestLan(1, 78);
    const second = tills.plugIn(shop);
    await firstName(announce(shop));

    expect(await lookUp(officePc, 'counterfoil.local')).toEqual([shop.ipv4]);
    expect(await lookUp(tills.hosts[0] as LanHost, 'counterfoil.local')).toEqual([second]);
  });

  test('a name that is taken in one of two networks is used in neither', async () => {
    const [shop, other] = await openHosts(2);
    const tills = await openTestLan(1, 78);
    tills.plugIn(shop);
    await firstName(announce(other));

    expect(await firstName(announce(shop))).toBe('counterfoil-2.local');
  });

  test('the second gateway of a network takes the next name, and keeps it', async () => {
    const [first, second, till] = await openHosts(3);
    await firstName(announce(first));
    expect(await firstName(announce(second))).toBe('counterfoil-2.local');

    expect(await lookUp(till, 'counterfoil.local')).toEqual([first.ipv4]);
    expect(await lookUp(till, 'counterfoil-2.local')).toEqual([second.ipv4]);
  });

  test('two gateways that start together get different names', async () => {
    const [first, second] = await openHosts(2);
    const announcers = [announce(first), announce(second)];

    await expect.poll(() => lastNames(announcers)).toEqual(['counterfoil-2.local', 'counterfoil.local']);
  });

  test('two gateways whose networks are joined later end with different names', async () => {
    const lan = await openTestLan(3);
    const [first, second, till] = lan.hosts as [LanHost, LanHost, LanHost];
    lan.split();
    const announcers = [announce(first), announce(second)];
    expect(await Promise.all(announcers.map(firstName))).toEqual(['counterfoil.local', 'counterfoil.local']);

    lan.join();
    await lookUp(till, 'counterfoil.local'); // both gateways answer this query, and each hears the other's answer

    await expect.poll(() => lastNames(announcers)).toEqual(['counterfoil-2.local', 'counterfoil.local']);
  });

  test('the name follows a changed address', async () => {
    const [shop, till] = await openHosts(2);
    const { states } = announce(shop);
    await waitUntil(() => states.length > 0);

    shop.addAddress('10.77.0.50/24');
    shop.removeAddress(`${shop.ipv4}/24`);

    await waitUntil(async () => String(await lookUp(till, 'counterfoil.local')) === '10.77.0.50');
    // Between the two addresses, the machine may have no route for a moment.
    expect(states.at(-1)).toEqual({ state: 'on', name: 'counterfoil.local' });
  });

  test('a machine without an address says so, and announces its name once it has one', async () => {
    const [shop, till] = await openHosts(2);
    shop.removeAddress(`${shop.ipv4}/24`);
    const { states } = announce(shop);
    await waitUntil(() => states.length > 0);
    expect(states).toEqual([{ state: 'failed', detail: expect.stringContaining('no IPv4 address') }]);

    shop.addAddress('10.77.0.60/24');
    await waitUntil(() => states.length > 1);

    expect(await lookUp(till, 'counterfoil.local')).toEqual(['10.77.0.60']);
  });

  test('after a goodbye, another gateway may have the name', async () => {
    const [first, second] = await openHosts(2);
    const { program, states, exited } = announce(first);
    await waitUntil(() => states.length > 0);
    program.stdin.end();
    await exited;

    expect(await firstName(announce(second))).toBe('counterfoil.local');
  });
});

interface Announcer {
  readonly program: ChildProcessWithoutNullStreams;
  readonly states: readonly AnnouncementState[];
  readonly exited: Promise<unknown>;
}

async function openTestLan(size: number, network?: number): Promise<Lan> {
  const lan = await openLan(size, network);
  onTestFinished(() => lan.close());
  return lan;
}

async function openHosts(size: number): Promise<[LanHost, LanHost, LanHost]> {
  return (await openTestLan(size)).hosts as [LanHost, LanHost, LanHost];
}

function announce(host: LanHost): Announcer {
  const program = host.start(process.execPath, [PROGRAM, 'announce']);
  const states: AnnouncementState[] = [];
  let rest = '';
  program.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    states.push(...lines.map((line) => JSON.parse(line) as AnnouncementState));
  });
  program.stderr.pipe(process.stderr);
  return { program, states, exited: new Promise((resolve) => program.once('exit', resolve)) };
}

async function firstName({ states }: Announcer): Promise<string | undefined> {
  await waitUntil(() => states.length > 0);
  return nameIn(states[0]);
}

function lastNames(announcers: readonly Announcer[]): readonly string[] {
  return announcers.map(({ states }) => nameIn(states.at(-1)) ?? '').toSorted((a, b) => a.localeCompare(b));
}

function nameIn(state: AnnouncementState | undefined): string | undefined {
  return state?.state === 'on' ? state.name : undefined;
}

async function lookUp(host: LanHost, name: string): Promise<unknown> {
  const { stdout, stderr } = await host.run(process.execPath, [PROGRAM, 'look-up', name]);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
