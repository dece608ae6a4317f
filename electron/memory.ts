// What the app remembers between two starts, in a small file.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Remembered {
  /** The data folder at the gateway's last start. */
  readonly dataDir?: string;
  /** The value of `--data` on the app's command line. An update starts the next version with the same value. */
  readonly givenDataDir?: string;
  /** The stored previous version, to go back to. */
  readonly previous?: PreviousProgram;
  /** The version that ran when an update began. It becomes the previous version if the newer version starts. */
  readonly pending?: PreviousProgram;
  /** The version that the app last tried to install. It is not tried again automatically. */
  readonly tried?: string;
  /** The version that the user went back from. It is not installed again. */
  readonly refused?: string;
  /** Whether the user has answered the firewall question. */
  readonly isFirewallAsked?: boolean;
  /** Whether the user knows that closing the window leaves the gateway running. */
  readonly isCloseNoticeShown?: boolean;
}

export interface PreviousProgram {
  readonly version: string;
  /** The newest schema version of the data that this program knows. */
  readonly schema: number;
  /** The path of the stored program. */
  readonly path: string;
}

export interface Memory {
  get(): Remembered;
  /** Adds these values to the stored ones, or replaces them. A value of undefined is deleted. */
  set(more: { readonly [Name in keyof Remembered]?: Remembered[Name] | undefined }): void;
}

/** Opens the file. If it is unreadable, it counts as empty: then no previous version is known, and the user is asked again. */
export function openMemory(file: string): Memory {
  let remembered = read(file);
  return {
    get: () => remembered,
    set(more) {
      remembered = pick({ ...remembered, ...more });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(remembered), { flush: true });
      renameSync(`${file}.new`, file);
    },
  };
}

function read(file: string): Remembered {
  try {
    return pick(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** Keeps only valid values, because another version of the app may have written the file. */
function pick(value: unknown): Remembered {
  const { dataDir, givenDataDir, tried, refused, isFirewallAsked, isCloseNoticeShown, ...programs } = membersOf(value);
  const [previous, pending] = [pickProgram(programs['previous']), pickProgram(programs['pending'])];
  return {
    ...(typeof dataDir === 'string' && { dataDir }),
    ...(typeof givenDataDir === 'string' && { givenDataDir }),
    ...(previous !== undefined && { previous }),
    ...(pending !== undefined && { pending }),
    ...(typeof tried === 'string' && { tried }),
    ...(typeof refused === 'string' && { refused }),
    ...(isFirewallAsked === true && { isFirewallAsked }),
    ...(isCloseNoticeShown === true && { isCloseNoticeShown }),
  };
}

function pickProgram(value: unknown): PreviousProgram | undefined {
  const { version, schema, path } = membersOf(value);
  const isWhole = typeof version === 'string' && typeof schema === 'number' && typeof path === 'string';
  return isWhole ? { version, schema, path } : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
