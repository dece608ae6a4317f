#!/usr/bin/env node
// A simulated till to try a gateway: it replays real sales and checks every answer. Exit codes: 0 if all answers are as
// expected, 1 after an unexpected answer or a stop, 2 for wrong usage.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { type Interface, INTERFACES, KEY_PREFIXES } from '../../server/contract/codes.ts';
import { addressOf, CURRENT, type Dialect, earlierDialect, type Method, METHODS } from './till/dialect.ts';
import { formatSummary, showProgress } from './till/display.ts';
import { replaySales } from './till/replay.ts';
import { openSales, type Part, type Sales } from './till/sales.ts';
import { openTally } from './till/summary.ts';

interface TillOptions {
  readonly url: string;
  readonly key: readonly string[];
  readonly interface: Interface;
  readonly method?: Method;
  readonly file?: string;
  readonly part?: Part;
  readonly rate?: number;
  readonly tills: number;
  readonly duplicates: number;
  readonly changed: number;
  readonly seed: number;
  readonly production?: true;
  readonly json?: true;
}

const program = new Command('till')
  .description('Replays sales to a gateway as tills would, and says whether every answer was right.')
  .requiredOption('--url <address>', 'the gateway, for example http://127.0.0.1:7410 (required)', parseUrl)
  .requiredOption('--key <key>', 'a test key; give several and the tills are spread over them (required)', collectKeys)
  .option('--production', 'take production keys too: what is replayed is kept among the real sales')
  .addOption(
    new Option('--interface <interface>', 'the generation of the interface to speak')
      .choices([...INTERFACES])
      .default('current'),
  )
  .addOption(
    new Option(
      '--method <method>',
      'of the earlier interface: parameters in a body or a query (default: POST)',
    ).choices([...METHODS]),
  )
  .option('--file <file>', 'one record per line (default: half a year of a bakery)')
  .option('--part <n/m>', 'only the n-th of every m sales, as in 1/2 (default: all)', parsePart)
  .option(
    '--rate <number>',
    'sales per second over all tills (default: as fast as answers come)',
    parseNumber(0.001, 1_000_000),
  )
  .option('--tills <number>', 'how many send at the same time', parseNumber(1, 1000, Number.isInteger), 4)
  .option('--duplicates <percent>', 'how many sales are sent a second time, unchanged', parseNumber(0, 100), 0)
  .option('--changed <percent>', 'how many sales are sent again with one value changed', parseNumber(0, 100), 0)
  .option(
    '--seed <number>',
    'which sales these are; the same seed chooses the same',
    parseNumber(0, 2 ** 31 - 1, Number.isInteger),
    1,
  )
  .option('--json', 'print the summary as JSON')
  .exitOverride()
  .showHelpAfterError('Add --help for the options.');

try {
  program.parse();
  await replay(program.opts<TillOptions>());
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2; // commander has already printed the error
}

async function replay(given: TillOptions): Promise<void> {
  const { key: keys, interface: generation, method, file, part, production, json, ...options } = given;
  if (production !== true) assertForTest(keys);
  const dialect = chooseDialect(generation, method);
  const sales = openFile(file, part);
  await assertWelcome(options.url, keys, dialect);
  const tally = openTally();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()); // a second Ctrl-C then ends the process immediately
  const hideProgress = showProgress(tally, sales);
  const summary = await replaySales({ ...options, keys, dialect, sales, tally, signal: stop.signal }).finally(
    hideProgress,
  );
  console.log(json === true ? JSON.stringify(summary) : formatSummary(summary, part));
  process.exitCode = summary.ok ? 0 : 1;
}

/**
 * Rejects production keys, because the gateway keeps replayed sales permanently. In production they would count as real
 * sales.
 */
function assertForTest(keys: readonly string[]): void {
  if (!keys.some((key) => key.startsWith(KEY_PREFIXES.production))) return;
  program.error(
    'error: this is a production key, and the replayed sales would be kept among the real sales. Make a test key, or say --production.',
  );
}

function chooseDialect(generation: Interface, method: Method | undefined): Dialect {
  if (generation === 'earlier') return earlierDialect(method ?? 'POST');
  if (method === undefined) return CURRENT;
  return program.error('error: --method goes with --interface earlier; the current interface takes POST only.');
}

/** Sends one query for each key first, so that a wrong address or key is reported before any sale is sent. */
async function assertWelcome(url: string, keys: readonly string[], dialect: Dialect): Promise<void> {
  const question = addressOf(url, dialect) + dialect.greeting;
  for (const key of keys) {
    const answer = await fetch(question, { headers: dialect.headersFor(key) }).catch((error: unknown) =>
      program.error(`error: ${explainSilence(url, error)}`),
    );
    const { code, detail } = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
    if (![401, 403, 404].includes(answer.status) && code !== 'end_point_invalid') continue;
    program.error(`error: the gateway refuses this key at this address: ${detail ?? `HTTP ${answer.status}`}`);
  }
}

/** Why a query had no answer. */
function explainSilence(url: string, error: unknown): string {
  const cause: unknown = (error as Error).cause ?? error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the gateway answers at ${url}, but its certificate is for another name. Use a name that is in the certificate.`;
  if (/CERT|SIGNATURE/.test(code))
    return `the gateway answers at ${url}, but its certificate is not trusted (${code}). When it signs itself, or its root is your own, set NODE_EXTRA_CA_CERTS to the file, as in NODE_EXTRA_CA_CERTS=tls.crt npm run till -- …`;
  return `no gateway answers at ${url} (${String(cause)})`;
}

function openFile(file: string | undefined, part: Part | undefined): Sales {
  try {
    return openSales(file, part);
  } catch (error) {
    return program.error(`error: --file cannot be read: ${(error as Error).message}`);
  }
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  return text;
}

function collectKeys(key: string, keys: readonly string[] = []): string[] {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new InvalidArgumentError('It must be a key as the gateway printed it.');
  return [...keys, key];
}

function parsePart(text: string): Part {
  const [, nth, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  if (nth !== undefined && of !== undefined && nth >= 1 && nth <= of) return { nth, of };
  throw new InvalidArgumentError('It must be like 1/2: which one, out of how many.');
}

function parseNumber(
  least: number,
  most: number,
  isAllowed: (value: number) => boolean = Number.isFinite,
): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (isAllowed(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `It must be a ${isAllowed === Number.isInteger ? 'whole ' : ''}number from ${least} to ${most}.`,
    );
  };
}
