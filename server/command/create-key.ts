// `counterfoil keys create`: makes a key for a till, or adopts the key that the till already uses. A new key is printed only
// once.

import { existsSync } from 'node:fs';

import { ACTORS, KEY_PREFIXES, type KeyInterface, type Mode } from '../contract/codes.ts';
import type { NetworkView } from '../contract/network.ts';
import { FIRST_START } from '../contract/setup.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import { PROGRAM } from '../program.ts';
import { databasePath } from '../store/data-directory.ts';
import { ADOPTABLE_FORM } from '../store/setup/input-rules.ts';
import { adoptionOf, generateSecret } from '../store/setup/key-secret.ts';
import type { Key, EnsuredKey, NewKey } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import { type GivenKey, readGivenKey } from './given-key.ts';
import { joinSteps } from './join-steps.ts';
import { describeAuthority, keyCommand } from './network-report.ts';
import { readRunningNetwork } from './network-state.ts';
import { type CommonOptions, inert, parseName, printJson, quote, withStore } from './output.ts';

interface CreateOptions extends CommonOptions {
  readonly administration?: string;
  readonly mode?: Mode;
  readonly label?: string;
  readonly interface?: KeyInterface;
  readonly adopt?: string;
  readonly adoptFile?: string;
  readonly ifMissing?: boolean;
}

export async function createKey(options: CreateOptions): Promise<void> {
  const { administration, mode, label } = await parseTill(options);
  const adopted = await readGivenKey('--adopt', options.adopt, options.adoptFile);
  const keyInterface =
    adopted === undefined ? (options.interface ?? 'both') : interfaceOf(adopted, mode, options.interface);
  const secret = adopted?.key ?? generateSecret(mode);
  const newKey = { administration, mode, label, interface: keyInterface, secret, isAdopted: adopted !== undefined };
  const dataDir = dataDirectory(options.data);
  const work = async (store: Store) => {
    const stores = await namesOfStores(store);
    return { stores, made: await createOn(store, newKey, options.ifMissing === true) };
  };
  const { stores, made } = await withStore(options, work, 'mayCreate');
  if (made === undefined) throw new OperatorError('This key already exists here, perhaps revoked. Use another key.');
  if (!made.isNew) return printExisting(made.key, options, dataDir);
  const { key } = made;
  if (stores.length > 0 && !stores.includes(administration))
    console.error(
      `This is a new store. If that was not intended: ${PROGRAM} keys revoke ${key.id}${dataOption(dataDir)}, then use one of: ${inert(quoted(stores))}.`,
    );
  const network = readRunningNetwork(dataDir);
  if (options.json === true)
    return printJson({
      id: key.id,
      administration,
      mode,
      label,
      interface: keyInterface,
      key: secret,
      ...(options.ifMissing === true && { existed: false }),
      ...describeJoining(network),
    });
  const text = `Key ${key.id} for ${label} (${administration}, ${mode}).`;
  if (adopted === undefined) console.log(`${text} It is shown only now:\n${secret}`);
  else if (keyInterface === 'earlier') console.log(`${text} The till keeps using this key, on the earlier interface.`);
  else console.log(`${text} The till keeps using this key.`);
  console.log('');
  const steps = joinSteps(network, { key, mode, secret: adopted === undefined ? secret : null, dataDir });
  for (const line of steps) console.log(line);
}

/**
 * Reads from the options which till gets the key. If options are missing, throws a UsageError that names all missing options
 * and shows a complete command.
 */
async function parseTill(options: CreateOptions): Promise<Pick<NewKey, 'administration' | 'mode' | 'label'>> {
  const { mode } = options;
  const label = options.label === undefined ? undefined : parseName(options.label, '--label');
  const stores = options.administration === undefined ? await listStores(options) : [];
  const [only, ...others] = stores;
  const administration =
    options.administration !== undefined
      ? parseName(options.administration, '--administration')
      : others.length === 0
        ? only
        : undefined;
  if (administration !== undefined && mode !== undefined && label !== undefined) return { administration, mode, label };
  const missing = Object.entries({ administration, mode, label })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `--${name}`);
  const known = others.length > 0 ? ` Existing administrations: ${quoted(stores)}.` : '';
  const example = keyCommand(
    {
      administration: administration ?? only ?? FIRST_START.administration,
      mode: mode ?? 'test',
      label: label ?? 'Till 1',
    },
    dataOption(dataDirectory(options.data)),
  );
  throw new UsageError(inert(`Missing: ${missing.join(', ')}.${known} For example: ${example}`));
}

/** Lists the names of all stores. The list is empty if there is no database yet. */
async function listStores(options: CommonOptions): Promise<string[]> {
  if (!existsSync(databasePath(dataDirectory(options.data)))) return [];
  return withStore(options, namesOfStores);
}

async function namesOfStores({ setup }: Store): Promise<string[]> {
  return (await setup.listAdministrations()).map(({ name }) => name);
}

function quoted(names: readonly string[]): string {
  return names.map(quote).join(', ');
}

/** The data for JSON with which a till connects: the addresses in the order to try, and the authority to trust. */
function describeJoining(network: NetworkView | undefined) {
  return { addresses: network?.addresses ?? [], authority: describeAuthority(network?.authority ?? null) };
}

async function createOn(store: Store, wanted: NewKey, isIfMissing: boolean): Promise<EnsuredKey | undefined> {
  if (isIfMissing) return store.setup.ensureKey(wanted, ACTORS.commandLine);
  const key = await store.setup.createKey(wanted, ACTORS.commandLine);
  return key && { key, isNew: true };
}

function printExisting(key: Key, options: CommonOptions, dataDir: string): void {
  const { id, administration, mode, label, interface: keyInterface } = key;
  const joining = describeJoining(readRunningNetwork(dataDir));
  if (options.json === true)
    return printJson({
      id,
      administration,
      mode,
      label,
      interface: keyInterface,
      key: null,
      existed: true,
      ...joining,
    });
  const secret = key.isAdopted
    ? 'Its secret is the one that the till already used.'
    : 'Its secret was shown only when it was made.';
  console.log(`Key ${id} for ${label} (${administration}, ${mode}) already exists, so no key was made. ${secret}`);
}

/** The interface of an adopted key. Throws a UsageError if the key cannot be adopted. */
function interfaceOf({ key, option }: GivenKey, mode: Mode, wanted: KeyInterface | undefined): KeyInterface {
  const adoption = adoptionOf(key, mode, wanted);
  switch (adoption.kind) {
    case 'adoptable':
      return adoption.interface;
    case 'prefix':
      throw new UsageError(
        `${option} has a key without a prefix, but a test key begins with ${KEY_PREFIXES.test}. For a production key, use --mode production.`,
      );
    case 'interface':
      throw new UsageError(
        `${option} has a key without the prefix ${KEY_PREFIXES.production} or ${KEY_PREFIXES.test}. Only the earlier interface accepts such a key: use --interface earlier.`,
      );
    case 'mode':
      throw new UsageError(`${option} has a ${adoption.actual} key, but --mode is ${mode}.`);
    case 'key':
      throw new UsageError(`${option} must be a key of ${ADOPTABLE_FORM}`);
    default:
      return assertNever(adoption);
  }
}
