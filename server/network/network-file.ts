// Two files in the data directory. The first holds the network state of the running gateway. The gateway writes it after each
// change, and commands read it. The second holds the name that was last announced by mDNS.

import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { LISTEN_FAILURE_KINDS, type NetworkView } from '../contract/network.ts';
import type { Log } from '../log.ts';

const FILE = 'network.json';
const NAME_FILE = 'announced-name';

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
  failures: z.array(
    z.object({ kind: z.enum(LISTEN_FAILURE_KINDS), address: z.string(), detail: z.string(), since: time }),
  ),
});

/**
 * Replaces the whole file in one step, so nobody reads a half-written file. Only its owner can read it. If writing fails,
 * removes the old file and throws the file system's error.
 */
export function writeNetworkFile(dataDir: string, network: NetworkView): void {
  const path = join(dataDir, FILE);
  try {
    replaceFile(path, JSON.stringify(network));
  } catch (error) {
    removeFile(path);
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  try {
    removeFile(fresh); // if this path is a pipe, writing to it would wait for a reader
    writeFileSync(fresh, `${text}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  } catch (error) {
    removeFile(fresh);
    throw error;
  }
}

/**
 * Removes the file with the network state. Called before the gateway knows its network, and when it stops. It is safe to call
 * this twice. A failure is only logged.
 */
export function removeNetworkFile(dataDir: string, log: Log): void {
  try {
    removeFile(join(dataDir, FILE));
  } catch (err) {
    log.warn({ err }, 'cannot remove the state of the network for commands');
  }
}

/** Removes a file. If the path is a folder, leaves the folder, because nothing reads it. */
function removeFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(path, { force: true });
}

/** Reads a file. Throws if it is not a regular file, because reading from a pipe would wait for a writer. */
function readRegularFile(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is no regular file`);
  return readFileSync(path, 'utf8');
}

/**
 * Reads the network state. Undefined if the file is missing or unreadable. A killed gateway leaves an old file, so callers must
 * check whether a gateway runs.
 */
export function readNetworkFile(dataDir: string): NetworkView | undefined {
  try {
    return view.safeParse(JSON.parse(readRegularFile(join(dataDir, FILE)))).data;
  } catch {
    return undefined;
  }
}

/** Stores the announced name for the next start, because printed join cards contain it. Throws the file system's error. */
export function keepAnnouncedName(dataDir: string, name: string): void {
  if (readAnnouncedName(dataDir) !== name) replaceFile(join(dataDir, NAME_FILE), name);
}

/** Returns the name that was last announced. Undefined if there is no file, or if it does not contain a valid name. */
export function readAnnouncedName(dataDir: string): string | undefined {
  try {
    return OWN_NAME.exec(readRegularFile(join(dataDir, NAME_FILE)))?.[0];
  } catch {
    return undefined;
  }
}

/** Matches the names that `discovery.ts` can choose. */
const OWN_NAME = /^counterfoil(-([2-9]|[1-9]\d{1,3}))?\.local(?=\n$)/;
