// `counterfoil keys`: makes, lists and revokes the keys of tills.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { type Command, Option } from 'commander';

import { dataDirectory } from '../config.ts';
import { ACTORS, KEY_INTERFACES, KEY_PREFIXES, type KeyInterface, type Mode, MODES } from '../contract.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { formatMilliseconds } from '../instant.ts';
import { PROGRAM } from '../program.ts';
import { databasePath } from '../store/database.ts';
import { isAdoptable } from '../store/form.ts';
import { generateSecret, type Key, modeOfSecret } from '../store/key.ts';
import { type GivenKey, readGivenKey } from './given-key.ts';
import {
  type CommonOptions,
  formatTime,
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
      new Option('--interface <interface>', 'which generation of the interface the key may speak')
        .choices([...KEY_INTERFACES])
        .default('both'),
    )
    .option(
      '--adopt-file <file>',
      'take over the key that the till uses already (prod_… or test_…), instead of making one; - for standard input',
    )
    .option('--adopt <key>', 'the same, where the process list and the shell’s history may show the key');
  withCommonOptions(create).action(createKey);

  withCommonOptions(keys.command('list').description('list the keys; the keys themselves are not kept')).action(
    listKeys,
  );
  withCommonOptions(keys.command('revoke <id>').description('end a key for ever, within a second')).action(revokeKey);
}

interface CreateOptions extends CommonOptions {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface: KeyInterface;
  readonly adopt?: string;
  readonly adoptFile?: string;
}

async function createKey(options: CreateOptions): Promise<void> {
  const { mode, interface: keyInterface } = options;
  const administration = parseName(options.administration, '--administration');
  const label = parseName(options.label, '--label');
  const adopted = await readGivenKey('--adopt', options.adopt, options.adoptFile);
  if (adopted !== undefined) assertAdoptable(adopted, mode);
  const secret = adopted?.key ?? generateSecret(mode);
  const newKey = { administration, mode, label, interface: keyInterface, secret, isAdopted: adopted !== undefined };
  const dataDir = dataDirectory(options.data);
  const isNewStore = !existsSync(databasePath(dataDir));
  const key = await withStore(options, (store) => store.createKey(newKey, ACTORS.commandLine), 'mayCreate');
  if (isNewStore)
    console.error(`A new store was made in ${resolve(dataDir)}; a gateway needs the same data directory.`);
  if (key === undefined)
    throw new OperatorError('This key is known here already. Revoked or not, it cannot be added a second time.');
  if (options.json === true)
    return printJson({ id: key.id, administration, mode, label, interface: keyInterface, key: secret });
  const made = `Key ${key.id} for ${label} (${administration}, ${mode}).`;
  if (adopted === undefined) console.log(`${made} It is shown only now:\n${secret}`);
  else console.log(`${made} The till goes on using what it has.`);
}

/** What a till sends in a header, long enough not to be guessed; the prefix must say the mode it is adopted for. */
function assertAdoptable({ key, option }: GivenKey, mode: Mode): void {
  const actual = modeOfSecret(key);
  if (actual === undefined)
    throw new UsageError(`${option} takes a key that begins with ${KEY_PREFIXES.production} or ${KEY_PREFIXES.test}.`);
  if (actual !== mode) throw new UsageError(`${option} was given a ${actual} key, but --mode says ${mode}.`);
  if (!isAdoptable(key)) {
    throw new UsageError(`${option} takes a key of 13 to 255 characters: letters, digits and . _ ~ + / = -`);
  }
}

async function listKeys(options: CommonOptions): Promise<void> {
  const keys = await withStore(options, (store) => store.listKeys());
  if (options.json === true) return printJson(keys.map(describeKey));
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
  const key = await withStore(options, (store) => store.revokeKey(id, ACTORS.commandLine));
  if (key === undefined) throw new OperatorError(`There is no key ${id}; ${PROGRAM} keys list shows them.`);
  if (options.json === true) return printJson(describeKey(key));
  console.log(`The key of ${key.label} is revoked. What it sent is kept.`);
}
