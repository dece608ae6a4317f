// The gateway keeps its announced name when an announcement ends, and across restarts. The tests use real mDNS on the loopback
// interface. Each network has its own UDP port.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';

import { type Announcer, openAnnouncer } from '../../../server/network/announcer.ts';
import { findFreeUdpPort, openNeighbour } from '../../support/mdns.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { waitUntil } from '../../support/wait-until.ts';

const FOREIGN = '192.0.2.9';

function open(dataDir: string, mdnsPort: number, warnings: string[] = []): Announcer {
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
  const addresses = (): string[] => ['127.0.0.1'];
  const announcer = openAnnouncer(dataDir, () => ({ port: 7410, addresses, scheme: 'https', log, mdnsPort }));
  onTestFinished(() => announcer.close());
  return announcer;
}

/** Begins to announce. Waits until the announcer is on, and returns its names. */
async function announce(announcer: Announcer): Promise<readonly string[]> {
  await announcer.announce(true);
  await waitUntil(() => announcer.state().state === 'on');
  return announcer.names();
}

/** A network in which another machine has these names. */
async function networkWith(...names: string[]): Promise<number> {
  const port = await findFreeUdpPort();
  if (names.length > 0) (await openNeighbour(port)).own(names, FOREIGN);
  return port;
}

test('a restart keeps the name, though the other machine has left the network', async () => {
  const dataDir = temporaryFolder();
  const first = open(dataDir, await networkWith('counterfoil.local'));
  expect(await announce(first)).toEqual(['counterfoil-2.local']);
  await first.close();
  expect(await announce(open(dataDir, await networkWith()))).toEqual(['counterfoil-2.local']);
});

test('a name that was announced again after a pause is the same', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'announced-name'), 'counterfoil-2.local\n');
  const announcer = open(dataDir, await networkWith());
  await announce(announcer);
  await announcer.announce(false);
  expect(await announce(announcer)).toEqual(['counterfoil-2.local']);
});

test('if another machine took the last name meanwhile, the next one is used and kept', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'announced-name'), 'counterfoil-2.local\n');
  expect(await announce(open(dataDir, await networkWith('counterfoil-2.local')))).toEqual(['counterfoil-3.local']);
  expect(readFileSync(join(dataDir, 'announced-name'), 'utf8')).toBe('counterfoil-3.local\n');
});

test('a name that cannot be kept is announced all the same, and the log says so', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'announced-name.new'));
  const warnings: string[] = [];
  expect(await announce(open(dataDir, await networkWith(), warnings))).toEqual(['counterfoil.local']);
  expect(warnings).toEqual([expect.stringContaining('cannot keep the announced name')]);
});
test('it is off at first, has the name while it is on, and says goodbye when it is switched off', async () => {
  const mdnsPort = await findFreeUdpPort();
  let starts = 0;
  const announcer: Announcer = openAnnouncer(temporaryFolder(), () => {
    starts += 1;
    return { port: 7410, addresses: () => ['127.0.0.1'], scheme: 'https', log: pino({ level: 'silent' }), mdnsPort };
  });
  onTestFinished(() => announcer.close());
  const neighbour = await openNeighbour(mdnsPort);
  const goodbyes: string[] = [];
  neighbour.onPacket('response', ({ answers }) => {
    for (const { name, type, ttl } of answers) if (type === 'A' && ttl === 0) goodbyes.push(name);
  });

  await announcer.announce(false);
  expect(announcer.state()).toEqual({ state: 'off' });
  expect(announcer.names()).toEqual([]);

  for (let times = 0; times < 2; times += 1) await announcer.announce(true);
  await expect.poll(() => announcer.names(), { timeout: 10_000 }).toEqual(['counterfoil.local']);
  expect(starts).toBe(1);

  await announcer.announce(false);
  expect(announcer.state()).toEqual({ state: 'off' });
  expect(announcer.names()).toEqual([]);
  await expect.poll(() => goodbyes).toContain('counterfoil.local');

  await announcer.announce(true);
  await expect.poll(() => announcer.names(), { timeout: 10_000 }).toEqual(['counterfoil.local']);
  expect(starts).toBe(2);
});
