// `counterfoil serve`: runs the gateway until it is told to stop.

import { fstatSync } from 'node:fs';
import { resolve } from 'node:path';

import { type Command, Option } from 'commander';

import { dataDirectory, dataOption, isLoopback, loadConfig, moveRoamingData } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import { meetDesktop, tellDesktop } from '../desktop.ts';
import { type Gateway, openGateway } from '../gateway.ts';
import { formatInstant } from '../lib/instant.ts';
import { isEverywhere, listLanAddresses, reachableUrl } from '../lib/own-address.ts';
import { PROGRAM } from '../program.ts';
import { generateSecret } from '../store/setup/key-secret.ts';
import { serveDemo } from './demo.ts';
import { type CommonOptions, printJson, withCommonOptions } from './output.ts';

interface ServeOptions extends CommonOptions {
  readonly welcome?: boolean;
  readonly demo?: string | true;
}

export function bindServe(program: Command): void {
  const command = program
    .command('serve')
    .description('run the gateway')
    .option('--host <address>', 'the address tills reach; 0.0.0.0 opens it to the LAN (default: 127.0.0.1)')
    .option('--port <number>', 'the port for tills, 0 for a free one (default: 7410)')
    .option('--console-port <number>', 'the port for the console, 0 for a free one (default: 7411)')
    .option(
      '--console-host <address>',
      'the address of the console; other machines need HTTPS and users (default: 127.0.0.1)',
    )
    .option('--base-domain <domain>', 'the domain after customer name and id in host names of the earlier interface')
    .option('--connections-per-address <number>', 'the number of connections that one address may hold (default: 512)')
    .option('--tls-certificate <file>', 'the certificate (PEM, with its chain) for HTTPS; needs --tls-key')
    .option('--tls-key <file>', 'the key of the certificate (PEM, without a passphrase)')
    .option('--plain-http', 'allow HTTP without encryption on a --host that other machines reach')
    .option('--upstream-proxy <url>', 'the HTTP proxy to the upstream')
    .option('--upstream-ca <file>', 'a file of certificates to trust for the upstream, in place of the usual ones')
    .addOption(
      new Option('--log-level <level>', 'the lowest level that goes to the log (default: info)').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    )
    .option(
      '--demo [script]',
      'try it out on this machine: tills that sell, and an upstream that goes down now and then; "accept for 20s, down for 10s, repeat" says when',
    )
    .option('--welcome', 'at the very first start, make a test key and print how to use it');
  withCommonOptions(command).action(serve);
}

async function serve(options: ServeOptions & Record<string, unknown>): Promise<void> {
  if (options.demo !== undefined) return serveDemo(options.demo, options);
  moveRoamingData();
  const dataDir = dataDirectory(options.data);
  tellDesktop({ kind: 'data', path: resolve(dataDir) });
  const config = loadConfig(dataDir, options);
  const desktop = await meetDesktop();
  const onDeath = (): void => {
    console.error('counterfoil: the gateway failed; what was answered is safe. Start it again. Its log has the cause.');
    process.exit(1);
  };
  if (!isLoopback(config.host) || !isLoopback(config.consoleHost)) await desktop?.waitToListen();
  const gateway = await openGateway(config, onDeath, {
    ...desktop,
    tell(sentence, isSerious) {
      // With --json, standard output is for the ready line alone, and a program reads the rest from the console's /health.
      if (options.json !== true) console.log(`${sentence}\n`);
      else if (isSerious) console.error(`counterfoil: ${sentence}`);
    },
  });
  process.once('uncaughtException', (error) => void gateway.die(error));

  const stop = async (): Promise<void> => {
    await gateway.close();
    if (options.json !== true) console.log('Counterfoil has stopped. Everything that was answered is on disk.');
    // Only a file that never answers, such as one on a network drive that is gone, can still hold the process.
    setTimeout(() => process.exit(), 500).unref();
  };
  process.once('SIGTERM', () => void stop());
  // Ctrl-C and a closed terminal window signal the app and its gateway at once. The app answers, and sends `stop`: on Windows
  // a signal would kill this process.
  for (const signal of ['SIGINT', 'SIGHUP'])
    if (desktop === undefined) process.once(signal, () => void stop());
    else process.on(signal, () => {});
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
  console.log(`Counterfoil is running.
  console      ${describeConsole(gateway, data)}${describeAddresses(gateway, config.baseDomain)}
  metrics      ${gateway.consoleUrl}/metrics
  data         ${config.dataDir}
Stop it with Ctrl-C; nothing that was answered is lost.`);
  if (options.welcome === true) await welcome(gateway, data);
}

/** A journal keeps what it is told, for others to read: no link goes there. */
function describeConsole(gateway: Gateway, data: string): string {
  if (isJournal()) return `${gateway.consoleUrl}\n               a link into it: ${PROGRAM} console${data}`;
  return `${gateway.createLink()}\n               it lets one browser in, within ten minutes; then: ${PROGRAM} console${data}`;
}

/** Whether what is printed goes to systemd's journal: it names what it has connected there by device and inode. */
function isJournal(): boolean {
  const journal = process.env['JOURNAL_STREAM'];
  if (journal === undefined) return false;
  const { dev, ino } = fstatSync(process.stdout.fd);
  return journal === `${dev}:${ino}`;
}

/** Where tills send to: never the address that stands for all of them, which no till could use. */
function describeAddresses({ apiUrl, tillUrl }: Gateway, baseDomain: string): string {
  const url = tillUrl ?? reachableUrl(apiUrl, 'THIS-MACHINE');
  const lines = [
    `for tills    ${url}/v1/raw_transactions`,
    `             ${url}/v1/transaction (the earlier interface)`,
  ];
  if (tillUrl === undefined) lines.push('             THIS-MACHINE: this machine has no address in a network yet');
  const others = isEverywhere(apiUrl) ? listLanAddresses().filter((address) => !url.includes(`//${address}:`)) : [];
  if (others.length > 0) lines.push(`             also at ${others.join(', ')}`);
  if (baseDomain !== '') lines.push(`base domain  ${baseDomain} (customers' addresses of the earlier interface)`);
  lines.push(`described    ${url}/docs`);
  return lines.map((line) => `\n  ${line}`).join('');
}

/**
 * For a store without keys: makes a first test key and prints a request to paste. The key is shown this once. `data` is
 * the option that a command needs beside this gateway.
 */
async function welcome({ store, apiUrl }: Gateway, data: string): Promise<void> {
  if ((await store.setup.listKeys()).length > 0) {
    console.log(`Keys for more tills: ${PROGRAM} keys create${data} --help`);
    return;
  }
  const secret = generateSecret('test');
  const key = { administration: 'My store', mode: 'test', label: 'First till', interface: 'both' } as const;
  await store.setup.createKey({ ...key, secret, isAdopted: false }, ACTORS.firstStart);
  const body = {
    type: 'sale',
    external_id: 'T1-000001',
    timestamp: `${formatInstant(Date.now() / 1000)}Z`,
    object: { total: 12.5 },
  };
  console.log(`
A first key was made, in test mode. It is shown only now:
  ${secret}

Send a first sale:
  curl ${reachableUrl(apiUrl, '127.0.0.1')}/v1/raw_transactions \\
    -H 'token: ${secret}' -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(body)}'`);
  if (apiUrl.startsWith('https:'))
    console.log(`
curl refuses a certificate that it does not trust or that is for another name: put a name of the certificate into the
address, and add --cacert FILE when you signed it yourself.`);
}
