// Where settings come from, besides flags: the variables of the environment and the settings file. Says which names are unknown.

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { SettingSource } from './contract/setup.ts';
import { OperatorError, UsageError } from './errors.ts';
import { explainForbidden, isForbidden } from './lib/permission.ts';

export const SETTINGS_FILE = 'settings.json';

/** A fault of the settings. */
export interface SettingFault {
  /** The setting; an unknown name as given; null if the whole file is wrong. */
  readonly name: string | null;
  readonly source: SettingSource;
  /** The flag, the variable, or the place in the file. */
  readonly place: string;
  /** Says what is wrong and what to do. */
  readonly error: UsageError | OperatorError;
}

/** COUNTERFOIL_* variables that other modules read. They are not settings. */
const OTHER_VARIABLES = new Set([
  'COUNTERFOIL_DATA',
  'COUNTERFOIL_HEADLESS',
  'COUNTERFOIL_PROGRAM',
  'COUNTERFOIL_READY_FD',
]);

/**
 * Kubernetes sets variables of these names in every pod for a service named counterfoil, or counterfoil-console:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const KUBERNETES_NAME = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const KUBERNETES_PORT = /^(tcp|udp|sctp):\/\//;

function isOfKubernetes(variable: string, value: string): boolean {
  return KUBERNETES_NAME.test(variable) || (variable.endsWith('_PORT') && KUBERNETES_PORT.test(value));
}

/**
 * Reads the variables, and adds a fault for each unknown one. `known` has the setting of each variable. `ignored` are the names
 * that Kubernetes sets.
 */
export function readVariables(
  env: NodeJS.ProcessEnv,
  known: ReadonlyMap<string, string>,
  faults: SettingFault[],
): { readonly given: Readonly<Record<string, string>>; readonly ignored: readonly string[] } {
  const given: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('COUNTERFOIL_') || OTHER_VARIABLES.has(variable) || value === undefined) continue;
    if (isOfKubernetes(variable, value)) {
      ignored.push(variable);
      continue;
    }
    const name = known.get(variable);
    if (name !== undefined) {
      given[name] = value;
      continue;
    }
    const error = new UsageError(
      `${variable} is not a setting. Settings: ${['COUNTERFOIL_DATA', 'COUNTERFOIL_HEADLESS', ...known.keys()].join(', ')}.`,
    );
    faults.push({ name: variable, source: 'variable', place: variable, error });
  }
  return { given, ignored };
}

/**
 * Describes a JSON error by its place, or says why a file cannot be read. Leaves out the parser's message, because the message
 * may quote a password.
 */
function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? /line \d+ column \d+/.exec(message)?.[0] ?? 'it is not valid JSON';
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Some Windows editors put this character at the start of a file. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Reads the settings file; empty without one. Adds a fault for each unknown setting, or for a file that cannot be read. */
export function readSettingsFile(
  path: string,
  names: readonly string[],
  faults: SettingFault[],
): Record<string, unknown> {
  const addFault = (name: string | null, error: UsageError | OperatorError): void =>
    void faults.push({ name, source: 'file', place: path, error });
  let content: unknown;
  try {
    if (!statSync(path).isFile()) {
      addFault(null, new UsageError(`${path} is not a file.`));
      return {};
    }
    content = JSON.parse(readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, ''));
  } catch (error) {
    if (isMissing(error)) return {};
    const explanation = isForbidden(error) ? explainForbidden(dirname(path), [SETTINGS_FILE]) : undefined;
    addFault(
      null,
      explanation === undefined
        ? new UsageError(`${path} is not readable JSON: ${faultOf(error)}.`)
        : new OperatorError(explanation, { cause: error, fault: 'data_unwritable' }),
    );
    return {};
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    addFault(null, new UsageError(`${path} must hold a JSON object.`));
    return {};
  }
  for (const name of Object.keys(content))
    if (!names.includes(name))
      addFault(name, new UsageError(`${name} in ${path} is not a setting. Settings: ${names.join(', ')}.`));
  return content as Record<string, unknown>;
}
