// `counterfoil serve`: runs the gateway until a stop signal.

import { fstatSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Command } from 'commander';

import { loadConfig } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import { askOf, writeInShell } from '../contract/join-request.ts';
import { FIRST_START } from '../contract/setup.ts';
import { dataDirectory, dataOption, moveRoamingData } from '../data-location.ts';
import { meetDesktop, tellDesktop } from '../desktop.ts';
import type { Gateway } from '../gateway.ts';
import { PROGRAM } from '../program.ts';
import { generateSecret } from '../store/setup/key-secret.ts';
import { closedNote, failureSentence, freeLabel } from './network-report.ts';
import { type CommonOptions, printJson, withCommonOptions } from './output.ts';
import { withSettingOptions } from './setting-options.ts';

/** After a stop signal during the start, the process ends after this time at the latest. */
const MAX_START_MS = 2000;

interface ServeOptions extends CommonOptions {
  readonly welcome?: boolean;
  readonly demo?: string | true;
}

export function bindServe(program: Command): void {
  const command = withSettingOptions(program.command('serve').description('run the gateway'))
    .option(
      '--demo [script]',
      'run a demonstration on this machine at free ports, with tills that sell and an upstream that goes down now and then, as in "accept for 20s, down for 10s, repeat"',
    )
    .option('--welcome', 'at the first start, make a test key and print how to use it');
  withCommonOptions(command).action(serve);
}

async function serve(options: ServeOptions & Record<string, unknown>): Promise<void> {
  // The gateway is half of the program. The other commands start faster without it.
  if (options.demo !== undefined) return (await import('./demo.ts')).serveDemo(options.demo, options);
  moveRoamingData();
  const dataDir = dataDirectory(options.data);
  tellDesktop({ kind: 'data', path: resolve(dataDir) });
  const config = loadConfig(dataDir, options);
  const desktop = await meetDesktop();
  const onDeath = (): void => {
    console.error(
      'counterfoil: the gateway failed. Every confirmed sale is safe. Start the gateway again. Its log has the cause.',
    );
    process.exit(1);
  };
  const { openRenewableGateway } = await import('../renewal.ts');
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    // A start can take minutes, for example to read a copied store. It has accepted no sale yet, so the process can end.
    const longStart = setTimeout(() => process.exit(), MAX_START_MS);
    const started = await opening.catch(() => undefined); // if the start fails, `serve` throws its error
    clearTimeout(longStart);
    if (started === undefined) return;
    await started.close();
    if (options.json !== true) console.log('Counterfoil has stopped. Every sale that it confirmed is on disk.');
    // Ends the process even if a file operation hangs, for example on a network drive that cannot be reached.
    setTimeout(() => process.exit(), 500).unref();
  };
  process.once('SIGTERM', () => void stop());
  // In the desktop app, a Ctrl-C or a closed terminal window signals the app and the gateway at the same time. The gateway
  // ignores these signals, because the app will send it the message `stop`.
  for (const signal of ['SIGINT', 'SIGHUP'])
    if (desktop === undefined) process.once(signal, () => void stop());
    else process.on(signal, () => {});
  const opening = openRenewableGateway(config, onDeath, {
    ...desktop,
    tell(sentence, isSerious) {
      // With --json, standard output has only the ready line, for the program that reads it. That program reads problems from
      // /health of the console.
      if (options.json !== true) console.log(`${sentence}\n`);
      else if (isSerious) console.error(`counterfoil: ${sentence}`);
    },
  });
  const gateway = await opening;
  if (isStopping) return;
  process.once('uncaughtException', (error) => void gateway.die(error));

  void desktop?.stopped.then(stop).finally(() => process.exit());
  desktop?.serveLinks(() => gateway.createLocalLink());
  desktop?.watchSleep((sleep) => {
    gateway.log.info(sleep, 'the machine has slept');
    gateway.store.health
      .noteSleep(sleep)
      .catch((err: unknown) => gateway.log.error({ err }, 'a sleep could not be noted'));
  });

  if (options.json === true) {
    const { apiUrl: api, consoleUrl } = gateway;
    printJson({ ready: true, api, console: consoleUrl, link: gateway.createLink(), data: config.dataDir });
    return;
  }
  const data = dataOption(config.dataDir);
  const keys = await gateway.store.setup.listKeys();
  const firstTill = keys.every(({ label }) => label === FIRST_START.till) ? freeLabel(keys) : undefined;
  console.log(`Counterfoil is running.
  console      ${describeConsole(gateway, data)}${describeAddresses(gateway, config.baseDomain, data, firstTill)}
  metrics      ${gateway.consoleUrl}/metrics
  data         ${config.dataDir}
Stop it with Ctrl-C. Every confirmed sale is safe.`);
  if (options.welcome === true) await welcome(gateway, data);
}

/**
 * The text that says how to open the console. Usually the text is a link. If the output goes to systemd's journal, the text is
 * a command instead, because other users can read the journal.
 */
function describeConsole(gateway: Gateway, data: string): string {
  if (isJournal()) return `${gateway.consoleUrl}\n               a link to it: ${PROGRAM} console${data}`;
  return `${gateway.createLink()}\n               works once, in one browser, within ten minutes; a new one: ${PROGRAM} console${data}`;
}

/**
 * Whether standard output goes to systemd's journal. The variable JOURNAL_STREAM names the journal's stream by device and
 * inode.
 */
function isJournal(): boolean {
  const journal = process.env['JOURNAL_STREAM'];
  if (journal === undefined) return false;
  const { dev, ino } = fstatSync(process.stdout.fd);
  return journal === `${dev}:${ino}`;
}

/**
 * Lists the addresses at which tills can really connect. If no till has a key yet, suggests `firstTill` as the name of the
 * first till.
 */
function describeAddresses(
  { apiUrl, network }: Gateway,
  baseDomain: string,
  data: string,
  firstTill: string | undefined,
): string {
  const view = network.view();
  const { addresses, failures } = view;
  const lines = [
    `for tills    ${apiUrl}/v1/raw_transactions`,
    `             ${apiUrl}/v1/transaction (the earlier interface)`,
  ];
  if (addresses.length === 0) lines.push(`             only on this machine. ${closedNote(view, data, firstTill)}`);
  if (addresses.length > 1) lines.push(`             also at ${addresses.slice(1).join(', ')}`);
  for (const failure of failures) lines.push(`             ${failureSentence(failure)}`);
  if (baseDomain !== '') lines.push(`base domain  ${baseDomain} (customers' addresses of the earlier interface)`);
  lines.push(`described    ${apiUrl}/docs`);
  return lines.map((line) => `\n  ${line}`).join('');
}

/**
 * If the store has no keys, makes a first test key. Prints the key once, with a curl command that sends a sale. `data` is the
 * --data option to show in other commands.
 */
async function welcome({ store, apiUrl, network }: Gateway, data: string): Promise<void> {
  if ((await store.setup.listKeys()).length > 0) {
    console.log(`Keys for more tills: ${PROGRAM} keys create${data} --help`);
    return;
  }
  const secret = generateSecret('test');
  const { administration, till: label } = FIRST_START;
  const key = { administration, mode: 'test', label, interface: 'both' } as const;
  const made = await store.setup.createKey({ ...key, secret, isAdopted: false }, ACTORS.firstStart);
  if (made === undefined) throw new Error('the first key exists already');
  const { addresses, localAddress } = network.view();
  const url = addresses.length > 0 ? localAddress : apiUrl;
  const request = askOf({ address: url, authority: null, secret, key: made, mode: made.mode });
  console.log(`
A first key was made, in test mode. It is shown only now:
  ${secret}

Send a first sale:
  ${writeInShell(request, null).join('\n').replaceAll('\n', '\n  ')}`);
  if (url.startsWith('https:'))
    console.log(`
curl must trust the certificate, and the address must have a name of the certificate. For a certificate that you signed
yourself, add --cacert FILE.`);
}
