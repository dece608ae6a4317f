// `counterfoil keys`: makes, lists and revokes the keys of tills.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { type Command, Option } from 'commander';

import { dataDirectory } from '../config.ts';
import {
  ACTORS,
  KEY_INTERFACES,
  KEY_PREFIXES,
  type KeyInterface,
  type Mode,
  MODES,
  type UnusualForm,
} from '../contract/codes.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { PROGRAM } from '../program.ts';
import { databasePath } from '../store/data-directory.ts';
import type { KeyForm } from '../store/records/ledger.ts';
import { ADOPTABLE_FORM } from '../store/setup/input-rules.ts';
import { adoptionOf, generateSecret } from '../store/setup/key-secret.ts';
import type { Key, MissingKeyResult, NewKey } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import { type GivenKey, readGivenKey } from './given-key.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  parseName,
  printJson,
  printTable,
  quote,
  withCommonOptions,
  withStore,
} from './output.ts';

export function bindKeys(program: Command): void {
  const keys = program.command('keys').description('make, list and revoke the keys of tills');

  const create = keys
    .command('create')
    .description('make a key for a till; it is shown once')
    .requiredOption('--administration <name>', 'whom the records belong to; made when it is new')
    .addOption(new Option('--mode <mode>', 'production or test').choices([...MODES]).makeOptionMandatory())
    .requiredOption('--label <till>', 'the name of the till')
    .addOption(
      new Option(
        '--interface <interface>',
        'which generation of the interface the key may speak (default: both; earlier for an adopted token without prefix)',
      ).choices([...KEY_INTERFACES]),
    )
    .option(
      '--adopt-file <file>',
      'take over the key that the till uses already, instead of making one; without prod_ or test_ it must be a production token of the earlier interface; - for standard input',
    )
    .option('--adopt <key>', 'the same, where the process list and the shell’s history may show the key')
    .option('--if-missing', 'make no key where the till already has one that is not revoked; describe that one');
  withCommonOptions(create).action(createKey);

  withCommonOptions(keys.command('list').description('list the keys; the keys themselves are not kept')).action(
    listKeys,
  );
  withCommonOptions(
    keys.command('revoke <id>').description('revoke a key permanently; takes effect within a second'),
  ).action(revokeKey);
}

interface CreateOptions extends CommonOptions {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface?: KeyInterface;
  readonly adopt?: string;
  readonly adoptFile?: string;
  readonly ifMissing?: boolean;
}

async function createKey(options: CreateOptions): Promise<void> {
  const { mode } = options;
  const administration = parseName(options.administration, '--administration');
  const label = parseName(options.label, '--label');
  const adopted = await readGivenKey('--adopt', options.adopt, options.adoptFile);
  const keyInterface =
    adopted === undefined ? (options.interface ?? 'both') : interfaceOf(adopted, mode, options.interface);
  const secret = adopted?.key ?? generateSecret(mode);
  const newKey = { administration, mode, label, interface: keyInterface, secret, isAdopted: adopted !== undefined };
  const dataDir = dataDirectory(options.data);
  const isNewStore = !existsSync(databasePath(dataDir));
  const made = await withStore(options, (store) => createOn(store, newKey, options.ifMissing === true), 'mayCreate');
  if (isNewStore)
    console.error(`A new store was made in ${resolve(dataDir)}; a gateway needs the same data directory.`);
  if (made === undefined)
    throw new OperatorError('This key is known here already. Revoked or not, it cannot be added a second time.');
  if (made.existed) return printExisting(made.key, options);
  const { key } = made;
  if (options.json === true)
    return printJson({
      id: key.id,
      administration,
      mode,
      label,
      interface: keyInterface,
      key: secret,
      ...(options.ifMissing === true && { existed: false }),
    });
  const text = `Key ${key.id} for ${label} (${administration}, ${mode}).`;
  if (adopted === undefined) console.log(`${text} It is shown only now:\n${secret}`);
  else if (keyInterface === 'earlier')
    console.log(`${text} The till goes on using what it has, on the earlier interface.`);
  else console.log(`${text} The till goes on using what it has.`);
}

async function createOn(store: Store, wanted: NewKey, isIfMissing: boolean): Promise<MissingKeyResult | undefined> {
  if (isIfMissing) return store.setup.createMissingKey(wanted, ACTORS.commandLine);
  const key = await store.setup.createKey(wanted, ACTORS.commandLine);
  return key && { key, existed: false };
}

function printExisting(key: Key, options: CommonOptions): void {
  const { id, administration, mode, label, interface: keyInterface } = key;
  if (options.json === true)
    return printJson({ id, administration, mode, label, interface: keyInterface, key: null, existed: true });
  const secret = key.isAdopted
    ? 'Its secret is the one that the till already used.'
    : 'Its secret was shown only when it was made.';
  console.log(`Key ${id} for ${label} (${administration}, ${mode}) already exists; none was made. ${secret}`);
}

/** What an adopted key may speak. Throws a UsageError for one that cannot be adopted. */
function interfaceOf({ key, option }: GivenKey, mode: Mode, wanted: KeyInterface | undefined): KeyInterface {
  const adoption = adoptionOf(key, mode, wanted);
  switch (adoption.kind) {
    case 'adoptable':
      return adoption.interface;
    case 'prefix':
      throw new UsageError(
        `${option} was given a token without a prefix; a test key begins with ${KEY_PREFIXES.test}. Use --mode production if it is one of production.`,
      );
    case 'interface':
      throw new UsageError(
        `${option} was given a token without ${KEY_PREFIXES.production} or ${KEY_PREFIXES.test} at its beginning, which only the earlier interface takes: use --interface earlier.`,
      );
    case 'mode':
      throw new UsageError(`${option} was given a ${adoption.actual} key, but --mode says ${mode}.`);
    case 'key':
      throw new UsageError(`${option} takes a key of ${ADOPTABLE_FORM}`);
    default:
      return assertNever(adoption);
  }
}

async function listKeys(options: CommonOptions): Promise<void> {
  const { keys, forms } = await withStore(options, async (store) => ({
    keys: await store.setup.listKeys(),
    forms: await store.records.listUnusualForms(),
  }));
  const formsOf = (key: Key): KeyForm[] => forms.filter(({ keyId }) => keyId === key.id);
  if (options.json === true)
    return printJson(keys.map((key) => ({ ...describeKey(key), unusualForms: formsOf(key).map(describeForm) })));
  if (keys.length === 0) return console.log(`There are no keys yet: ${PROGRAM} keys create makes one.`);
  printTable(
    ['id', 'administration', 'mode', 'till', 'interface', 'created', 'last used', 'revoked'],
    keys.map((key) => [
      key.id,
      key.administration,
      key.mode,
      key.label,
      key.interface,
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
      formatTime(key.revokedAt),
    ]),
  );
  for (const key of keys) printForms(key, formsOf(key));
}

function printForms({ id, label }: Key, forms: readonly KeyForm[]): void {
  if (forms.length === 0) return;
  console.log(inert(`${label} (key ${id}) sends unusual forms. They are accepted here; the upstream may be stricter:`));
  for (const { form, calls, lastAt, example } of forms) {
    const times = calls === 1 ? '1 time' : `${calls} times`;
    console.log(inert(`  ${FORM_NAMES[form]}, ${times}, last ${formatTime(lastAt)}, such as ${example}`));
  }
}

const FORM_NAMES: Readonly<Record<UnusualForm, string>> = {
  timestamp_fraction: 'timestamp with a fraction',
  timestamp_offset: 'timestamp with an offset',
  long_id: 'id of more than 255 characters',
  content_type: 'Content-Type other than application/json in utf-8',
  content_encoding: 'Content-Encoding header',
  byte_order_mark: 'byte order mark before the body',
  get_body: 'body of a GET',
  query_bound: 'bound of a query with a fraction or an offset',
  query_empty: 'empty parameter of a query',
  query_unknown: 'unknown parameter of a query, ignored',
};

/** A form as JSON shows it, its times as text. */
function describeForm({ keyId: _, firstAt, lastAt, ...form }: KeyForm) {
  return { ...form, firstAt: formatMilliseconds(firstAt), lastAt: formatMilliseconds(lastAt) };
}

/** A key as JSON shows it, its times as text. */
function describeKey({ journalId: _, tillId: __, createdAt, lastUsedAt, expiresAt, revokedAt, ...key }: Key) {
  const text = (at: number | null): string | null => (at === null ? null : formatMilliseconds(at));
  return {
    ...key,
    createdAt: text(createdAt),
    lastUsedAt: text(lastUsedAt),
    expiresAt: text(expiresAt),
    revokedAt: text(revokedAt),
  };
}

async function revokeKey(text: string, options: CommonOptions): Promise<void> {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new UsageError(`${quote(text)} is not a key id; ${PROGRAM} keys list shows them.`);
  const { before, key } = await withStore(options, async (store) => ({
    before: (await store.setup.listKeys()).find((each) => each.id === id),
    key: await store.setup.revokeKey(id, ACTORS.commandLine),
  }));
  if (key === undefined) throw new OperatorError(`There is no key ${id}; ${PROGRAM} keys list shows them.`);
  const revokedAt = before?.revokedAt ?? null;
  if (options.json === true) return printJson({ ...describeKey(key), alreadyRevoked: revokedAt !== null });
  if (revokedAt !== null)
    return console.log(`The key of ${key.label} was already revoked at ${formatTime(revokedAt)}.`);
  console.log(`The key of ${key.label} is revoked. What it sent is kept.`);
}
