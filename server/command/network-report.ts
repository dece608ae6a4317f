// The network in sentences and as JSON, for `lan`, `keys create` and `status`.

import { existsSync } from 'node:fs';

import type {
  AuthorityView,
  ListenFailure,
  NetworkInterface,
  NetworkView,
  TillAtAddress,
} from '../contract/network.ts';
import { FIRST_START } from '../contract/setup.ts';
import { dataOption } from '../data-location.ts';
import { hostOfUrl, isLoopback } from '../lib/host.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { firewallSentence, portOfUrl } from '../network/outside-test.ts';
import { PROGRAM } from '../program.ts';
import type { Key } from '../store/setup/ledger.ts';
import { addressMissing, fixedSubject, type NetworkState, WITHOUT_STATE } from './network-state.ts';
import { formatTime, inert, labelledLines } from './output.ts';

/** The network state for JSON, with its times as text. If no gateway runs, the addresses and the certificate are missing. */
export function describeNetwork({ settings, fixedBy, isRunning, view, authority }: NetworkState) {
  const { certificate = null } = view ?? {};
  return {
    running: isRunning,
    settings,
    fixedBy,
    addresses: view?.addresses ?? [],
    names: view?.names ?? [],
    plainHttpAddresses: view === undefined ? [] : listPlainAddresses(view),
    localAddress: view?.localAddress ?? null,
    consoleAddresses: view?.consoleAddresses ?? [],
    interfaces: view?.interfaces ?? [],
    announcement: view?.announcement ?? null,
    authority: describeAuthority(authority),
    certificate: certificate && {
      source: certificate.source,
      end: formatMilliseconds(certificate.expiresAt),
      names: certificate.names,
      fingerprint: certificate.fingerprint,
    },
    tillsAtOldAddress: (view?.tillsAtOldAddress ?? []).map(describeTill),
    tillsToTrust: (view?.tillsToTrust ?? []).map(describeTill),
    failures: view?.failures ?? [],
  };
}

/** The data for JSON with which a till can trust the authority. Null if there is no authority. */
export function describeAuthority(authority: AuthorityView | null) {
  return (
    authority && {
      fingerprint: authority.fingerprint,
      file: authority.file,
      end: formatMilliseconds(authority.expiresAt),
    }
  );
}

/** The addresses at which tills on other machines may use HTTP. */
function listPlainAddresses({ settings, fixedBy, addresses }: NetworkView): string[] {
  const isAllowed = settings.allowsPlainHttp && !fixedBy.includes('host');
  const plain = isAllowed ? addresses.map((address) => address.replace(/^https:/, 'http:')) : addresses;
  return [...new Set(plain.filter((address) => address.startsWith('http:')))];
}

/**
 * Returns the command to run if no address is open to other machines. `data` is the --data option to put into the command. If
 * `till` is given, the command also connects a first till with this name.
 */
export function closedNote(
  { settings, fixedBy }: Pick<NetworkView, 'settings' | 'fixedBy'>,
  data: string,
  till?: string,
): string {
  if (fixedBy.includes('host')) return 'The setting host keeps the network closed.';
  if (settings.isOpen) return `Tills on other machines cannot connect yet. To see why: ${PROGRAM} lan status${data}`;
  const connect = till === undefined ? '' : ` --till ${shellArgument(till)}`;
  return `For tills on other machines: ${PROGRAM} lan on${connect}${data}`;
}

function describeTill({ at, ...till }: TillAtAddress) {
  return { ...till, at: formatMilliseconds(at) };
}

/** The interfaces that the gateway opens by default, in words. */
export const ALL_INTERFACES = 'all interfaces except those of containers and virtual machines';

/** The state as lines of text, with the next step at the end. */
export function networkLines(state: NetworkState, dataDir: string): string[] {
  const { view } = state;
  const lines = view === undefined ? linesWithoutView(state, dataDir) : linesOfView(view, state, dataDir);
  lines.push(...passwordLines(state, dataDir));
  for (const name of state.fixedBy)
    lines.push('', `The setting ${name} decides about ${fixedSubject(name)}, so ${PROGRAM} lan cannot change that.`);
  return lines.map(inert);
}

function linesWithoutView({ settings, isRunning, authority, fixedBy }: NetworkState, dataDir: string): string[] {
  if (isRunning) return [`The running gateway ${WITHOUT_STATE}`];
  const lines = ['No gateway runs here. These settings take effect at its next start.'];
  if (!fixedBy.includes('host'))
    lines.push(
      settings.isOpen
        ? `The network is open to tills on other machines. Interfaces: ${settings.interfaces?.join(', ') ?? ALL_INTERFACES}.`
        : `The network is closed: only tills on this machine can connect. To open it: ${PROGRAM} lan on${dataOption(dataDir)}`,
    );
  if (settings.isOpen && settings.isConsoleOpen) lines.push('The console is open to other machines too.');
  if (settings.isOpen && settings.allowsPlainHttp) lines.push(PLAIN_HTTP_WARNING);
  if (authority !== null)
    lines.push(...labelledLines([['authority', authorityCells(authority, isWritten(authority))]]));
  return lines;
}

const PLAIN_HTTP_WARNING =
  'Plain HTTP is allowed: anyone in the network can read the keys and sales of tills that use it.';

/**
 * Returns lines that name the users without a password, if the console is open to other machines. From other machines, these
 * users cannot sign in.
 */
function passwordLines({ settings, view, users }: NetworkState, dataDir: string): string[] {
  const isConsoleOpen = settings.isOpen && settings.isConsoleOpen;
  if (!isConsoleOpen && (view?.consoleAddresses ?? []).length === 0) return [];
  const missing = users.filter(({ hasPassword }) => !hasPassword);
  if (missing.length === 0) return [];
  const all = missing.length === users.length ? ['Nobody can sign in to the console on another machine yet.'] : [];
  const reset = `${PROGRAM} users reset${dataOption(dataDir)} --name`;
  return [
    '',
    ...all,
    ...missing.map(
      ({ name }) => `${name} has no password yet and cannot sign in. To set one: ${reset} ${shellArgument(name)}`,
    ),
  ];
}

function linesOfView(view: NetworkView, state: NetworkState, dataDir: string): string[] {
  const { settings, fixedBy, addresses, certificate, authority, announcement, failures } = view;
  const plain = listPlainAddresses(view).filter((address) => !addresses.includes(address));
  const data = dataOption(dataDir);
  const isOpen = addresses.length > 0;
  const lines = [
    openingSentence(view),
    ...labelledLines([
      ['for tills', addresses],
      ['by plain HTTP', plain],
      ['this machine', [view.localAddress]],
      ['names', view.names],
      ['announced', announcement.state === 'on' ? [announcement.name] : []],
      ['console', view.consoleAddresses],
      ['interfaces', interfaceCells(view)],
      ['certificate', certificate === null ? [] : [certificateCell(certificate)]],
      ['authority', authority === null ? [] : authorityCells(authority, true)],
    ]),
  ];
  if (isOpen && settings.allowsPlainHttp) lines.push('', PLAIN_HTTP_WARNING);
  for (const failure of failures) lines.push('', failureSentence(failure));
  if (announcement.state === 'failed') lines.push('', `The name is not announced: ${announcement.detail}`);
  for (const { till, administration, address } of view.tillsAtOldAddress)
    lines.push(
      '',
      `${till} (${administration}) last called ${address}. This machine no longer has that address. Change it in the till.`,
    );
  for (const { till, administration } of view.tillsToTrust)
    lines.push(
      '',
      `${till} (${administration}) does not know the new authority yet. Give it the file of the authority.`,
    );
  if (isOpen) lines.push('', ...nextSteps(state, data), `To test the addresses: ${PROGRAM} lan test${data}`);
  else if (!settings.isOpen && !fixedBy.includes('host')) lines.push('', `To open it: ${PROGRAM} lan on${data}`);
  return lines;
}

/**
 * Says whether tills on other machines can connect. After that come a warning if plain HTTP is allowed, and the addresses that
 * could not be opened.
 */
export function openingLines(view: NetworkView): string[] {
  const plain = view.settings.allowsPlainHttp ? [PLAIN_HTTP_WARNING] : [];
  return [openingSentence(view), ...plain, ...view.failures.map(failureSentence), ''];
}

function openingSentence({ addresses, settings, fixedBy, failures }: NetworkView): string {
  if (addresses.length > 0) return 'The network is open: tills on other machines can connect.';
  if (!settings.isOpen || fixedBy.includes('host'))
    return 'The network is closed: only tills on this machine can connect.';
  const waits = 'The network is set to open, but tills on other machines cannot connect yet';
  return failures.length > 0 ? `${waits}.` : `${waits}: ${addressMissing(settings)}`;
}

/**
 * The next steps for the user. Empty if a till has already called from another machine. If there is only one administration,
 * the printed command contains its name, so the user can copy the command unchanged.
 */
function nextSteps({ keys, administrations }: NetworkState, data: string): string[] {
  if (keys.some(({ lastAddress }) => lastAddress !== null && !isLoopback(hostOfUrl(lastAddress)))) return [];
  const [administration = FIRST_START.administration, ...others] = administrations;
  if (others.length > 0) return [`Next, make a key for each till: ${PROGRAM} keys create${data} --help`];
  const create = keyCommand({ administration, mode: 'test', label: freeLabel(keys) }, data);
  return [`Next, make a test key for a till, then run the printed lines there: ${create}`];
}

/** A complete command that makes a key. `data` is the --data option to show. */
export function keyCommand(
  { administration, mode, label }: Pick<Key, 'administration' | 'mode' | 'label'>,
  data: string,
): string {
  return `${PROGRAM} keys create${data} --administration ${shellArgument(administration)} --mode ${mode} --label ${shellArgument(label)}`;
}

/** Returns the first name that is not used yet in the series "Till 1", "Till 2", and so on. */
export function freeLabel(keys: readonly Pick<Key, 'label'>[]): string {
  const taken = new Set(keys.map(({ label }) => label));
  let number = 1;
  while (taken.has(`Till ${number}`)) number += 1;
  return `Till ${number}`;
}

/** Lists the chosen interfaces, even those that have no address now. If none are chosen, lists the interfaces in use. */
function interfaceCells({ settings, fixedBy, interfaces }: NetworkView): string[] {
  const chosen = fixedBy.includes('host') ? null : settings.interfaces;
  if (chosen === null) {
    const used = interfaces.filter(({ isUsed }) => isUsed);
    const all = fixedBy.includes('host') ? 'all' : ALL_INTERFACES;
    return used.length === 0 ? [] : [all, ...used.map(interfaceCell)];
  }
  return chosen.map((name) => {
    const found = interfaces.find((each) => each.name === name);
    return `only ${interfaceCell(found ?? { name, addresses: [] })}`;
  });
}

function interfaceCell({ name, addresses }: Pick<NetworkInterface, 'name' | 'addresses'>): string {
  return addresses.length === 0 ? `${name} (no address)` : `${name} (${addresses.join(', ')})`;
}

function certificateCell({ source, expiresAt }: NonNullable<NetworkView['certificate']>): string {
  return source === 'own'
    ? `made by this gateway, until ${formatTime(expiresAt)}, renewed automatically`
    : `the shop’s own files, until ${formatTime(expiresAt)}`;
}

function authorityCells({ fingerprint, file, expiresAt }: AuthorityView, isFileWritten: boolean): string[] {
  const place = isFileWritten ? file : `${file} (the gateway writes it at its next start)`;
  return [`SHA-256 ${fingerprint}`, `${place}, until ${formatTime(expiresAt)}`];
}

/** Whether the file of the authority exists. After a restore, it does not exist before the first start. */
const isWritten = ({ file }: AuthorityView): boolean => existsSync(file);

/** The sentence for an address that tills cannot use. `address` is empty if the whole network failed. */
export function failureSentence({ address, detail }: ListenFailure): string {
  return address === '' ? detail : `${address}: ${detail}`;
}

/** The advice if every address works in the test on this machine, but a till still cannot connect. */
export function firewallNote(address: string): string {
  return `This test runs on this machine, so its firewall did not see it and may still block tills. ${firewallSentence(portOfUrl(address))}`;
}
