// `counterfoil support-bundle`: packs what a supporter needs into one file, also if the data cannot be opened. No file in it has a
// secret, the content of a sale or the id of a sale.

import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { arch, cpus, freemem, platform, release, tmpdir, totalmem, uptime, version } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Command } from 'commander';

import { dataDirectory, LOG_FILE, LOG_FOLDER } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { withoutKey } from '../forward/echo.ts';
import { machineZone } from '../lib/calendar.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import type { Store } from '../store/store.ts';
import { BUILT_AT, VERSION } from '../version.ts';
import { readSettingFaults } from './config.ts';
import { diagnose } from './diagnosis.ts';
import { describeDiagnosis } from './doctor.ts';
import { type CommonOptions, formatJson, printJson, withCommonOptions, withStore } from './output.ts';
import { describeStatus, readStatus } from './status.ts';

/** The folder in the bundle, so that unpacking makes one folder. */
const FOLDER = 'counterfoil-support';
/** Maximum bytes of the log in the bundle: its end. */
const MAX_LOG_BYTES = 1_000_000;

const README = `This bundle describes a Counterfoil gateway for the people who support it.

It has: the versions and facts about the machine (about.json), the findings of "doctor" and "status", the
settings with masked passwords, the tables of the database with their number of rows (tables.json,
schema.sql), and the end of the log (log.jsonl). The settings do not include the flags of a running gateway:
status.json has the addresses that it uses.

It has no keys, no passwords, no content of sales and no ids of sales. It does have the names of
administrations, tills and users, network addresses, and paths of files. Read the files before you send them.
`;

export function bindSupportBundle(program: Command): void {
  withCommonOptions(
    program
      .command('support-bundle')
      .description('pack versions, findings, settings and the end of the log into one file, without secrets or sales')
      .argument('<file>', 'the new file, such as support.tar.gz'),
  ).action(writeBundle);
}

async function writeBundle(path: string, options: CommonOptions): Promise<void> {
  const file = resolve(path);
  const dataDir = dataDirectory(options.data);
  const contents = await collect(dataDir);
  await pack(file, contents);
  const { size } = statSync(file);
  if (options.json === true) return printJson({ file, bytes: size, contents: [...contents.keys()] });
  console.log(`${file} has ${[...contents.keys()].join(', ')} (${size} bytes).
It has no keys, no passwords, and nothing from the sales. It has the names of stores, tills and users, and network addresses.
Read it before you send it.`);
}

/** Makes the files of the bundle, by name. */
async function collect(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const diagnosis = await diagnose(dataDir, Date.now());
  const stored = await orFault(() => withStore({ data: dataDir }, (store) => readStored(store, dataDir)));
  const { secrets, tables, status } = 'fault' in stored ? { ...NOTHING_STORED, status: stored } : stored;
  const json = (value: unknown): string => formatJson(value, 2);
  const files = new Map([
    ['README.txt', README],
    ['about.json', json(describeProgram(dataDir))],
    ['doctor.json', json(describeDiagnosis(diagnosis))],
    ['status.json', json(status)],
    ['settings.json', json(await describeSettings(dataDir))],
    ['tables.json', json(tables.rows)],
    ['schema.sql', tables.schema],
    ['log.jsonl', await readLogTail(join(dataDir, LOG_FOLDER, LOG_FILE))],
  ]);
  return new Map([...files].map(([name, text]) => [name, withoutSecrets(text, secrets)]));
}

const NOTHING_STORED = { secrets: [], tables: { schema: '', rows: [] } };

async function readStored(store: Store, dataDir: string) {
  return {
    secrets: await listSecrets(store),
    tables: await store.health.describeTables(),
    status: describeStatus(await readStatus(store, dataDir), { data: dataDir }),
  };
}

/** The secrets that the database holds and this process can read. */
async function listSecrets(store: Store): Promise<string[]> {
  const mail = await store.alerts.mail();
  const destinations = (await store.alerts.list()).map(({ destination }) => destination);
  return [
    ...store.outbox.lanes().map(({ upstream }) => upstream?.token),
    mail?.password,
    ...destinations.flatMap((each) => Object.values(each ?? {})),
  ].filter((text) => typeof text === 'string');
}

/** Shorter texts, such as the word "email", are no secrets. To remove them would make the bundle unreadable. */
const MIN_SECRET_LENGTH = 8;
/** A key of a till or an upstream. Of a till's key, the database has only the digest. */
const KEY = /\b(prod|test)_[A-Za-z0-9_-]{8,}/g;
/** The name and the password in an address. */
const CREDENTIALS = /(?<=\/\/)[^\s/@"]+(?=@)/g;

/**
 * Removes secrets from a text. The parts of the bundle should have none. This is a second safeguard, above all for the log,
 * which may quote errors of other programs.
 */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH);
  // Each line alone, because the masking ignores spaces and line breaks inside a secret.
  const lines = text.split('\n').map((line) => known.reduce(withoutKey, line));
  return lines.join('\n').replace(KEY, '$1_…').replace(CREDENTIALS, '…');
}

function describeProgram(dataDir: string) {
  return {
    madeAt: formatMilliseconds(Date.now()),
    program: { version: VERSION, builtAt: formatMilliseconds(BUILT_AT), node: process.versions.node },
    electron: process.versions['electron'] ?? null,
    machine: {
      platform: platform(),
      architecture: arch(),
      release: release(),
      version: version(),
      processors: cpus().length,
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
      upSeconds: Math.round(uptime()),
      timeZone: machineZone(),
    },
    dataDirectory: resolve(dataDir),
    files: listFiles(dataDir),
  };
}

/** Lists the files of a folder; empty if it cannot be read. */
function listFiles(folder: string) {
  try {
    return readdirSync(folder).flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return found === undefined ? [] : [{ name, bytes: found.size, changedAt: formatMilliseconds(found.mtimeMs) }];
    });
  } catch {
    return [];
  }
}

/** Reads the last whole lines of the log. Empty if there is none. */
async function readLogTail(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_LOG_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    const text = buffer.toString('utf8', 0, bytesRead);
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return '';
  }
}

/** Writes the bundle, readable by its owner only. Never replaces a file, and leaves no part of a failed bundle. */
async function pack(file: string, contents: ReadonlyMap<string, string>): Promise<void> {
  const { create } = await import('tar'); // the other commands start faster without it
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  try {
    for (const [name, text] of contents) writeFileSync(join(folder, name), text, { mode: 0o600 });
    const archive = create({ gzip: true, cwd: folder, portable: true, prefix: FOLDER }, [...contents.keys()]);
    await pipeline(archive, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new OperatorError(`${file} already exists. It was left as it is; choose another name.`);
    rmSync(file, { force: true });
    throw new OperatorError(`The bundle ${file} could not be written (${code}). Choose another place.`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function describeSettings(dataDir: string) {
  const { config, faults } = await readSettingFaults(dataDir, {});
  return { settings: config?.settings ?? [], faults };
}

async function orFault<T>(work: () => T | Promise<T>): Promise<Awaited<T> | { readonly fault: string }> {
  try {
    return await work();
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
