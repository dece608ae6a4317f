// `counterfoil refusals`: lists the newest refused calls, with the reason.

import type { Command } from 'commander';

import { dataDirectory } from '../data-location.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { readTelling } from './health.ts';
import {
  type CommonOptions,
  formatTime,
  printJson,
  printTable,
  wholeNumber,
  withCommonOptions,
  withStore,
} from './output.ts';

interface RefusalsOptions extends CommonOptions {
  readonly limit: number;
}

export function bindRefusals(program: Command): void {
  const command = program
    .command('refusals')
    .description('list calls that were refused in the last thirty days, newest first')
    .option('--limit <number>', 'the maximum number of entries', wholeNumber('--limit'), 50);
  withCommonOptions(command).action(listRefusals);
}

async function listRefusals(options: RefusalsOptions): Promise<void> {
  const { refusals, unwritten } = await withStore(options, async (store) => ({
    refusals: await store.records.listRefusals(options.limit),
    unwritten: (await readTelling(store, dataDirectory(options.data))).gateway,
  }));
  if (options.json === true) {
    return printJson(
      refusals.map(({ at, label, ...refusal }) => ({ ...refusal, at: formatMilliseconds(at), till: label })),
    );
  }
  if (unwritten?.trouble != null && unwritten.unwrittenRefusals > 0)
    console.log(`${unwrittenSentence(unwritten.unwrittenRefusals)}\n`);
  if (refusals.length === 0) return console.log('No refusals.');
  printTable(
    ['time', 'address', 'till', 'method', 'path', 'code', 'detail'],
    refusals.map(({ at, address, label, method, path, code, detail, calls }) => [
      formatTime(at),
      address,
      label ?? '-',
      method || '-', // empty if the connection failed before a call
      shorten(path) || '-',
      code,
      calls === 1 ? detail : `${detail} (${calls} calls up to this one)`,
    ]),
  );
}

function unwrittenSentence(calls: number): string {
  return calls === 1
    ? '1 more call was refused and is not listed yet. It appears once the disk can be written.'
    : `${calls} more calls were refused and are not listed yet. They appear once the disk can be written.`;
}

/** Shortens a long path for the table; --json has the whole path. */
function shorten(path: string): string {
  return path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH - 1)}…`;
}

const MAX_PATH_LENGTH = 60;
