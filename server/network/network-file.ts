// The file in a data directory that holds the network state of its running gateway. The gateway writes it after each change, and
// commands on the same directory read it.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import type { NetworkView } from '../contract/network.ts';

const FILE = 'network.json';

const time = z.int();
const texts = z.array(z.string());
const tills = z.array(z.object({ till: z.string(), administration: z.string(), address: z.string(), at: time }));

const view: z.ZodType<NetworkView> = z.object({
  settings: z.object({
    isOpen: z.boolean(),
    interfaces: texts.nullable(),
    allowsPlainHttp: z.boolean(),
    isConsoleOpen: z.boolean(),
    isAnnounced: z.boolean().nullable(),
  }),
  fixedBy: texts,
  interfaces: z.array(z.object({ name: z.string(), addresses: texts, isVirtual: z.boolean(), isUsed: z.boolean() })),
  addresses: texts,
  names: texts,
  consoleAddresses: texts,
  localAddress: z.string(),
  announcement: z.discriminatedUnion('state', [
    z.object({ state: z.literal('off') }),
    z.object({ state: z.literal('on'), name: z.string() }),
    z.object({ state: z.literal('failed'), detail: z.string() }),
  ]),
  certificate: z
    .object({ source: z.enum(['own', 'files']), names: texts, expiresAt: time, fingerprint: z.string() })
    .nullable(),
  authority: z.object({ fingerprint: z.string(), file: z.string(), createdAt: time, expiresAt: time }).nullable(),
  tillsAtOldAddress: tills,
  tillsToTrust: tills,
  failures: z.array(z.object({ address: z.string(), detail: z.string() })),
});

/** Replaces the file as a whole, readable by its owner only. Throws the file system's error, and then removes the old file. */
export function writeNetworkFile(dataDir: string, network: NetworkView): void {
  const path = join(dataDir, FILE);
  const fresh = `${path}.new`;
  try {
    writeFileSync(fresh, `${JSON.stringify(network)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  } catch (error) {
    for (const file of [path, fresh]) rmSync(file, { force: true });
    throw error;
  }
}

/** Removes the file before the gateway knows its network, and when it stops. Safe to call twice. */
export function removeNetworkFile(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

/** Undefined without a file, or if it is unreadable. A killed gateway leaves its last state, so check that a gateway runs. */
export function readNetworkFile(dataDir: string): NetworkView | undefined {
  try {
    return view.safeParse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
