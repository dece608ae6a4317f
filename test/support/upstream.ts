#!/usr/bin/env node
// A stand-in upstream to try a gateway: it answers by a script and prints a summary when it ends. Exit codes: 0 if it was
// stopped on request, 1 if it could not listen, 2 for wrong usage.

import { Command, CommanderError, InvalidArgumentError } from 'commander';

import { UsageError } from '../../server/errors.ts';
import { parseScript, type Script, SCRIPT_HELP } from './upstream/script.ts';
import { openStandIn, type StandInSummary } from './upstream/stand-in.ts';

interface UpstreamOptions {
  readonly port: number;
  readonly script?: Script;
  readonly latency: number;
  readonly token?: readonly string[];
  readonly resources?: Readonly<Record<string, string>>;
  readonly json?: true;
}

const ADDRESS_HELP = `The address for "upstream set --url", with the default port
  http://127.0.0.1:7420                           for the current interface
  http://127.0.0.1:7420/c/dev-plem/bakery/1207    for the earlier interface in test mode; in production, without dev-plem`;

const program = new Command('upstream')
  .description('Stands in for the upstream: takes records on both interfaces and answers as a script says.')
  .option('--port <number>', 'where it listens on this machine; 0 picks a free one', parseNumber(65_535), 7420)
  .option('--script <script>', 'how it answers, as below (default: accept)', parse)
  .option('--latency <ms>', 'the minimum delay of every answer', parseNumber(3_600_000), 0)
  .option(
    '--token <token>',
    'accepts only this token; may be given several times (default: any prod_… or test_…)',
    collect,
  )
  .option(
    '--resources <list>',
    'resources of the earlier interface with another id parameter than transactionid, such as refund:refundid',
    parseResources,
  )
  .option('--json', 'print the address and the summary as JSON, a line each')
  .addHelpText('after', `\n${ADDRESS_HELP}\n\n${SCRIPT_HELP}`)
  .exitOverride()
  .showHelpAfterError('Add --help for the options and the language of scripts.');

try {
  program.parse();
  await serve(program.opts<UpstreamOptions>());
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.code === 'commander.error' ? 1 : error.exitCode === 0 ? 0 : 2; // commander has already printed the error
}

async function serve({ port, script, latency, token, resources, json }: UpstreamOptions): Promise<void> {
  const standIn = await openStandIn({
    port,
    script: script ?? 'accept',
    latencyMs: latency,
    keepBodies: false, // keeps no bodies, because the stand-in may run for days
    ...(resources !== undefined && { idParameters: resources }),
    ...(token !== undefined && { tokens: Object.fromEntries(token.map((each) => [each, each.split('_')[0] ?? each])) }),
  }).catch((error: unknown) => program.error(`error: cannot listen at port ${port} (${(error as Error).message})`));
  console.log(
    json === true
      ? JSON.stringify({ ready: true, url: standIn.url })
      : `The stand-in upstream is at ${standIn.url}. ${keysTaken(token)}\nStop it with Ctrl-C; then it says what it got.`,
  );
  const stop = async (): Promise<void> => {
    const summary = standIn.summary();
    await standIn.close();
    console.log(json === true ? JSON.stringify(summary) : formatSummary(summary));
  };
  // a second signal ends the stand-in immediately
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}

function keysTaken(tokens: readonly string[] | undefined): string {
  return tokens === undefined
    ? 'It takes any key that begins with prod_ or test_, such as test_any.'
    : 'It takes the given keys.';
}

function formatSummary({ attempts, records, statuses, queries, invalid, behaviours }: StandInSummary): string {
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
      .join(' · ') || 'none';
  return [
    `In effect  ${records.toLocaleString('en')} records`,
    `Taken      ${counts({ ...statuses })}`,
    `Calls      ${counts({ all: attempts, queries, invalid })}`,
    `Answered   ${counts(behaviours)}`,
  ].join('\n');
}

function parse(text: string): Script {
  try {
    return parseScript(text);
  } catch (error) {
    if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function parseNumber(most: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
  };
}

/** Reads a list such as `refund:refundid,transaction`: the id parameter of each resource. */
function parseResources(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((item) => {
    const [, name = '', id = 'transactionid'] = /^([\w-]+)(?::([\w.-]+))?$/.exec(item.trim()) ?? [];
    if (name === '') throw new InvalidArgumentError('It must be a list such as refund:refundid,transaction.');
    return [name, id] as const;
  });
  return Object.fromEntries(pairs);
}

function collect(token: string, tokens: readonly string[] = []): string[] {
  return [...tokens, token];
}
