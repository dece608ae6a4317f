// `counterfoil serve --demo`: a demonstration that uses only this machine. Simulated tills sell, and the gateway forwards their
// sales. The demo has its own upstream, which is down from time to time. The demo reads no settings of a real gateway, and
// deletes its data directory at the end.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { causeSentence } from '../cause.ts';
import { flagName, loadConfig, type SettingName } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import { openDemoTills } from '../demo/tills.ts';
import { openDemoUpstream, readOutages } from '../demo/upstream.ts';
import { UsageError } from '../errors.ts';
import { type Gateway, openGateway } from '../gateway.ts';
import { PROGRAM } from '../program.ts';
import type { LaneStatus } from '../store/outbox/ledger.ts';
import { generateSecret } from '../store/setup/key-secret.ts';
import { printJson } from './output.ts';

/** The default script of the demo's upstream: it accepts calls for 20 seconds, and then is down for 10 seconds. */
const UP_AND_DOWN = 'accept for 20s, down for 10s, repeat';
const LANE = { administration: 'Demo', mode: 'test', interface: 'current' } as const;
/** The key of the demo's gateway for the demo's upstream. */
const TOKEN = 'test_demo';
const TILLS = ['Till 1', 'Till 2', 'Till 3'];
/** Interval at which the demo polls the state of the lane. SAY_MS is the interval at which it prints the state. */
const LOOK_MS = 250;
const SAY_MS = 5000;
/** The options of `serve` that the demo accepts. */
const TAKEN = new Set(['demo', 'port', 'consolePort', 'logLevel', 'json', 'welcome']);

/** Runs until a stop signal. Throws a UsageError for an unsupported option or a bad script. */
export async function serveDemo(script: string | true, options: Readonly<Record<string, unknown>>): Promise<void> {
  assertOptions(options);
  const closing: (() => void | Promise<void>)[] = [];
  /** Closes all parts, the last one first, because later parts use the earlier ones. */
  const closeAll = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close();
  };
  let stopping: Promise<void> | undefined;
  try {
    await openAll();
  } catch (error) {
    await closeAll();
    throw error;
  }
  // These handlers stay after the first signal: even after a second Ctrl-C, the demo must still delete its data directory.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void (stopping ??= closeAll()));

  async function openAll(): Promise<void> {
    const answers = script === true ? UP_AND_DOWN : script;
    const upstream = await openDemoUpstream({ token: TOKEN, outages: readOutages(answers) });
    closing.push(() => upstream.close());
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-demo-'));
    const remove = (): void => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    closing.push(remove);
    const { port = 0, consolePort = 0, logLevel, json } = options;
    const gateway = await openGateway(loadConfig(dataDir, { port, consolePort, logLevel }, {}), () => {
      console.error('counterfoil: the gateway of the demo failed.');
      remove();
      process.exit(1);
    });
    closing.push(() => gateway.close());
    process.once('uncaughtException', (error) => void gateway.die(error));
    const tills = openDemoTills({ apiUrl: gateway.apiUrl, keys: await setUp(gateway, upstream.url) });
    closing.push(() => tills.close());

    if (json === true) {
      const { apiUrl: api, consoleUrl } = gateway;
      const link = gateway.createLink();
      return printJson({ ready: true, api, console: consoleUrl, link, data: dataDir, upstream: upstream.url });
    }
    console.log(`This is a demo: ${TILLS.length} tills sell, and the connection to a test upstream goes down now and then.
  console      ${gateway.createLink()} (works once, in one browser, within ten minutes)
  for tills    ${gateway.apiUrl}/v1/raw_transactions
  described    ${gateway.apiUrl}/docs
  metrics      ${gateway.consoleUrl}/metrics
  upstream     ${upstream.url} (${answers})
  data         ${dataDir} (removed at the end)
  its status   ${PROGRAM} status --data ${dataDir}
Stop it with Ctrl-C. A sale is forwarded at once, or waits here while the line is down:`);
    closing.unshift(() => console.log('The demo has stopped and deleted its data.'));
    closing.push(tell(gateway));
  }
}

function assertOptions(options: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(options).find((name) => options[name] !== undefined && !TAKEN.has(name));
  if (other === 'data') throw new UsageError('--demo uses a temporary data directory: leave out --data.');
  if (other !== undefined) {
    throw new UsageError(`--demo has its own settings: leave out ${flagName(other as SettingName)}.`);
  }
}

/** Makes a key for each till and sets the upstream. Returns the keys. */
async function setUp({ store }: Gateway, url: string): Promise<string[]> {
  const keys = TILLS.map((label) => ({ label, secret: generateSecret('test') }));
  for (const key of keys) await store.setup.createKey({ ...LANE, ...key, isAdopted: false }, ACTORS.demo);
  const upstream = { url, token: TOKEN };
  await store.outbox.performAct(LANE, { kind: 'set upstream', upstream }, ACTORS.demo);
  return keys.map(({ secret }) => secret);
}

/**
 * Prints the state as one line, at regular intervals and after each change of the state. Returns a function that stops the
 * printing.
 */
function tell({ store }: Gateway): () => void {
  let saidAt = performance.now();
  let saidState: LaneStatus['state'] | undefined;

  async function look(): Promise<void> {
    const lanes = await store.outbox.listLaneStatus();
    const lane = lanes.find(({ mode, interface: by }) => mode === LANE.mode && by === LANE.interface);
    const isNew = saidState !== undefined && saidState !== lane?.state;
    if (lane === undefined || (!isNew && performance.now() - saidAt < SAY_MS)) return;
    saidAt = performance.now();
    saidState = lane.state;
    console.log(describeLane(lane));
  }
  // An error is ignored here, because the next poll or the log reports it.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  return () => clearInterval(timer);
}

function describeLane({ waiting, delivered, held, setAside, state, since, cause }: LaneStatus): string {
  const sales = waiting + delivered + held + setAside;
  const counts = `${sales === 1 ? '1 sale' : `${sales} sales`} here, ${delivered} forwarded, ${waiting} waiting${held === 0 ? '' : `, ${held} held`}`;
  const line = state === 'running' ? 'line up' : state;
  const why = state === 'running' && cause !== null ? ` (${causeSentence(cause)})` : '';
  return `${timeOfDay(Date.now())}  ${counts}; ${line} since ${timeOfDay(since ?? Date.now())}${why}`;
}

function timeOfDay(epochMs: number): string {
  return new Date(epochMs).toTimeString().slice(0, 8);
}
