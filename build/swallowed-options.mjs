// Finds options that npm kept for itself. In `npm start --demo` no `--` stands before the option, so npm takes it as its own
// setting. The script then sees it only as the variable npm_config_demo. Plain JavaScript, because an older Node must be able
// to parse it.

import { readFileSync } from 'node:fs';

/**
 * All options of the command line, because npm could keep any of them. The value says whether the option takes a value. A test
 * compares this list with the command line.
 */
export const OPTIONS = /** @type {Readonly<Record<string, 'value' | 'optional value' | 'no value'>>} */ ({
  administration: 'value',
  adopt: 'value',
  'adopt-file': 'value',
  all: 'no value',
  announce: 'no value',
  as: 'value',
  'backup-folder': 'value',
  'backup-keep': 'value',
  'archive-months': 'value',
  'archive-folder': 'value',
  'base-domain': 'value',
  before: 'value',
  by: 'value',
  chat: 'value',
  'connections-per-address': 'value',
  console: 'no value',
  'console-host': 'value',
  'console-port': 'value',
  currency: 'value',
  'customer-id': 'value',
  'customer-name': 'value',
  data: 'value',
  day: 'value',
  'day-starts-at': 'value',
  delivered: 'no value',
  delivery: 'value',
  demo: 'optional value',
  digest: 'value',
  'dry-run': 'no value',
  'external-id': 'value',
  force: 'no value',
  forwarded: 'value',
  from: 'value',
  full: 'no value',
  host: 'value',
  'if-missing': 'no value',
  interface: 'value',
  json: 'no value',
  label: 'value',
  language: 'value',
  limit: 'value',
  'log-level': 'value',
  'metrics-from': 'value',
  'metrics-token-file': 'value',
  mode: 'value',
  month: 'value',
  name: 'value',
  'new-identity': 'no value',
  'with-settings': 'no value',
  'no-announce': 'no value',
  'no-console': 'no value',
  'no-customer': 'no value',
  'no-plain-http': 'no value',
  note: 'value',
  'others-send': 'value',
  'password-file': 'value',
  payment: 'value',
  'plain-http': 'no value',
  port: 'value',
  quiet: 'value',
  reason: 'value',
  record: 'value',
  rename: 'value',
  resend: 'no value',
  resources: 'value',
  role: 'value',
  security: 'value',
  sign: 'value',
  status: 'value',
  tell: 'value',
  till: 'value',
  'time-zone': 'value',
  'tls-certificate': 'value',
  'tls-key': 'value',
  to: 'value',
  'to-file': 'value',
  token: 'value',
  'token-file': 'value',
  total: 'value',
  type: 'value',
  'upstream-ca': 'value',
  'upstream-proxy': 'value',
  url: 'value',
  user: 'value',
  versions: 'value',
  welcome: 'no value',
  year: 'value',
});

/** The npm scripts: the name that npm gives each script, and the command that the user types. */
const SCRIPTS = /** @type {const} */ ({
  start: { event: 'start', command: 'npm start' },
  run: { event: 'counterfoil', command: 'npm run -s counterfoil' },
});

/** Options whose values must not appear on the screen or in a log. */
const SECRETS = new Set(['adopt', 'token']);

/**
 * Returns the command line that the user meant, or undefined if npm kept no option.
 * @param {string | undefined} role
 * @param {readonly string[]} args what npm passed on
 * @param {NodeJS.ProcessEnv} env
 */
export function findMeantCommand(role, args, env) {
  // Another npm script may have started this script. Its variables are not meant for this script.
  if ((role !== 'start' && role !== 'run') || env.npm_lifecycle_event !== SCRIPTS[role].event) return undefined;
  const kept = Object.keys(OPTIONS).filter((name) => readKept(name, env) !== undefined);
  if (kept.length === 0) return undefined;
  const words = [...args];
  // npm reads `--port 7500` as its setting "port" and a separate word. The word is taken as the option's value only if there is
  // exactly one option and one word.
  const bare = kept.filter((name) => OPTIONS[name] !== 'no value' && readKept(name, env) === 'true');
  const needy = bare.filter((name) => OPTIONS[name] === 'value');
  const [taker] = needy.length > 0 ? needy : bare;
  const isOnlyWord = role === 'start' && words.length === 1 && Math.max(needy.length, 1) === 1;
  const isAfterCommand = role === 'run' && words.length > 1 && kept.length === 1 && needy.length === 1;
  const isClear = isOnlyWord || isAfterCommand;
  const options = kept.map((name) => {
    const value = bare.includes(name) ? (isClear && name === taker ? words.pop() : undefined) : readKept(name, env);
    if (OPTIONS[name] === 'no value' || (OPTIONS[name] === 'optional value' && value === undefined)) return `--${name}`;
    return `--${name} ${value === undefined || SECRETS.has(name) ? '<value>' : quote(value)}`;
  });
  return [SCRIPTS[role].command, '--', ...words.map(quote), ...options].join(' ');
}

/**
 * The value that npm kept for an option. It is `true` if npm saw no value.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function readKept(name, env) {
  const setting = name.replace(/^no-/, '');
  const value = env[`npm_config_${setting.replace(/-/g, '_')}`];
  // npm stores the value `false` as an empty string.
  return value === undefined || (value === '') !== (setting !== name) || isInNpmrc(setting, env) ? undefined : value;
}

/**
 * Whether a settings file of npm sets this option. npm has settings with the same names as our options, such as `json` and
 * `before`.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function isInNpmrc(name, env) {
  const files = [env.npm_config_userconfig, env.npm_config_globalconfig, '.npmrc'];
  return files.some((file) => {
    try {
      return file !== undefined && new RegExp(`^\\s*${name}\\s*=`, 'm').test(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
  });
}

/** @param {string} word */
function quote(word) {
  return /^[\w./:@=,+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
