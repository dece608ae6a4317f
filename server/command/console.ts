// `counterfoil console`: a one-time link into the console of the gateway that runs on a data directory.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { LINK_MS, linkInto, readListening } from '../listening.ts';
import { PROGRAM } from '../program.ts';
import { isOwned } from '../store/lock.ts';
import { type CommonOptions, printJson, withCommonOptions, withStore } from './output.ts';

export function bindConsole(program: Command): void {
  withCommonOptions(
    program.command('console').description('print a link into the console; it lets one browser in, within ten minutes'),
  ).action(printLink);
}

async function printLink(options: CommonOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const code = await withStore(options, (store) => store.createLink(Date.now() + LINK_MS));
  const address = isOwned(dataDir) ? readListening(dataDir)?.consoleUrl : undefined;
  if (address == null) {
    throw new OperatorError(`No gateway is running on ${resolve(dataDir)}: start it with ${PROGRAM} serve.`);
  }
  const link = linkInto(address, code);
  if (options.json === true) printJson({ link });
  else console.log(`${link}\nIt lets one browser in, within ten minutes.`);
}
