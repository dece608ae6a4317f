// `counterfoil console`: prints a one-time link into the console of the gateway that runs on a data directory.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory, shownCommand } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { LINK_MS, linkInto, readListening } from '../listening.ts';
import { isOwned } from '../store/data-directory.ts';
import { type CommonOptions, printJson, withCommonOptions, withStore } from './output.ts';

export function bindConsole(program: Command): void {
  withCommonOptions(
    program.command('console').description('print a link that opens the console; it works once, within ten minutes'),
  ).action(printLink);
}

async function printLink(options: CommonOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const code = await withStore(options, (store) => store.people.createLink(Date.now() + LINK_MS));
  const listening = isOwned(dataDir) ? readListening(dataDir) : undefined;
  if (listening?.consoleUrl == null) {
    throw new OperatorError(
      `No gateway is running on ${resolve(dataDir)}: start it with ${shownCommand(options.data, 'serve')}`,
    );
  }
  const link = linkInto(listening.consoleUrl, code);
  const local = linkInto(listening.localConsoleUrl ?? listening.consoleUrl, code);
  if (options.json === true) return printJson({ link, local_link: local });
  const onThisMachine = local === link ? '' : `\n${local} (on this machine only)`;
  const note = local === link ? 'The link works once,' : 'Use one of the two links. It works once,';
  console.log(`${link}${onThisMachine}\n${note} in one browser, within ten minutes.`);
}
