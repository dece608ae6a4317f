// `counterfoil lan`: opens and closes the network for tills on other machines. The gateway need not run. With --till, the
// command also makes a test key, and prints the lines to run on the till.

import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

import type { Command } from 'commander';

import { loadConfig } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import { fixingSetting, type NetworkChangeRequest, type NetworkView } from '../contract/network.ts';
import { FIRST_START } from '../contract/setup.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { withoutLabel } from '../network/addresses.ts';
import { missingUserSentence } from '../network/missing-user.ts';
import { firewallSentence, listTestAddresses, portOfUrl, testNetwork } from '../network/outside-test.ts';
import { PROGRAM } from '../program.ts';
import type { Store } from '../store/store.ts';
import { createKey } from './create-key.ts';
import {
  ALL_INTERFACES,
  closedNote,
  describeNetwork,
  failureSentence,
  firewallNote,
  keyCommand,
  networkLines,
  openingLines,
} from './network-report.ts';
import {
  addressMissing,
  assertChangeable,
  awaitSettings,
  type NetworkState,
  readNetworkState,
  WITHOUT_STATE,
} from './network-state.ts';
import { type CommonOptions, inert, parseName, printJson, quote, withCommonOptions, withStore } from './output.ts';

interface OpenOptions extends CommonOptions {
  readonly till?: string;
  readonly administration?: string;
  readonly interface?: readonly string[];
  readonly plainHttp?: boolean;
  readonly console?: boolean;
  readonly announce?: boolean;
}

/** The value of --interface that removes the choice, so that all interfaces are used. */
const ALL = 'all';

export function bindLan(program: Command): void {
  const lan = program.command('lan').description('open the gateway to tills on other machines, and test it');

  withCommonOptions(
    lan
      .command('on')
      .description('open the gateway to other machines; a setting whose option is not given does not change')
      .option('--till <name>', 'also make a test key for this till, and print commands that send a first sale from it')
      .option('--administration <name>', 'the administration of the till; needed if there are several')
      .option(
        '--interface <name...>',
        `listen only on these network interfaces, such as eth0; ${ALL} means ${ALL_INTERFACES}`,
      )
      .option(
        '--plain-http',
        'also accept HTTP from other machines, where anyone in the network can read keys and sales',
      )
      .option('--no-plain-http', 'accept only HTTPS from other machines again')
      .option('--console', 'also open the console to other machines, for users with a password')
      .option('--no-console', 'open the console only on this machine again')
      .option('--announce', 'announce the name of the gateway in the network by mDNS')
      .option('--no-announce', 'announce no name'),
  ).action(open);
  withCommonOptions(
    lan.command('off').description('close the network and the console to other machines; running calls finish'),
  ).action(close);
  withCommonOptions(
    lan.command('status').description('show addresses, names, the certificate and the authority that tills trust'),
  ).action(show);
  withCommonOptions(
    lan
      .command('test')
      .description(
        'connect to each address as a till does, and say what would fail; exits with 1 if a connection fails',
      ),
  ).action(test);
}

async function open(options: OpenOptions): Promise<void> {
  const { plainHttp, console: isConsoleOpen, announce } = options;
  const interfaces = options.interface && parseInterfaces(options.interface);
  const till = options.till === undefined ? undefined : parseName(options.till, '--till');
  if (till === undefined && options.administration !== undefined)
    throw new UsageError('--administration needs --till: it names the administration of the till.');
  const state = await change(options, ({ administrations }) => {
    if (till !== undefined) assertNamed(administrations, options);
    return {
      isOpen: true,
      ...(interfaces !== undefined && { interfaces }),
      ...(plainHttp !== undefined && { allowsPlainHttp: plainHttp }),
      ...(isConsoleOpen !== undefined && { isConsoleOpen }),
      ...(announce !== undefined && { isAnnounced: announce }),
    };
  });
  if (till === undefined) return print(state, options);
  await connectTill(state, till, options);
}

/** Throws a UsageError if the administration of the till is not clear, or does not exist. */
function assertNamed(administrations: readonly string[], { administration: named }: OpenOptions): void {
  const listed = administrations.map(quote).join(', ');
  if (named === undefined && administrations.length > 1)
    throw new UsageError(
      inert(`There are several administrations. Also give --administration, with one of: ${listed}.`),
    );
  if (named !== undefined && administrations.length > 0 && !administrations.includes(named))
    throw new UsageError(
      inert(`The administration ${quote(named)} does not exist. Existing administrations: ${listed}.`),
    );
}

/**
 * Makes a test key and prints the same lines as `keys create`. If there is no address for the till yet, throws before it makes
 * the key.
 */
async function connectTill(state: NetworkState, label: string, options: OpenOptions): Promise<void> {
  const { view, administrations, keys } = state;
  const [address] = view?.addresses ?? [];
  if (view === undefined || address === undefined) {
    print(state, options);
    throw new OperatorError('No key was made, because there is no address for the till yet.');
  }
  if (options.json !== true) for (const line of openingLines(view)) console.log(inert(line));
  const administration = options.administration ?? administrations[0] ?? FIRST_START.administration;
  const till = { administration, mode: 'test', label } as const;
  if (keys.some((key) => key.label === label && key.mode === till.mode && key.administration === administration))
    throw new OperatorError(
      inert(
        `${label} already has a test key, so no key was made. For a second one: ${keyCommand(till, dataOption(dataDirectory(options.data)))}`,
      ),
    );
  const { data, json } = options;
  await createKey({ ...(data !== undefined && { data }), ...(json !== undefined && { json }), ...till });
  if (options.json !== true)
    console.log(`If the till gets no answer, a firewall may block it. ${firewallSentence(portOfUrl(address))}`);
}

async function close(options: CommonOptions): Promise<void> {
  const state = await change(options, (before) => ({
    isOpen: false,
    ...(fixingSetting(before, ['isConsoleOpen']) === undefined && { isConsoleOpen: false }),
  }));
  print(state, options);
}

/** The chosen interfaces. Null means no choice. */
function parseInterfaces(names: readonly string[]): readonly string[] | null {
  if (names.includes(ALL)) return null;
  const own = Object.entries(networkInterfaces())
    .filter(([, addresses = []]) => addresses.some(({ internal }) => !internal))
    .map(([name]) => withoutLabel(name));
  const unknown = names.find((name) => !own.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  const listed = own.length === 0 ? 'It has none with an address.' : `Its interfaces: ${[...new Set(own)].join(', ')}.`;
  throw new UsageError(`This machine has no network interface ${quote(unknown)}. ${listed}`);
}

/**
 * Stores a change of the network settings, and returns the new state. If a gateway runs, waits until the gateway has applied
 * the change.
 */
async function change(
  options: CommonOptions,
  changeOf: (before: NetworkState) => NetworkChangeRequest,
): Promise<NetworkState> {
  const dataDir = dataDirectory(options.data);
  const work = async (store: Store): Promise<NetworkState> => {
    const before = await readNetworkState(store, dataDir);
    const wanted = changeOf(before);
    assertChangeable(before, wanted, dataDir);
    if (wanted.isConsoleOpen === true && before.users.length === 0)
      throw new OperatorError(missingUserSentence(dataDir));
    const settings = await store.network.change(wanted, ACTORS.commandLine);
    if (before.isRunning) await awaitSettings(dataDir, settings);
    return readNetworkState(store, dataDir);
  };
  return withStore(options, work, 'mayCreate');
}

async function show(options: CommonOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  print(await withStore(options, async (store) => readNetworkState(store, dataDir)), options);
}

function print(state: NetworkState, options: CommonOptions): void {
  if (options.json === true) return printJson(describeNetwork(state));
  for (const line of networkLines(state, dataDirectory(options.data))) console.log(line);
}

async function test(options: CommonOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const state = await withStore(options, async (store) => readNetworkState(store, dataDir));
  const { view } = state;
  if (view === undefined)
    throw new OperatorError(
      state.isRunning
        ? `The running gateway ${WITHOUT_STATE}`
        : `No gateway runs here, so there is nothing to test. Start it: ${PROGRAM} serve${dataOption(dataDir)}`,
    );
  const addresses = listTestAddresses(view);
  if (addresses.length === 0 && view.failures.length === 0)
    throw new OperatorError(
      view.settings.isOpen && !view.fixedBy.includes('host')
        ? `There is nothing to test: ${addressMissing(view.settings)}`
        : `There is nothing to test. ${closedNote(view, dataOption(dataDir))}`,
    );
  const results = await testNetwork(addresses, readAuthority(view), { shopFile: readShopFile(view, dataDir) });
  const works = results.find(({ fault }) => fault === null);
  const notices = view.failures.filter(({ kind }) => kind === 'uncertified');
  const failures = view.failures.filter(({ kind }) => kind === 'failed');
  if (works === undefined || failures.length > 0 || results.some(({ fault }) => fault !== null)) process.exitCode = 1;
  if (options.json === true) return printJson({ addresses: results, failures, notices });
  for (const failure of failures) console.log(inert(failureSentence(failure)));
  for (const notice of notices) console.log(inert(`Notice: ${failureSentence(notice)}`));
  for (const { address, fault } of results) console.log(inert(`${address}: ${fault?.detail ?? 'works.'}`));
  if (works !== undefined) console.log(firewallNote(works.address));
}

/** The certificate of the gateway's own authority, which tills must trust. Undefined if the shop has its own certificate. */
function readAuthority({ certificate, authority }: NetworkView): string | undefined {
  if (certificate?.source !== 'own' || authority === null) return undefined;
  try {
    return readFileSync(authority.file, 'utf8');
  } catch (error) {
    throw new OperatorError(
      `The authority in ${authority.file} cannot be read. Restart the gateway, which writes it again.`,
      { cause: error },
    );
  }
}

function readShopFile({ certificate }: NetworkView, dataDir: string): string | undefined {
  if (certificate?.source !== 'files') return undefined;
  const path = loadConfig(dataDir, {}).tls?.certificate;
  try {
    return path && readFileSync(path, 'utf8');
  } catch {
    return undefined; // if the file cannot be read, the test checks whether this machine trusts the certificate
  }
}
