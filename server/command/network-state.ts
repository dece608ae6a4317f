// The network state that commands use: what people chose, what a running gateway reports, and which settings override the
// people's choice.

import { X509Certificate } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { type CertificateFiles, flagName, loadConfig, type SettingName, variableName } from '../config.ts';
import {
  type AuthorityView,
  fixingSettingOf,
  type NetworkChangeRequest,
  type NetworkSettings,
  type NetworkView,
} from '../contract/network.ts';
import type { ListedUser } from '../contract/setup.ts';
import { OperatorError } from '../errors.ts';
import { loadCertificate } from '../http/certificate.ts';
import { readNetworkFile } from '../network/network-file.ts';
import { viewOfCertificate } from '../network/network-view.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Key } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';

const MAX_WAIT_MS = 10_000;
const POLL_MS = 100;

export interface NetworkState {
  /** The settings that people chose, as stored. */
  readonly settings: NetworkSettings;
  /** Names of settings, such as `host`, that override what people chose. */
  readonly fixedBy: readonly string[];
  readonly isRunning: boolean;
  /** The network state of the running gateway. Undefined if none runs, or if it is an earlier version. */
  readonly view: NetworkView | undefined;
  readonly authority: AuthorityView | null;
  /** The keys that are valid now. */
  readonly keys: readonly Key[];
  /** The names of all stores. */
  readonly administrations: readonly string[];
  readonly users: readonly ListedUser[];
}

/**
 * Reads the network state of the gateway that runs on a data directory. Undefined if none runs, or if it is an earlier version.
 */
export function readRunningNetwork(dataDir: string): NetworkView | undefined {
  return isOwned(dataDir) ? readNetworkFile(dataDir) : undefined;
}

export async function readNetworkState(store: Store, dataDir: string): Promise<NetworkState> {
  const view = readRunningNetwork(dataDir);
  return {
    settings: await store.network.settings(),
    fixedBy: view?.fixedBy ?? HOST_SETTINGS.filter((name) => sourceOf(dataDir, name) !== 'default'),
    isRunning: isOwned(dataDir),
    view,
    authority: view === undefined ? await readAuthority(store, dataDir) : view.authority,
    keys: (await store.setup.listKeys()).filter(({ revokedAt }) => revokedAt === null),
    administrations: (await store.setup.listAdministrations()).map(({ name }) => name),
    users: await store.people.list(),
  };
}

/**
 * Reads the certificates of the running gateway. If none runs, reads those that it would use at a start: the shop's files, or
 * else its own authority. A stopped gateway has no own certificate, because it makes a new one at each start.
 */
export async function readCertificates(
  store: Store,
  dataDir: string,
  files: CertificateFiles | undefined,
): Promise<Pick<NetworkView, 'certificate' | 'authority'>> {
  const view = readRunningNetwork(dataDir);
  if (view !== undefined) return view;
  if (files === undefined) return { certificate: null, authority: await readAuthority(store, dataDir) };
  return { certificate: viewOfCertificate(loadCertificate(files), 'files'), authority: null };
}

async function readAuthority(store: Store, dataDir: string): Promise<AuthorityView | null> {
  const [newest] = await store.network.authorities();
  if (newest === undefined) return null;
  const { fingerprint, createdAt, certificate } = newest;
  const expiresAt = new X509Certificate(certificate).validToDate.getTime();
  return { fingerprint, createdAt, expiresAt, file: join(resolve(dataDir), 'ca.pem') };
}

/** The settings that override the network settings in the store. */
const HOST_SETTINGS: readonly SettingName[] = ['host', 'consoleHost'];

function sourceOf(dataDir: string, name: string): 'flag' | 'variable' | 'file' | 'default' {
  return loadConfig(dataDir, {}).settings?.find((each) => each.name === name)?.source ?? 'default';
}

/** Names the part of the network that a setting of the gateway decides. */
export function fixedSubject(setting: string): string {
  return setting === 'consoleHost' ? 'the console' : 'the network';
}

/** Throws an OperatorError if a setting overrides a member of the change, because the change would have no effect. */
export function assertChangeable(state: NetworkState, change: NetworkChangeRequest, dataDir: string): void {
  const name = fixingSettingOf(state, change);
  if (name === undefined) return;
  const [flag, variable] = [flagName(name), variableName(name)];
  const places = {
    flag: `the option ${flag}`,
    variable: `the variable ${variable}`,
    file: `${name} in settings.json`,
    default: `the option ${flag} or the variable ${variable} of the running gateway`,
  };
  const place = places[sourceOf(dataDir, name)];
  throw new OperatorError(
    `The setting ${name} decides about ${fixedSubject(name)}, by ${place}. Remove it there, restart the gateway, then run this command again.`,
  );
}

/**
 * Waits until the running gateway has applied the settings. If the gateway does not do so in time, rejects with an
 * OperatorError that says what is missing.
 */
export async function awaitSettings(
  dataDir: string,
  settings: NetworkSettings,
  maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
  const end = performance.now() + maxWaitMs;
  for (;;) {
    const missing = findMissing(readNetworkFile(dataDir), settings);
    if (missing === undefined) return;
    if (performance.now() >= end)
      throw new OperatorError(`The settings are stored, but the gateway has not applied them yet: ${missing}`);
    await delay(POLL_MS);
  }
}

/** The end of a sentence about a running gateway that has no stored network state. */
export const WITHOUT_STATE = 'has not stored its network state. If it is an earlier version, restart it.';

/**
 * Says what the gateway has not applied yet; undefined if it has applied everything. A failed address counts as applied,
 * because the gateway reports the failure.
 */
function findMissing(view: NetworkView | undefined, settings: NetworkSettings): string | undefined {
  if (view === undefined) return `it ${WITHOUT_STATE}`;
  if (!isDeepStrictEqual(view.settings, settings)) return 'it still uses the earlier ones. Restart it.';
  const hasFailed = view.failures.length > 0;
  if (!settings.isOpen)
    return view.addresses.length > 0 ? 'it still listens for other machines. Restart it.' : undefined;
  if (view.addresses.length === 0 && !hasFailed) return addressMissing(settings);
  if (settings.isConsoleOpen && view.consoleAddresses.length === 0 && !hasFailed)
    return 'the console is not open to other machines. Restart it.';
  if (settings.isAnnounced === true && view.announcement.state === 'off')
    return 'it does not announce its name. Tills can connect by address.';
  return undefined;
}

/** The end of a sentence about a gateway whose network is open, but has no address. */
export function addressMissing({ interfaces }: NetworkSettings): string {
  const where =
    interfaces === null
      ? 'this machine has'
      : interfaces.length === 1
        ? `the interface ${interfaces[0]} has`
        : `the interfaces ${interfaces.join(', ')} have`;
  return `${where} no address in a network. Connect the cable or Wi-Fi; the gateway then opens automatically.`;
}
