// What the app itself remembers from one start to the next: a small file beside its own settings.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Remembered {
  /** Where the records were when the gateway last ran. */
  readonly dataDir?: string;
  /** The `--data` of whoever started the app, for the version that takes its place. */
  readonly givenDataDir?: string;
  /** The version before this one, kept so that it can be gone back to. */
  readonly previous?: PreviousProgram;
  /** The version that ran when an update began: the one before, if the newer one starts. */
  readonly pending?: PreviousProgram;
  /** The version that was tried last: it is not tried again by itself. */
  readonly tried?: string;
  /** The version that was gone back from: it is not put in place again. */
  readonly refused?: string;
  /** Whether the firewall was talked about. */
  readonly isFirewallAsked?: boolean;
  /** Whether somebody was told that closing the window leaves the gateway running. */
  readonly isCloseNoticeShown?: boolean;
}

export interface PreviousProgram {
  readonly version: string;
  /** The newest schema of the data that it knows. */
  readonly schema: number;
  /** Where it is kept. */
  readonly path: string;
}

export interface Memory {
  get(): Remembered;
  /** Remembers these as well; undefined forgets. */
  set(more: { readonly [Name in keyof Remembered]?: Remembered[Name] | undefined }): void;
}

/** A file that cannot be read remembers nothing: then there is no version to go back to, and a question is asked once more. */
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

/** What is of the right form: the file may be another version's. */
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
