// Functions that several commands use: common options, access to the store, and printing as a table or as JSON.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Command } from 'commander';

import type { ShownOptions } from '../cause.ts';
import { dataDirectory, dataOption, platformDirectory } from '../data-location.ts';
import { UsageError } from '../errors.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { databasePath } from '../store/data-directory.ts';
import { openStore } from '../store/open-store.ts';
import type { LaneName } from '../store/outbox/ledger.ts';
import { isName, NAME_FORM, tidyName } from '../store/setup/input-rules.ts';
import type { Store, UpdateBackup } from '../store/store.ts';
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
 * Runs `work` on the store of a data directory, with or without a running gateway. With `mayCreate`, makes a missing directory
 * and prints a line about it. Otherwise a missing directory is an error, because the path is probably wrong.
 */
export async function withStore<T>(
  options: CommonOptions,
  work: (store: Store) => Promise<T>,
  mayCreate?: 'mayCreate',
): Promise<T> {
  const dataDir = dataDirectory(options.data);
  const isNew = !existsSync(databasePath(dataDir));
  const store = await openStore({
    dataDir,
    role: 'command',
    mustExist: mayCreate === undefined,
    builtAt: BUILT_AT,
    onUpdateBackup: (backup) => console.error(updateSentence(backup)),
  });
  if (isNew)
    console.error(`A new data directory was created: ${resolve(dataDir)}. Start the gateway with the same one.`);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function updateSentence(backup: UpdateBackup): string {
  return backup.kind === 'made'
    ? `The data were updated to this version. ${backup.path} has them from before.`
    : `The data were updated to this version without a backup: ${String(backup.cause)}`;
}

/** Returns the options of a command that the user may copy. `data` is empty for the default data directory. */
export function shownOptions({ administration, mode, interface: by }: LaneName, { data }: CommonOptions): ShownOptions {
  const earlier = by === 'earlier' ? ' --interface earlier' : '';
  return {
    data: dataOption(dataDirectory(data)),
    lane: ` --administration ${shellArgument(administration)} --mode ${mode}${earlier}`,
  };
}

/** Like `shownOptions`, for a command that accepts all of them. */
export function optionsOfLane(name: LaneName, options: CommonOptions): string {
  const { data, lane } = shownOptions(name, options);
  return `${data}${lane}`;
}

/** Returns a function that parses the value of an option. The value must be a whole number of at least 1. */
export function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new UsageError(`${option} must be a whole number from 1, not ${quote(text)}.`);
  };
}

/** Quotes the user's input for a message. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Prints one line of JSON, with names in snake_case. */
export function printJson(value: unknown): void {
  process.stdout.write(formatJson(value));
}

/** The JSON of a value with names in snake_case and a line break; on several lines with `indent`. */
export function formatJson(value: unknown, indent = 0): string {
  // The line breaks of the layout are no part of a text, so they stay.
  const text = JSON.stringify(toSnakeCase(value), undefined, indent).replace(STEERING, (character) =>
    character === '\n' ? character : escape(character),
  );
  return `${text}\n`;
}

/** The JSON escape of a character. */
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

/** Prints an aligned table; replaces terminal control characters. */
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

/**
 * Returns lines that begin with a name. A row with several values gives one line for each value. A row without values gives no
 * line.
 */
export function labelledLines(rows: readonly (readonly [name: string, values: readonly string[]])[]): string[] {
  return rows.flatMap(([name, values]) => values.map((value, at) => `  ${(at === 0 ? name : '').padEnd(14)}${value}`));
}

/** Characters that control a terminal or reverse the direction of text. */
const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces terminal control characters in a text. */
export function inert(text: string): string {
  return text.replace(STEERING, '\ufffd');
}

/** A readable time in UTC; a dash for null. */
export function formatTime(epochMs: number | null): string {
  return epochMs === null ? '-' : `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** Validates the name in an option. Throws a UsageError. */
export function parseName(text: string, option: string): string {
  const name = tidyName(text);
  if (isName(name)) return name;
  throw new UsageError(`${option} ${NAME_FORM}.`);
}
