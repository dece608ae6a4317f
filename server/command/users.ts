// `counterfoil users`: adds, lists, changes and removes the users who sign in to the console with a password.

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { type Command, Option } from 'commander';

import { ACTORS, type Role, ROLES } from '../contract/codes.ts';
import { dataDirectory, dataOption, shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { digestPassword, MIN_PASSWORD_CHARACTERS, findPasswordFault } from '../lib/password.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import type { UserChange } from '../store/people/ledger.ts';
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
import { makePasswordLink } from './password-link.ts';

const FORCE = 'do this even to the last manager; after that, managers can sign in only by a link';

export function bindUsers(program: Command): void {
  const users = program.command('users').description('who may sign in to the console with a name and a password');

  const add = users
    .command('add')
    .description(
      `add a user; the password, of ${MIN_PASSWORD_CHARACTERS} characters or more, is read from standard input`,
    )
    .requiredOption('--name <name>', 'the name for signing in and for the log of acts')
    .addOption(
      new Option(
        '--role <role>',
        'a clerk views, exports, checks days and signs them off; a manager also changes keys, lanes and settings',
      )
        .choices([...ROLES])
        .makeOptionMandatory(),
    );
  withCommonOptions(add).action(addUser);
  withCommonOptions(users.command('list').description('list the users')).action(listUsers);
  withCommonOptions(
    users
      .command('remove')
      .description('remove a user, and sign the user out within a second')
      .requiredOption('--name <name>', 'the name of the user')
      .option('--force', FORCE),
  ).action(removeUser);
  withCommonOptions(
    users
      .command('role')
      .description('change the role of a user, and sign the user out within a second')
      .requiredOption('--name <name>', 'the name of the user')
      .addOption(new Option('--role <role>', 'the new role').choices([...ROLES]).makeOptionMandatory())
      .option('--force', FORCE),
  ).action(changeRole);
  withCommonOptions(
    users
      .command('reset')
      .description('replace a forgotten password with one from standard input, and sign the user out within a second')
      .requiredOption('--name <name>', 'the name of the user'),
  ).action(resetPassword);
  withCommonOptions(
    users
      .command('link')
      .description(
        'print a link with which a user chooses a password; ends the earlier password, and needs a running gateway',
      )
      .requiredOption('--name <name>', 'the name of the user'),
  ).action(printLink);
}

async function addUser(options: CommonOptions & { name: string; role: Role }): Promise<void> {
  const name = parseName(options.name, '--name');
  if (isReservedName(name))
    throw new UsageError(`--name cannot be ${quote(name)}, because the log of acts uses it. Choose another name.`);
  const password = await readPassword();
  const { role } = options;
  const user = { name, role, createdAt: Date.now(), password: await digestPassword(password) };
  const isAdded = await withStore(options, (store) => store.people.add(user, ACTORS.commandLine), 'mayCreate');
  if (!isAdded)
    throw new OperatorError(
      `The user ${name} already exists. Choose another name, or replace the password: ${shownCommand(options.data, `users reset --name ${shellArgument(name)}`)}`,
    );
  if (options.json === true) return printJson({ name, role });
  console.log(`${name} may sign in, as a ${role}.`);
}

/** Reads the first line of standard input. At a terminal, the typed text is not shown. */
async function readPassword(): Promise<string> {
  const { stdin: input } = process;
  if (input.isTTY) process.stderr.write('Password: ');
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: input.isTTY });
  let password = '';
  for await (const line of lines) {
    password = line;
    break;
  }
  lines.close();
  if (input.isTTY) process.stderr.write('\n');
  const fault = findPasswordFault(password);
  if (fault === undefined) return password;
  throw new UsageError(`The password on standard input ${fault}.`);
}

async function listUsers(options: CommonOptions): Promise<void> {
  const users = await withStore(options, (store) => store.people.list());
  if (options.json === true) {
    return printJson(users.map((user) => ({ ...user, createdAt: formatMilliseconds(user.createdAt) })));
  }
  if (users.length === 0) {
    const link = `${PROGRAM} console${dataOption(dataDirectory(options.data))}`;
    return console.log(`No users exist. To sign in on this machine: ${link}`);
  }
  printTable(
    ['name', 'role', 'since', 'password'],
    users.map(({ name, role, createdAt, hasPassword }) => [
      name,
      role,
      formatTime(createdAt),
      hasPassword ? 'set' : 'not set yet',
    ]),
  );
}

async function removeUser(options: CommonOptions & { name: string; force?: true }): Promise<void> {
  const name = options.name.trim();
  assertChanged(
    await withStore(options, (store) => store.people.remove(name, ACTORS.commandLine, options.force)),
    name,
    options,
  );
  if (options.json === true) return printJson({ removed: name });
  console.log(`${name} is removed, and signed out within a second.`);
}

async function changeRole(options: CommonOptions & { name: string; role: Role; force?: true }): Promise<void> {
  const { role, force } = options;
  const name = options.name.trim();
  assertChanged(
    await withStore(options, (store) => store.people.changeRole({ name, role }, ACTORS.commandLine, force)),
    name,
    options,
  );
  if (options.json === true) return printJson({ name, role });
  console.log(`${name} is a ${role} now, and signed out within a second.`);
}

async function resetPassword(options: CommonOptions & { name: string }): Promise<void> {
  const name = options.name.trim();
  if ((await withStore(options, (store) => store.people.find(name))) === undefined) throw unknownUser(name, options);
  const password = await digestPassword(await readPassword());
  const user = await withStore(options, (store) => store.people.resetPassword({ name, password }, ACTORS.commandLine));
  if (user === undefined) throw unknownUser(name, options);
  if (options.json === true) return printJson({ reset: user.name });
  console.log(`${user.name} has a new password, and is signed out within a second.`);
}

async function printLink(options: CommonOptions & { name: string }): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const link = await withStore(options, async (store) => {
    const user = await store.people.find(options.name);
    if (user === undefined) throw unknownUser(options.name.trim(), options);
    return makePasswordLink(store, dataDir, user.name);
  });
  if (link === undefined)
    throw new OperatorError(
      `No gateway answers on ${resolve(dataDir)}: start it with ${shownCommand(options.data, 'serve')}`,
    );
  if (options.json === true) return printJson({ link });
  console.log(`${link}\nThe link works once, within 24 hours, until the gateway restarts.`);
}

function assertChanged(result: UserChange, name: string, options: CommonOptions): void {
  if (result === 'unknown') throw unknownUser(name, options);
  if (result === 'changed') return;
  throw new OperatorError(
    `${name} cannot be removed or demoted: no other manager has a password. First give the role of manager to another user with a password (${shownCommand(options.data, 'users role --name NAME --role manager')}), or add --force.`,
  );
}

function unknownUser(name: string, { data }: CommonOptions): OperatorError {
  return new OperatorError(`The user ${quote(name)} does not exist; ${shownCommand(data, 'users list')} shows them.`);
}
