// `counterfoil tokens`: makes, lists and removes the tokens with which programs read the console's API.

import type { Command } from 'commander';

import { ACTORS } from '../contract/codes.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import { isReservedName } from '../store/setup/input-rules.ts';
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

type NameOptions = CommonOptions & { name: string };

export function bindTokens(program: Command): void {
  const tokens = program.command('tokens').description('the tokens with which programs read the console’s API');
  withCommonOptions(
    tokens
      .command('create')
      .description('make a token for a program and show it; it cannot be shown again')
      .requiredOption('--name <name>', 'the name of the program'),
  ).action(createToken);
  withCommonOptions(tokens.command('list').description('list the tokens without their secrets')).action(listTokens);
  withCommonOptions(
    tokens
      .command('remove')
      .description('remove a token; its next call is refused')
      .requiredOption('--name <name>', 'the name of the program'),
  ).action(removeToken);
}

async function createToken(options: NameOptions): Promise<void> {
  const name = parseName(options.name, '--name');
  if (isReservedName(name))
    throw new UsageError(`--name cannot be ${quote(name)}, because the log of acts uses it. Choose another name.`);
  const token = await withStore(options, (store) => store.people.addReadToken(name, ACTORS.commandLine));
  if (token === undefined)
    throw new OperatorError(`A token with the name ${quote(name)} already exists. Choose another name.`);
  if (options.json === true) return printJson({ name, token });
  console.log(
    `Token for ${name}. It can read everything that a clerk can read, and change nothing. It is shown only now:\n${token}\n\nSend it in the header Authorization: Bearer TOKEN. To remove it: ${PROGRAM} tokens remove${dataOption(dataDirectory(options.data))} --name ${shellArgument(name)}`,
  );
}

async function listTokens(options: CommonOptions): Promise<void> {
  const tokens = await withStore(options, (store) => store.people.listReadTokens());
  if (options.json === true) {
    return printJson(
      tokens.map(({ name, createdAt, usedAt }) => ({
        name,
        createdAt: formatMilliseconds(createdAt),
        usedAt: usedAt === null ? null : formatMilliseconds(usedAt),
      })),
    );
  }
  if (tokens.length === 0)
    return console.log(
      `No tokens exist yet. Create one: ${PROGRAM} tokens create${dataOption(dataDirectory(options.data))} --name NAME`,
    );
  printTable(
    ['name', 'created', 'last used'],
    tokens.map(({ name, createdAt, usedAt }) => [name, formatTime(createdAt), formatTime(usedAt)]),
  );
}

async function removeToken(options: NameOptions): Promise<void> {
  const name = options.name.trim();
  if (!(await withStore(options, (store) => store.people.removeReadToken(name, ACTORS.commandLine))))
    throw new OperatorError(
      `The token ${quote(name)} does not exist; ${PROGRAM} tokens list${dataOption(dataDirectory(options.data))} shows all of them.`,
    );
  if (options.json === true) return printJson({ removed: name });
  console.log(`The token ${quote(name)} is removed.`);
}
