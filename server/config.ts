// The settings. A value comes from the first of these sources that has one: the flag, the COUNTERFOIL_* variable, the file in
// the data directory, the default. An unknown or invalid setting gives an error that names it.

import { isIP } from 'node:net';
import { join, resolve as resolvePath } from 'node:path';

import { z } from 'zod';

import type { SettingSource, SettingView } from './contract/setup.ts';
import { UsageError } from './errors.ts';
import { isPrivateAddress } from './lib/host.ts';
import { findNetwork } from './lib/network.ts';
import { readSettingsFile, readVariables, type SettingFault, SETTINGS_FILE } from './setting-sources.ts';

/** A whole number from `least` to `most`. The settings file has a number; a flag or variable has digits. */
const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.custom<number>((value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most, {
      error: `it must be a whole number from ${least} to ${most}`,
    }),
  );
const port = wholeNumber(0, 65_535);

/** The schema of a domain name in lower case. An empty text is also valid. */
const domain = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine((text) => text === '' || isDomain(text), {
    error: 'it must be a domain name, such as till.example.com',
  });

/**
 * Whether a text is a domain name. Its last label must not be a number, because then the text would look like an IPv4 address.
 */
function isDomain(text: string): boolean {
  const labels = text.split('.');
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) && /\D/.test(labels.at(-1) ?? '');
}

/**
 * The schema of a yes-or-no setting: a boolean in the settings file, `true` or `false` in a variable, or a flag without a
 * value.
 */
const yesOrNo = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean({ error: 'it must be true or false' }),
);
const path = z.string({ error: 'it must be the path of a file' }).min(1, 'it must be the path of a file').optional();
/** The schema of a list of addresses and networks, separated by commas. An empty text is also valid. */
const networks = z
  .string()
  .refine((text) => text === '' || text.split(',').every((each) => findNetwork(each) !== undefined), {
    error: 'it must be addresses or networks with commas between them, such as 192.168.1.20, 10.0.0.0/24',
  });
const FOLDER_FAULT = 'it must be the path of a folder';
const folder = z.string({ error: FOLDER_FAULT }).min(1, FOLDER_FAULT).optional();
const PROXY_FAULT = 'it must be the address of a proxy, such as http://proxy.example.com:3128';
const proxy = z.string({ error: PROXY_FAULT }).refine(isProxy, { error: PROXY_FAULT }).optional();

/**
 * Whether the HTTP client can use a proxy address. The client takes the user name and password from the address. It would
 * silently ignore a query or a fragment, so an address with one of these is refused.
 */
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

/** One entry per setting. docs/reference/settings.md is generated from these entries. */
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
  metricsFrom: { schema: networks, fallback: '' },
  metricsTokenFile: { schema: path, fallback: undefined, isPath: true },
  backupFolder: { schema: folder, fallback: undefined, isPath: true },
  backupKeep: { schema: wholeNumber(1, 10_000), fallback: 14 },
  archiveMonths: { schema: wholeNumber(1, 240).optional(), fallback: undefined },
  archiveFolder: { schema: folder, fallback: undefined, isPath: true },
  logLevel: { schema: z.enum(['debug', 'info', 'warn', 'error']), fallback: 'info' },
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export interface Config {
  /** The folder of all data. */
  readonly dataDir: string;
  /** The address at which the gateway listens for tills. It is loopback unless a person sets another address. */
  readonly host: string;
  readonly port: number;
  readonly consolePort: number;
  /** The address on which the console listens. Any address other than loopback requires HTTPS and users with passwords. */
  readonly consoleHost: string;
  /**
   * The domain in the host names that tills of the earlier interface call. In a host name, the customer name and the customer
   * id come before this domain. Empty if no till calls such a host name.
   */
  readonly baseDomain: string;
  /**
   * Maximum connections of one client address. When one more is opened, the connection of this address that has been idle
   * longest is closed.
   */
  readonly connectionsPerAddress: number;
  /** Whether other machines may use plain HTTP at `host`. Applies only if the gateway has no certificate. */
  readonly allowsPlainHttp?: boolean;
  /** The files of the shop's own certificate. Undefined if the gateway makes its certificate. */
  readonly tls?: CertificateFiles;
  /** The HTTP proxy for calls to the upstream; undefined if no setting names one. */
  readonly upstreamProxy: string | undefined;
  /**
   * A file with certificates. For calls to an upstream, the gateway trusts only these certificates, and not the usual
   * authorities.
   */
  readonly upstreamCa: string | undefined;
  /** The addresses and networks of the machines that may read the metrics, separated by commas. Empty if there are none. */
  readonly metricsFrom?: string;
  /** The file with the token of the programs that may read the metrics. Undefined without a token. */
  readonly metricsTokenFile?: string | undefined;
  /** The folder of scheduled backups. Undefined if the gateway makes none. */
  readonly backupFolder?: string | undefined;
  /** Number of scheduled backups that stay in the folder. */
  readonly backupKeep?: number;
  /** Age in months at which the bodies of settled store days are archived. Undefined if they stay in the database. */
  readonly archiveMonths?: number | undefined;
  /** The folder of the archive; undefined for the folder "archive" in the data directory. */
  readonly archiveFolder?: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** All settings with their sources, for display; secrets are masked. */
  readonly settings?: readonly SettingView[];
  /**
   * Names of COUNTERFOIL_* variables that Kubernetes sets for a service named counterfoil. They are not settings, so the
   * gateway ignores them.
   */
  readonly ignoredVariables?: readonly string[];
}

/** Absolute paths of PEM files. */
export interface CertificateFiles {
  /** The file with the certificate, followed by the certificates of its chain. */
  readonly certificate: string;
  readonly key: string;
}

/** The flag of a setting: `--console-port` for `consolePort`. */
export function flagName(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The variable of a setting: `COUNTERFOIL_CONSOLE_PORT` for `consolePort`. */
export function variableName(name: SettingName): string {
  return `COUNTERFOIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Loads the settings. Throws the first fault as an error with the setting, its source and the accepted values. A relative path
 * in the settings file starts at the data directory. A relative path in a flag or variable starts at the current directory.
 */
export function loadConfig(
  dataDir: string,
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
): Config {
  const read = readSettings(dataDir, flags, env);
  if (read.config !== undefined) return read.config;
  throw read.faults[0].error;
}

/** Reads the settings like `loadConfig`, but returns all faults. */
export function readSettings(
  dataDir: string,
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
):
  | { readonly config: Config; readonly faults: readonly [] }
  | {
      readonly config: undefined;
      readonly faults: readonly [SettingFault, ...SettingFault[]];
      /** The values that are right themselves. */
      readonly rest: Partial<Config>;
    } {
  const faults: SettingFault[] = [];
  const variables = readVariables(env, new Map(SETTING_NAMES.map((name) => [variableName(name), name])), faults);
  const inFile = readSettingsFile(join(dataDir, SETTINGS_FILE), SETTING_NAMES, faults);
  const shown: SettingView[] = [];
  const places = new Map<string, Pick<SettingFault, 'name' | 'source' | 'place'>>();
  /** `because` is the setting that makes another one faulty. */
  const addFault = (name: SettingName, message: string, because = name): void =>
    void faults.push({
      ...(places.get(because) ?? { source: 'default', place: because }),
      name,
      error: new UsageError(message),
    });
  const resolve = (name: SettingName): unknown => {
    const { schema, fallback, ...kind } = SETTINGS[name];
    const sources: [SettingSource, string, unknown, string][] = [
      ['flag', flagName(name), flags[name], '.'],
      ['variable', variableName(name), variables.given[name], '.'],
      ['file', `${name} in ${SETTINGS_FILE}`, inFile[name], dataDir],
    ];
    const given = sources.find(([, , each]) => each !== undefined);
    const [origin, place, value, folder] = given ?? ['default', name, fallback, '.'];
    places.set(name, { name, source: origin, place });
    const result = schema.safeParse(value);
    if (result.success) {
      const isPath = 'isPath' in kind && typeof result.data === 'string';
      const resolved = isPath ? resolvePath(folder, String(result.data)) : result.data;
      shown.push({ name, value: masked(resolved ?? null), source: origin });
      return resolved;
    }
    const said = 'isSecret' in kind ? 'not shown, because it may contain a password' : JSON.stringify(value);
    addFault(name, `${place} is ${said}: ${result.error.issues[0]?.message ?? 'not valid'}.`);
    return undefined;
  };
  const { tlsCertificate, tlsKey, plainHttp, ...settings } = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, resolve(name)]),
  ) as unknown as Omit<Config, 'dataDir' | 'tls'> & TransportSettings;
  const config = {
    dataDir,
    ...settings,
    ...(tlsCertificate !== undefined && tlsKey !== undefined && { tls: { certificate: tlsCertificate, key: tlsKey } }),
    ...(plainHttp && { allowsPlainHttp: true }),
    settings: shown,
    ...(variables.ignored.length > 0 && { ignoredVariables: variables.ignored }),
  };
  // A setting that is wrong itself would cause wrong findings here.
  if (faults.every(({ name }) => name !== null && !Object.hasOwn(SETTINGS, name)))
    for (const [name, message, because] of listConflicts(config, { tlsCertificate, tlsKey }))
      addFault(name, message, because);
  const [first, ...more] = faults;
  return first === undefined ? { config, faults: [] } : { config: undefined, faults: [first, ...more], rest: config };
}

/** `because` is the setting that makes another one faulty, if that one is not set. */
type Conflict = readonly [name: SettingName, message: string, because?: SettingName];

/** Lists the settings that do not fit together, with what to do. */
function listConflicts(
  { port: tills, consolePort, host, consoleHost, tls, allowsPlainHttp = false }: Config,
  { tlsCertificate, tlsKey }: Pick<TransportSettings, 'tlsCertificate' | 'tlsKey'>,
): Conflict[] {
  const conflicts: Conflict[] = [];
  if (tills === consolePort && tills !== 0)
    conflicts.push(['consolePort', `port and consolePort are both ${tills}: they must differ.`]);
  if (tlsCertificate === undefined && tlsKey !== undefined)
    conflicts.push([
      'tlsCertificate',
      'tlsCertificate is missing: also give --tls-certificate, the file with the certificate of the key.',
      'tlsKey',
    ]);
  if (tlsCertificate !== undefined && tlsKey === undefined)
    conflicts.push([
      'tlsKey',
      'tlsKey is missing: also give --tls-key, the file with the key of the certificate.',
      'tlsCertificate',
    ]);
  if (conflicts.length > 0 || tls !== undefined) return conflicts;
  if (!allowsPlainHttp && isPublicAddress(host))
    conflicts.push([
      'host',
      `The host ${host} is a public address, which the gateway's own certificate cannot contain: give a certificate with --tls-certificate and --tls-key, or allow it with --plain-http.`,
    ]);
  if (isPublicAddress(consoleHost))
    conflicts.push([
      'consoleHost',
      `The consoleHost ${consoleHost} is a public address, which the gateway's own certificate cannot contain: give a certificate with --tls-certificate and --tls-key.`,
    ]);
  return conflicts;
}

/**
 * Whether a host is a public IP address. Wildcards, such as 0.0.0.0, and private addresses are not. Only a public authority
 * issues certificates for public addresses.
 */
function isPublicAddress(host: string): boolean {
  return isIP(host) !== 0 && !/^(0\.0\.0\.0|::)$/.test(host) && !isPrivateAddress(host);
}

/** Masks the name and password in the address of a proxy. */
function masked(value: string | number | boolean | null): SettingView['value'] {
  const url = typeof value === 'string' && value.includes('@') ? URL.parse(value) : null;
  return url === null ? value : `${url.protocol}//…@${url.host}`;
}

interface TransportSettings {
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly plainHttp: boolean;
}
