// The settings: what each is for, and where its value comes from: flag, then COUNTERFOIL_* variable, then the file
// in the data directory, then the default. An unknown or bad setting is an error that names it.

import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve as resolvePath } from 'node:path';

import { z } from 'zod';

import type { SettingSource, SettingView } from './contract/setup.ts';
import { OperatorError, UsageError } from './errors.ts';
import { explainForbidden, isForbidden } from './lib/permission.ts';

/** The file in the data directory. */
const SETTINGS_FILE = 'settings.json';

/** From the file a number, from a flag or variable its digits. */
const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.custom<number>((value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most, {
      error: `it must be a whole number from ${least} to ${most}`,
    }),
  );
const port = wholeNumber(0, 65_535);

/** A domain name in lower case, or nothing. */
const domain = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine((text) => text === '' || isDomain(text), {
    error: 'it must be a domain name, such as till.example.com',
  });

/** A name whose last label is a number would be taken for an IPv4 address. */
function isDomain(text: string): boolean {
  const labels = text.split('.');
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) && /\D/.test(labels.at(-1) ?? '');
}

/** From the file true or false, from a variable its name; a flag is given or not. */
const yesOrNo = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean({ error: 'it must be true or false' }),
);
const path = z.string({ error: 'it must be the path of a file' }).min(1, 'it must be the path of a file').optional();
const PROXY_FAULT = 'it must be the address of a proxy, such as http://proxy.example.com:3128';
const proxy = z.string({ error: PROXY_FAULT }).refine(isProxy, { error: PROXY_FAULT }).optional();

/** Whether the client that goes through it takes it: it reads name and password, and nothing after ? or #. */
function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href)) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** One entry per setting; docs/reference/settings.md is generated from these. */
const SETTINGS = {
  host: { schema: z.string().min(1), fallback: '127.0.0.1' },
  port: { schema: port, fallback: 7410 },
  consolePort: { schema: port, fallback: 7411 },
  consoleHost: { schema: z.string().min(1), fallback: '127.0.0.1' },
  baseDomain: { schema: domain, fallback: '' },
  connectionsPerAddress: { schema: wholeNumber(1, 1_000_000), fallback: 512 },
  tlsCertificate: { schema: path, fallback: undefined, isPath: true },
  tlsKey: { schema: path, fallback: undefined, isPath: true },
  plainHttp: { schema: yesOrNo, fallback: false },
  upstreamProxy: { schema: proxy, fallback: undefined, isSecret: true },
  upstreamCa: { schema: path, fallback: undefined, isPath: true },
  logLevel: { schema: z.enum(['debug', 'info', 'warn', 'error']), fallback: 'info' },
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export interface Config {
  /** Where everything is kept. */
  readonly dataDir: string;
  /** The address tills reach; loopback until the LAN is opened deliberately. */
  readonly host: string;
  readonly port: number;
  readonly consolePort: number;
  /** The address the console listens at; beyond loopback it speaks HTTPS, to people with a name and a password. */
  readonly consoleHost: string;
  /** What follows customer name and id in the Host of the earlier interface; empty where tills don't use it. */
  readonly baseDomain: string;
  /** How many connections one address may hold; the longest unused is closed for a new one. */
  readonly connectionsPerAddress: number;
  /** With these, tills are spoken to over HTTPS only. */
  readonly tls?: CertificateFiles;
  /** The HTTP proxy on the way upstream, where there is one. */
  readonly upstreamProxy: string | undefined;
  /** A file with the certificates to trust upstream, where the usual ones don't do. */
  readonly upstreamCa: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** All of them for people to look at, and where each came from; what is secret about them is masked. */
  readonly settings?: readonly SettingView[];
  /** Variables that Kubernetes set for a service of our name; no settings. */
  readonly ignoredVariables?: readonly string[];
}

/** Absolute paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, and after it those that lead to its root. */
  readonly certificate: string;
  readonly key: string;
}

/** Variables that are read elsewhere and are no settings. */
const OTHER_VARIABLES = new Set([
  'COUNTERFOIL_DATA',
  'COUNTERFOIL_HEADLESS',
  'COUNTERFOIL_PROGRAM',
  'COUNTERFOIL_READY_FD',
]);

/** `consolePort` is `--console-port`. */
export function flagName(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `consolePort` is `COUNTERFOIL_CONSOLE_PORT`. */
export function variableName(name: SettingName): string {
  return `COUNTERFOIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The data directory: the flag, then COUNTERFOIL_DATA, then the place the platform has for it. */
export function dataDirectory(flag: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const given = flag ?? env['COUNTERFOIL_DATA'];
  if (given === '') throw new UsageError('--data or COUNTERFOIL_DATA is empty; give a directory.');
  return given ?? platformDirectory(env);
}

/** The data directory where nobody names another. */
export function platformDirectory(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  switch (platform) {
    case 'win32': {
      const { local, roaming } = windowsDirectories(env);
      return existsSync(roaming) && !existsSync(local) ? roaming : local;
    }
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'Counterfoil');
    default:
      return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'counterfoil');
  }
}

/** Earlier versions kept the data in the profile that roams with its user, which Windows copies over the network. */
function windowsDirectories(env: NodeJS.ProcessEnv): { readonly local: string; readonly roaming: string } {
  const appData = join(homedir(), 'AppData');
  return {
    local: join(env['LOCALAPPDATA'] ?? join(appData, 'Local'), 'Counterfoil'),
    roaming: join(env['APPDATA'] ?? join(appData, 'Roaming'), 'Counterfoil'),
  };
}

/**
 * On Windows, moves data from the roaming profile to the one that stays on this machine, whole and once. Data that cannot be
 * moved, because they are in use or the profile is on another disk, stay and are used where they are.
 */
export function moveRoamingData(env: NodeJS.ProcessEnv = process.env, platform = process.platform): void {
  if (platform !== 'win32') return;
  const { local, roaming } = windowsDirectories(env);
  if (existsSync(local) || !existsSync(roaming)) return;
  try {
    renameSync(roaming, local);
  } catch {
    // `platformDirectory` keeps naming the roaming one.
  }
}

/** What a command needs beside a gateway whose data are elsewhere than the platform keeps them. */
export function dataOption(dataDir: string): string {
  const path = resolvePath(dataDir);
  return path === platformDirectory() ? '' : ` --data "${path}"`;
}

/**
 * Puts the settings together. Throws a UsageError that names the setting, where it was set and what it takes. A relative
 * path in the file begins at the data directory, any other at the current one.
 */
export function loadConfig(
  dataDir: string,
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
): Config {
  const { variables, ignoredVariables } = variablesByName(env);
  const inFile = readSettingsFile(join(dataDir, SETTINGS_FILE));
  const shown: SettingView[] = [];
  const resolve = (name: SettingName): unknown => {
    const { schema, fallback, ...kind } = SETTINGS[name];
    const sources: [SettingSource, string, unknown, string][] = [
      ['flag', flagName(name), flags[name], '.'],
      ['variable', variableName(name), variables[name], '.'],
      ['file', `${name} in ${SETTINGS_FILE}`, inFile[name], dataDir],
    ];
    const given = sources.find(([, , each]) => each !== undefined);
    const [origin, source, value, folder] = given ?? ['default', '', fallback, '.'];
    const result = schema.safeParse(value);
    if (result.success) {
      const isPath = 'isPath' in kind && typeof result.data === 'string';
      const resolved = isPath ? resolvePath(folder, String(result.data)) : result.data;
      shown.push({ name, value: masked(resolved ?? null), source: origin });
      return resolved;
    }
    const said = 'isSecret' in kind ? 'not shown, as it may hold a password' : JSON.stringify(value);
    throw new UsageError(`${source} is ${said}: ${result.error.issues[0]?.message ?? 'not valid'}.`);
  };
  const { tlsCertificate, tlsKey, plainHttp, ...settings } = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, resolve(name)]),
  ) as unknown as Omit<Config, 'dataDir' | 'tls'> & TransportSettings;
  const { port: tills, consolePort } = settings;
  if (tills === consolePort && tills !== 0)
    throw new UsageError(`port and consolePort are both ${tills}: tills and the console need a port each.`);
  const tls = certificateFiles({ tlsCertificate, tlsKey });
  if (tls === undefined && !plainHttp && !isLoopback(settings.host))
    throw new UsageError(
      `The host ${settings.host} is reached over the network, where anyone could read the tills' keys and sales: give a certificate with --tls-certificate and --tls-key, or allow it with --plain-http.`,
    );
  if (tls === undefined && !isLoopback(settings.consoleHost))
    throw new UsageError(
      `The consoleHost ${settings.consoleHost} is reached over the network, where anyone could read what is shown and who signs in: give a certificate with --tls-certificate and --tls-key.`,
    );
  return {
    dataDir,
    ...settings,
    ...(tls !== undefined && { tls }),
    settings: shown,
    ...(ignoredVariables.length > 0 && { ignoredVariables }),
  };
}

/** The address of a proxy may hold a name and a password. */
function masked(value: string | number | boolean | null): SettingView['value'] {
  const url = typeof value === 'string' && value.includes('@') ? URL.parse(value) : null;
  return url === null ? value : `${url.protocol}//…@${url.host}`;
}

interface TransportSettings {
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly plainHttp: boolean;
}

function certificateFiles({
  tlsCertificate: certificate,
  tlsKey: key,
}: Pick<TransportSettings, 'tlsCertificate' | 'tlsKey'>): CertificateFiles | undefined {
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  throw new UsageError(
    certificate === undefined
      ? 'tlsCertificate is missing: give --tls-certificate as well, the file with the certificate of the key.'
      : 'tlsKey is missing: give --tls-key as well, the file with the key of the certificate.',
  );
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? host.toLowerCase() === 'localhost' : LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Kubernetes sets these in every pod for a service named counterfoil, or counterfoil-console:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const KUBERNETES_NAME = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const KUBERNETES_PORT = /^(tcp|udp|sctp):\/\//;

function isOfKubernetes(variable: string, value: string): boolean {
  return KUBERNETES_NAME.test(variable) || (variable.endsWith('_PORT') && KUBERNETES_PORT.test(value));
}

interface Variables {
  readonly variables: Readonly<Partial<Record<SettingName, string>>>;
  readonly ignoredVariables: readonly string[];
}

function variablesByName(env: NodeJS.ProcessEnv): Variables {
  const known = new Map(SETTING_NAMES.map((name) => [variableName(name), name]));
  const variables: Partial<Record<SettingName, string>> = {};
  const ignoredVariables: string[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('COUNTERFOIL_') || OTHER_VARIABLES.has(variable) || value === undefined) continue;
    if (isOfKubernetes(variable, value)) {
      ignoredVariables.push(variable);
      continue;
    }
    const name = known.get(variable);
    if (name === undefined)
      throw new UsageError(
        `${variable} is not a setting. Settings: ${['COUNTERFOIL_DATA', 'COUNTERFOIL_HEADLESS', ...known.keys()].join(', ')}.`,
      );
    variables[name] = value;
  }
  return { variables, ignoredVariables };
}

/** Where JSON ends to be JSON, or why a file cannot be read. The parser's own message quotes what is there, which may be a password. */
function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? /line \d+ column \d+/.exec(message)?.[0] ?? 'what it holds is no JSON';
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Some editors on Windows put one in front. */
const BYTE_ORDER_MARK = /^\uFEFF/;

function readSettingsFile(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    if (!statSync(path).isFile()) throw new UsageError(`${path} is not a file.`);
    content = JSON.parse(readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, ''));
  } catch (error) {
    if (isMissing(error)) return {};
    if (error instanceof UsageError) throw error;
    const explanation = isForbidden(error) ? explainForbidden(dirname(path), [SETTINGS_FILE]) : undefined;
    if (explanation !== undefined) throw new OperatorError(explanation, { cause: error, fault: 'data_unwritable' });
    throw new UsageError(`${path} is not readable JSON: ${faultOf(error)}.`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new UsageError(`${path} must hold a JSON object.`);
  const unknown = Object.keys(content).find((name) => !(name in SETTINGS));
  if (unknown !== undefined)
    throw new UsageError(`${unknown} in ${path} is not a setting. Settings: ${SETTING_NAMES.join(', ')}.`);
  return content as Record<string, unknown>;
}
