// Diagnostics for support, as one text that a person can read before sending. It has versions, settings without secrets, the
// last logs, the gateway's `status`, and a summary of `check`. It contains no key and no body of a sale.

import { open } from 'node:fs/promises';

import { maskKeys, withoutControls } from './log.ts';

export interface DiagnosticsParts {
  /** Versions of the app and its platform, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** The gateway's state, in a few words. */
  readonly gateway: string;
  /** Runs a command on the gateway's data; resolves with the JSON that it prints. */
  readonly ask: (args: readonly string[]) => Promise<string>;
  /** The paths of the log files. Each key is the heading for the last lines of its file. */
  readonly logs: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Maximum bytes that are read from the end of each log file. */
const MAX_LOG_BYTES = 128 * 1024;

/** Resolves to the text, section by section. A section that cannot be read contains the reason instead. */
export async function gatherDiagnostics({ versions, gateway, ask, logs, now }: DiagnosticsParts): Promise<string> {
  const ofCommand = (name: string): Promise<string> => textOf(ask([name]));
  const sections: readonly (readonly [heading: string, text: string])[] = [
    ['Versions', listOf(versions)],
    ['Gateway', withoutControls(gateway)],
    ['Settings', await ofCommand('settings')],
    ['Status', await ofCommand('status')],
    ['Check', await ofCommand('check')],
    ...(await Promise.all(
      Object.entries(logs).map(async ([heading, file]) => [heading, await textOf(readEnd(file))] as const),
    )),
  ];
  const title = `Counterfoil diagnostics, ${new Date(now()).toISOString()}`;
  return [title, ...sections.map(([heading, text]) => `== ${heading} ==\n${maskKeys(text)}`)].join('\n\n') + '\n';
}

function listOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function textOf(text: Promise<string>): Promise<string> {
  return text.catch((error: unknown) => `Not available: ${error instanceof Error ? error.message : String(error)}`);
}

/** The last whole lines of a file. */
async function readEnd(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_LOG_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}
