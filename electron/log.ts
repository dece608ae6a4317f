// The app's own log file, with one line per event, rotated by size. It records updates, keyring events, restarts of the
// gateway and the gateway's last error output. Each line is on disk when the call returns, so that a crash loses none.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The app's log. electron-updater writes to it too. */
export interface AppLog {
  info(message?: unknown): void;
  warn(message?: unknown): void;
  error(message?: unknown): void;
}

/** The file is rotated at this size; one previous file is kept. */
const MAX_BYTES = 1024 * 1024;

/** Writes to `file`; `file.old` is the previous file. Drops a line that cannot be written; never throws. */
export function openLog(file: string, now: () => number, maxBytes = MAX_BYTES): AppLog {
  /** Starts a new file. If the previous file cannot be replaced, the current file stays in use. */
  function moveAside(): void {
    try {
      renameSync(file, `${file}.old`);
    } catch {
      // The old file could not be replaced. The current file grows until a later attempt succeeds.
    }
  }

  function write(level: 'info' | 'warn' | 'error', message: unknown): void {
    try {
      mkdirSync(dirname(file), { recursive: true });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) moveAside();
      const line = `${new Date(now()).toISOString()} ${level} ${oneLine(message)}\n`;
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // The disk may be full or read-only. The line is lost.
    }
  }
  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    error: (message) => write('error', message),
  };
}

/** The message as one line; for an error, with its stack. */
function oneLine(message: unknown): string {
  const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
  return maskKeys(withoutControls(text));
}

/** Replaces each line break with the character |, and each terminal control character with U+FFFD. */
export function withoutControls(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g, ' | ')
    .replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** Masks keys, link codes and passwords in addresses. This is a second safeguard, because callers should never log a key. */
export function maskKeys(text: string): string {
  return text
    .replaceAll(/\b(prod|test)_[\w.~+/=-]{8,}/g, '$1_…')
    .replaceAll(/(\bcode=)[\w-]+/g, '$1…')
    .replaceAll(/\/\/[^\s/@]*@/g, '//…@');
}
