// The table of commands: each with its arguments and options. The command line, `completion` and the man page read it.

import { Command, Help } from 'commander';

import { VERSION } from '../version.ts';
import { bindAdministrations } from './administrations.ts';
import { bindAlerts } from './alerts.ts';
import { bindAmounts } from './amounts.ts';
import { bindApply } from './apply.ts';
import { bindArchive } from './archive.ts';
import { bindBackup } from './backup.ts';
import { bindCertify } from './certify.ts';
import { bindCheck } from './check.ts';
import { bindCompletion } from './completion.ts';
import { bindConfig } from './config.ts';
import { bindConsole } from './console.ts';
import { bindDays } from './days.ts';
import { bindDoctor } from './doctor.ts';
import { bindKeys } from './keys.ts';
import { bindLan } from './lan.ts';
import { bindRecords } from './records.ts';
import { bindRefusals } from './refusals.ts';
import { bindRestore } from './restore.ts';
import { bindSalvage } from './salvage.ts';
import { bindServe } from './serve.ts';
import { bindSettings } from './settings.ts';
import { bindStatus } from './status.ts';
import { bindSupportBundle } from './support-bundle.ts';
import { bindTodo } from './todo.ts';
import { bindTokens } from './tokens.ts';
import { bindUpstream } from './upstream.ts';
import { bindUsers } from './users.ts';

/** The meaning of each exit code. */
export const EXIT_CODES = '0 done, 1 failed, 2 wrong usage, 3 a store day differs';

/** Builds the command line. If commander has already printed a fault itself, `parseAsync` throws a CommanderError. */
export function makeCommandTable(): Command {
  const plainHelp = new Help();
  const program = new Command('counterfoil')
    .version(VERSION, '-V, --version', 'print the version')
    .configureHelp({
      optionDescription: (option) => plainHelp.optionDescription(option) + (option.mandatory ? ' (required)' : ''),
    })
    .description('Keeps every sale of a store, forwards it, and says whether the day is complete.')
    .addHelpText('afterAll', `\nExit codes: ${EXIT_CODES}.`)
    .exitOverride()
    .showHelpAfterError('Add --help for the options.');
  bindServe(program);
  bindConsole(program);
  bindKeys(program);
  bindAdministrations(program);
  bindAmounts(program);
  bindUpstream(program);
  bindUsers(program);
  bindTokens(program);
  bindLan(program);
  bindCertify(program);
  bindApply(program);
  bindStatus(program);
  bindTodo(program);
  bindDoctor(program);
  bindSupportBundle(program);
  bindAlerts(program);
  bindRecords(program);
  bindRefusals(program);
  bindDays(program);
  bindArchive(program);
  bindBackup(program);
  bindCheck(program);
  bindRestore(program);
  bindSalvage(program);
  bindSettings(program);
  bindConfig(program);
  bindCompletion(program);
  return program;
}
