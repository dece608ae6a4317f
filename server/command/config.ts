// `counterfoil config check`: says what a gateway would refuse in its settings, without starting one.

import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import type { Command } from 'commander';

import { type Config, flagName, readSettings, type SettingName, variableName } from '../config.ts';
import { dataDirectory } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { loadCertificate } from '../http/certificate.ts';
import { listen } from '../http/listen.ts';
import { openMetricsAccess } from '../http/metrics-access.ts';
import { isLoopback } from '../lib/host.ts';
import { missingUserSentence } from '../network/missing-user.ts';
import { databasePath } from '../store/data-directory.ts';
import { readGateway } from './health.ts';
import { type CommonOptions, inert, printJson, withCommonOptions, withStore } from './output.ts';
import { withSettingOptions } from './setting-options.ts';

export function bindConfig(program: Command): void {
  const config = program.command('config').description('check the settings');
  withCommonOptions(
    withSettingOptions(
      config
        .command('check')
        .description(
          'check the settings file, the variables and these flags as a gateway does at its start; exits with 1 if anything is wrong',
        ),
    ),
  ).action(check);
}

/** A fault for output: the setting, where its value comes from, and what to do. */
interface ShownFault {
  readonly setting: string | null;
  readonly source: string;
  readonly place: string;
  readonly sentence: string;
}

async function check(options: CommonOptions & Readonly<Record<string, unknown>>): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const { config, faults: found } = await readSettingFaults(dataDir, options);
  const faults = config === undefined ? found : [...found, ...(await tryPorts(config))];
  if (faults.length > 0) process.exitCode = 1;
  if (options.json === true) return printJson({ ok: faults.length === 0, faults });
  if (faults.length === 0) return console.log('The settings have no fault.');
  for (const { sentence, source } of faults) console.log(inert(`${source.padEnd(9)} ${sentence}`));
}

/**
 * Reads the settings of a data directory and their faults. Also tries the files that right values name, and whether
 * anybody could enter an open console. Changes nothing.
 */
export async function readSettingFaults(
  dataDir: string,
  flags: Readonly<Record<string, unknown>>,
): Promise<{ readonly config: Config | undefined; readonly faults: readonly ShownFault[] }> {
  const read = readSettings(dataDir, flags);
  const { config } = read;
  const { tls, upstreamProxy, upstreamCa, metricsFrom, metricsTokenFile, backupFolder, consoleHost, settings } =
    config ?? read.rest;
  const from = { settings };
  const { prepareConnections } = await import('../forward/connection.ts'); // the other commands start faster without it
  return {
    config,
    faults: [
      ...read.faults.map(({ name, error, ...place }) => ({ setting: name, ...place, sentence: error.message })),
      ...(await tryOut(from, 'tlsCertificate', () => tls && loadCertificate(tls))),
      ...(await tryOut(from, 'upstreamCa', () => prepareConnections({ upstreamProxy, upstreamCa }))),
      ...(await tryOut(from, 'metricsTokenFile', () =>
        openMetricsAccess({ metricsFrom: metricsFrom ?? '', metricsTokenFile }),
      )),
      ...(await tryOut(from, 'backupFolder', () => assertWritable(backupFolder))),
      ...(await tryOut(from, 'consoleHost', () =>
        consoleHost === undefined || isLoopback(consoleHost) ? undefined : assertUser(dataDir),
      )),
    ],
  };
}

/** Tries to listen at both ports. A running gateway already does, so then only the addresses are tried. */
async function tryPorts(config: Config): Promise<ShownFault[]> {
  const { dataDir, host, port, consoleHost, consolePort } = config;
  const isStopped = (await readGateway(dataDir).catch(() => undefined))?.kind === 'stopped';
  return [
    ...(await tryOut(config, 'port', () => tryPort(host, isStopped ? port : 0, 'port'))),
    ...(await tryOut(config, 'consolePort', () => tryPort(consoleHost, isStopped ? consolePort : 0, 'console-port'))),
  ];
}

interface Tried {
  /** All settings with their sources. */
  readonly settings?: Config['settings'] | undefined;
}

/** Does work that depends on a setting. If it fails, returns the fault. */
async function tryOut({ settings = [] }: Tried, name: SettingName, work: () => unknown): Promise<ShownFault[]> {
  try {
    await work();
    return [];
  } catch (error) {
    const source = settings.find((each) => each.name === name)?.source ?? 'default';
    const place = { flag: flagName(name), variable: variableName(name), file: name, default: name }[source];
    return [{ setting: name, source, place, sentence: error instanceof Error ? error.message : String(error) }];
  }
}

/** Listens for a moment. Rejects with an OperatorError if that is not possible. */
async function tryPort(host: string, port: number, flag: string): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, host, port, flag);
  } finally {
    server.close();
  }
}

/** Throws if there is a folder for backups and the gateway could not write into it. */
async function assertWritable(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  try {
    await access(join(folder, '.'), constants.W_OK); // the dot fails if the path is a file
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The folder for backups, ${folder}, cannot be written (${code}). The gateway starts without it, but makes no backup there. Make the folder, or correct backupFolder.`,
      { cause: error },
    );
  }
}

/** Throws if there is no user. Does not throw if the data cannot be read, because that is no fault of the settings. */
async function assertUser(dataDir: string): Promise<void> {
  const isNew = !existsSync(databasePath(dataDir));
  const users = isNew ? [] : await withStore({ data: dataDir }, ({ people }) => people.list()).catch(() => undefined);
  if (users?.length === 0) throw new OperatorError(missingUserSentence(dataDir));
}
