// `counterfoil keys`: makes, lists and revokes the keys of tills.

import { type Command, Option } from 'commander';

import { ACTORS, KEY_INTERFACES, MODES, type UnusualForm } from '../contract/codes.ts';
import { shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import type { KeyForm } from '../store/records/ledger.ts';
import type { Key } from '../store/setup/ledger.ts';
import { createKey } from './create-key.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
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
    .description('make a key for a till and show it; it cannot be shown again')
    .option(
      '--administration <name>',
      'the account that the records belong to, created if it does not exist (default: the only one)',
    )
    // The option is not marked as required, because commander would then name only the first missing option. `createKey` names
    // all missing options together.
    .addOption(new Option('--mode <mode>', 'production or test; required').choices([...MODES]))
    .option('--label <till>', 'the name of the till; required')
    .addOption(
      new Option(
        '--interface <interface>',
        'the interface that the key is valid for (default: both; earlier for an adopted token without prefix)',
      ).choices([...KEY_INTERFACES]),
    )
    .option(
      '--adopt-file <file>',
      'make no new key, but adopt the one in this file (- for standard input), which the till already uses; a key without prod_ or test_ must be a production token of the earlier interface',
    )
    .option('--adopt <key>', 'adopt this key; the process list and the shell’s history may show it')
    .option('--if-missing', 'if the till already has a valid key, make no new key and print the number of the old one');
  withCommonOptions(create).action(createKey);

  withCommonOptions(
    keys.command('list').description('list the keys without their secrets, which are not stored'),
  ).action(listKeys);
  withCommonOptions(
    keys.command('revoke <id>').description('revoke a key permanently; takes effect within a second'),
  ).action(revokeKey);
}

async function listKeys(options: CommonOptions): Promise<void> {
  const { keys, forms } = await withStore(options, async (store) => ({
    keys: await store.setup.listKeys(),
    forms: await store.records.listUnusualForms(),
  }));
  const formsOf = (key: Key): KeyForm[] => forms.filter(({ keyId }) => keyId === key.id);
  if (options.json === true)
    return printJson(keys.map((key) => ({ ...describeKey(key), unusualForms: formsOf(key).map(describeForm) })));
  if (keys.length === 0)
    return console.log(`No keys exist yet. Create one: ${shownCommand(options.data, 'keys create')}`);
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
  console.log(
    inert(`${label} (key ${id}) sends unusual forms. They are accepted here, but an upstream may reject them:`),
  );
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

/** Converts an entry about an unusual form for JSON output: the times become texts. */
function describeForm({ keyId: _, firstAt, lastAt, ...form }: KeyForm) {
  return { ...form, firstAt: formatMilliseconds(firstAt), lastAt: formatMilliseconds(lastAt) };
}

/** Converts a key for JSON output: the times become texts. */
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
    throw new UsageError(`${quote(text)} is not a key id; ${shownCommand(options.data, 'keys list')} shows them.`);
  const { before, key } = await withStore(options, async (store) => ({
    before: (await store.setup.listKeys()).find((each) => each.id === id),
    key: await store.setup.revokeKey(id, ACTORS.commandLine),
  }));
  if (key === undefined)
    throw new OperatorError(`Key ${id} does not exist; ${shownCommand(options.data, 'keys list')} shows them.`);
  const revokedAt = before?.revokedAt ?? null;
  if (options.json === true) return printJson({ ...describeKey(key), alreadyRevoked: revokedAt !== null });
  if (revokedAt !== null)
    return console.log(`The key of ${key.label} was already revoked at ${formatTime(revokedAt)}.`);
  console.log(`The key of ${key.label} is revoked. What it sent is kept.`);
}
