// What the app itself remembers from one start to the next: a small file beside its own settings. Records are none of its business.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Remembered {
  /** The version before this one, kept so that it can be gone back to. */
  readonly previous?: {
    readonly version: string;
    /** The newest schema of the data that it knows. */
    readonly schema: number;
    /** What it is started from again. */
    readonly path: string;
  };
  /** The version that was gone back from: it is not installed again. */
  readonly refused?: string;
  /** Whether the firewall was talked about. */
  readonly isFirewallAsked?: boolean;
}

export interface Memory {
  get(): Remembered;
  /** Remembers these as well; undefined forgets. */
  set(more: { readonly [Name in keyof Remembered]: Remembered[Name] | undefined }): void;
}

/** A file that cannot be read remembers nothing: what is in it makes life easier, and nothing depends on it. */
export function openMemory(file: string): Memory {
  let remembered: Remembered = read(file);
  return {
    get: () => remembered,
    set(more) {
      remembered = JSON.parse(JSON.stringify({ ...remembered, ...more })) as Remembered;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(remembered), { flush: true });
      renameSync(`${file}.new`, file);
    },
  };
}

function read(file: string): Remembered {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
