// What commands share: the options every command has, a store opened and closed around the work, and the two ways to
// print a result.

import type { Command } from 'commander';

import { dataDirectory, dataOption, platformDirectory } from '../config.ts';
import { UsageError } from '../errors.ts';
import { openStore } from '../store/open-store.ts';
import type { LaneName } from '../store/outbox/ledger.ts';
import { isName, NAME_FORM, tidyName } from '../store/setup/input-rules.ts';
import type { Store } from '../store/store.ts';
import { BUILT_AT } from '../version.ts';

export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

/** Adds --data and --json. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--data <dir>', `the data directory (default: COUNTERFOIL_DATA, or else ${platformDirectory()})`)
    .option('--json', 'print JSON, for programs');
}

/**
 * Runs `work` on the store of a data directory, whether or not a gateway is running there. With `mayCreate` the
 * directory is made when it is not there; else that is an error, because it is most likely a wrong one.
 */
export async function withStore<T>(
  options: CommonOptions,
  work: (store: Store) => Promise<T>,
  mayCreate?: 'mayCreate',
): Promise<T> {
  const mustExist = mayCreate === undefined;
  const store = await openStore({
    dataDir: dataDirectory(options.data),
    role: 'command',
    mustExist,
    builtAt: BUILT_AT,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What a printed command about a lane ends with: the data directory where it is not the usual one, and the lane. */
export function optionsOfLane({ administration, mode, interface: by }: LaneName, { data }: CommonOptions): string {
  const earlier = by === 'earlier' ? ' --interface earlier' : '';
  return `${dataOption(dataDirectory(data))} --administration "${administration}" --mode ${mode}${earlier}`;
}

/** Reads the value of an option that takes a whole number from 1 up. */
export function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new UsageError(`${option} takes a whole number from 1 up, not ${quote(text)}.`);
  };
}

/** What was given, as a message names it. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Prints one line of JSON, names in snake_case as everywhere outside the code. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(toSnakeCase(value)).replace(STEERING, escape);
  process.stdout.write(`${text}\n`);
}

/** The same character, as JSON spells it in ASCII. */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toSnakeCase(member),
    ]),
  );
}

/** Prints rows under headings, in columns as wide as needed; what could steer a terminal is replaced. */
export function printTable(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const lines = [headings, ...rows].map((row) => row.map((cell) => inert(String(cell))));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    process.stdout.write(
      `${line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

/** What could steer a terminal, or have it show the rest of a line in another order. */
const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A text without what could steer a terminal. */
export function inert(text: string): string {
  return text.replace(STEERING, '\ufffd');
}

/** A time as people read it, in UTC; a dash for never. */
export function formatTime(epochMs: number | null): string {
  return epochMs === null ? '-' : `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** A name that was given with an option. Throws a UsageError. */
export function parseName(text: string, option: string): string {
  const name = tidyName(text);
  if (isName(name)) return name;
  throw new UsageError(`${option} ${NAME_FORM}.`);
}
