// The app's own log: one line an event, in a file of the app's folder, rotated by size. It holds updates, keyring events,
// restarts of the gateway and its last words. A line is on disk when the call returns, so that a crash loses none.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Also electron-updater's logger. */
export interface AppLog {
  info(message?: unknown): void;
  warn(message?: unknown): void;
  error(message?: unknown): void;
}

/** The file moves aside at this size; one former file is kept. */
const MAX_BYTES = 1024 * 1024;

/** Writes to `file`; `file.old` is the one before. A line that cannot be written is dropped; the call never throws. */
export function openLog(file: string, now: () => number, maxBytes = MAX_BYTES): AppLog {
  /** Keeps writing to the same file where the former one cannot be replaced. */
  function moveAside(): void {
    try {
      renameSync(file, `${file}.old`);
    } catch {
      // It grows until it can be moved.
    }
  }

  function write(level: 'info' | 'warn' | 'error', message: unknown): void {
    try {
      mkdirSync(dirname(file), { recursive: true });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) moveAside();
      const line = `${new Date(now()).toISOString()} ${level} ${oneLine(message)}\n`;
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // The disk may be full or read-only.
    }
  }
  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    error: (message) => write('error', message),
  };
}

/** An error keeps its stack, on the same line. */
function oneLine(message: unknown): string {
  const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
  return maskKeys(withoutControls(text));
}

/** Line breaks of every kind become bars; nothing that steers a terminal stays. */
export function withoutControls(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g, ' | ')
    .replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** Replaces what looks like a key, a link's code or a password in an address. No key should get here; this is the second lock. */
export function maskKeys(text: string): string {
  return text
    .replaceAll(/\b(prod|test)_[\w.~+/=-]{8,}/g, '$1_…')
    .replaceAll(/(\bcode=)[\w-]+/g, '$1…')
    .replaceAll(/\/\/[^\s/@]*@/g, '//…@');
}
