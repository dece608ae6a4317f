// The network in sentences and as JSON, for `lan`, `keys create` and `status`.

import { dataOption } from '../config.ts';
import type { AuthorityView, ListenFailure, NetworkView, TillAtAddress } from '../contract/network.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { firewallSentence, portOfUrl } from '../network/outside-test.ts';
import { PROGRAM } from '../program.ts';
import { fixedSubject, type NetworkState, WITHOUT_STATE } from './network-state.ts';
import { formatTime, inert } from './output.ts';

/** The state for JSON, with its times as text. Without a running gateway it has no addresses and no certificate. */
export function describeNetwork({ settings, fixedBy, isRunning, view, authority }: NetworkState) {
  const { certificate = null } = view ?? {};
  return {
    running: isRunning,
    settings,
    fixedBy,
    addresses: view?.addresses ?? [],
    names: view?.names ?? [],
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

/** The authority for JSON: what a till needs to trust it. */
export function describeAuthority(authority: AuthorityView | null) {
  return (
    authority && {
      fingerprint: authority.fingerprint,
      file: authority.file,
      end: formatMilliseconds(authority.expiresAt),
    }
  );
}

function describeTill({ at, ...till }: TillAtAddress) {
  return { ...till, at: formatMilliseconds(at) };
}

/** The state as lines of text, with the next step at the end. */
export function networkLines(state: NetworkState, dataDir: string): string[] {
  const { view } = state;
  const lines = view === undefined ? linesWithoutView(state, dataDir) : linesOfView(view, dataDir);
  for (const name of state.fixedBy)
    lines.push('', `The setting ${name} decides about ${fixedSubject(name)}, so ${PROGRAM} lan cannot change that.`);
  return lines.map(inert);
}

function linesWithoutView({ settings, isRunning, authority, fixedBy }: NetworkState, dataDir: string): string[] {
  if (isRunning) return [`The running gateway ${WITHOUT_STATE}`];
  const places = settings.interfaces === null ? 'all interfaces' : settings.interfaces.join(', ');
  const lines = ['No gateway runs here. These settings take effect at its next start.'];
  if (!fixedBy.includes('host'))
    lines.push(
      settings.isOpen
        ? `The network is open to tills on other machines, on ${places}.`
        : `The network is closed: only tills on this machine can connect. To open it: ${PROGRAM} lan on${dataOption(dataDir)}`,
    );
  if (settings.isOpen && settings.isConsoleOpen) lines.push('The console is open to other machines too.');
  if (settings.isOpen && settings.allowsPlainHttp) lines.push(PLAIN_HTTP_WARNING);
  if (authority !== null) lines.push(...table([['authority', authorityCells(authority)]]));
  return lines;
}

const PLAIN_HTTP_WARNING =
  'Plain HTTP is allowed: anyone in the network can read the keys and sales of tills that use it.';

function linesOfView(view: NetworkView, dataDir: string): string[] {
  const { settings, addresses, certificate, authority, announcement, failures } = view;
  const data = dataOption(dataDir);
  const isOpen = addresses.length > 0;
  const lines = isOpen
    ? ['The network is open: tills on other machines can connect.']
    : settings.isOpen
      ? ['The network is set to open, but tills on other machines cannot connect yet.']
      : [`The network is closed: only tills on this machine can connect.`];
  lines.push(
    ...table([
      ['for tills', addresses],
      ['this machine', [view.localAddress]],
      ['names', view.names],
      ['announced', announcement.state === 'on' ? [announcement.name] : []],
      ['console', view.consoleAddresses],
      ['interfaces', view.interfaces.filter(({ isUsed }) => isUsed).map(interfaceCell)],
      ['certificate', certificate === null ? [] : [certificateCell(certificate)]],
      ['authority', authority === null ? [] : authorityCells(authority)],
    ]),
  );
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
  if (!settings.isOpen) lines.push('', `To open it: ${PROGRAM} lan on${data}`);
  else if (isOpen)
    lines.push(
      '',
      `Next, make a key for each till: ${PROGRAM} keys create${data} --help`,
      `To test the addresses: ${PROGRAM} lan test${data}`,
    );
  return lines;
}

function interfaceCell({ name, addresses }: NetworkView['interfaces'][number]): string {
  return addresses.length === 0 ? `${name} (no address)` : `${name} (${addresses.join(', ')})`;
}

function certificateCell({ source, expiresAt }: NonNullable<NetworkView['certificate']>): string {
  return source === 'own'
    ? `made by this gateway, until ${formatTime(expiresAt)}, renewed automatically`
    : `the shop’s own files, until ${formatTime(expiresAt)}`;
}

function authorityCells({ fingerprint, file, expiresAt }: AuthorityView): string[] {
  return [`SHA-256 ${fingerprint}`, `${file}, until ${formatTime(expiresAt)}`];
}

/** What to do about an address that tills cannot use. A failure of the whole network has no address. */
export function failureSentence({ address, detail }: ListenFailure): string {
  return address === '' ? detail : `${address}: ${detail}`;
}

/** Rows with a name and several values, one a line. Skips rows without values. */
function table(rows: readonly (readonly [name: string, values: readonly string[]])[]): string[] {
  return rows.flatMap(([name, values]) => values.map((value, at) => `  ${(at === 0 ? name : '').padEnd(14)}${value}`));
}

/** What to do if a till cannot connect, though every address works from here. */
export function firewallNote(address: string): string {
  return `This test runs on this machine, so its firewall did not see it and may still block tills. ${firewallSentence(portOfUrl(address))}`;
}
