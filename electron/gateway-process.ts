// Runs the gateway in its own process. The gateway starts with the app, restarts after an unexpected exit, and stops before the
// app exits. Every confirmed sale is on disk, even if the app or the gateway crashes.

import { setTimeout as delay } from 'node:timers/promises';

import type { UtilityProcess } from 'electron';

import type { DesktopMessage, GatewayMessage, StartFault } from '../server/contract/desktop.ts';
import type { Sleep } from '../server/contract/machine.ts';
import { readOutput } from './process-output.ts';

/** The type of Electron's `utilityProcess.fork`, with only the members that this module uses. */
export type Fork = (
  modulePath: string,
  args: string[],
  options: { stdio: 'pipe'; serviceName: string; execArgv?: string[] },
) => UtilityProcess;

/**
 * The memory limits of every gateway process. Both limits are in one `--js-flags` option, because Electron ignores V8 flags in
 * any other place.
 */
const HEAP_BOUNDS = '--js-flags=--max-semi-space-size=8 --max-old-space-size=1024';

/** The current state. */
export type GatewayState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly ready: Ready }
  /**
   * The gateway exited unexpectedly, or could not start, and will be started again. `message` is the reason; it may be empty.
   */
  | { readonly kind: 'ended'; readonly fault: StartFault; readonly message: string; readonly hasRun: boolean }
  | { readonly kind: 'stopped' };

/** The line that `serve --json` prints when the gateway is ready for records. */
export interface Ready {
  readonly api: string;
  readonly console: string;
  readonly data: string;
}

/** What `backup --json` prints about the copy that it made. */
export interface Backup {
  /** The newest schema version that the gateway knows. */
  readonly programSchema: number;
  /** The lowest schema version that a program must know to use the data. */
  readonly oldestProgram: number;
}

export interface GatewayProcess {
  state(): GatewayState;
  /** Restarts the gateway. A call during a restart does not start another one. After `stop`, a call does nothing. */
  restart(): Promise<void>;
  /** Makes the gateway record that the machine was asleep. */
  noteSleep(sleep: Sleep): void;
  /** Creates a one-time link into the gateway's console. Rejects if the gateway does not answer. */
  createLink(): Promise<string>;
  /** Runs a command on the gateway's data. Resolves with the printed JSON; rejects with the error message. */
  ask(args: readonly string[]): Promise<string>;
  /** Copies the gateway's data to a new file. Rejects with the command's error message. */
  backUp(file: string): Promise<Backup>;
  /** Stops the gateway. Resolves when its process has ended. Calling it twice is safe. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly fork: Fork;
  /** The path of the gateway's program, which is the command line. */
  readonly entry: string;
  /** The data directory; undefined for the default one. */
  readonly dataDir: string | undefined;
  /** Reads the key that encrypts the gateway's secrets, in Base64; null without a usable keyring. Called at each start. */
  readonly readSealKey: () => Promise<string | null>;
  /** The system's proxy for an address, as a URL; null for none. */
  readonly findProxy: (url: string) => Promise<string | null>;
  /** Called before the gateway listens on the network. The gateway waits until this resolves, at most a minute. */
  readonly beforeListening: () => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls `act` after the pause before a restart. Returns a function that cancels this. */
  readonly after: (ms: number, act: () => void) => () => void;
  /** Called at each start with the absolute path of the data directory. */
  readonly onDataDir: (path: string) => void;
  readonly onState: (state: GatewayState) => void;
}

/** The shortest and the longest pause between two starts. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** If a gateway ran at least this long, the next pause is the shortest one again. */
const BACKOFF_RESET_MS = 5 * 60_000;
/** A gateway that does not stop within this time is killed. No confirmed sale is lost. */
const STOP_TIMEOUT_MS = 10_000;
const KEYRING_TIMEOUT_MS = 10_000;
/** Time-outs of commands. */
const LINK_TIMEOUT_MS = 5000;
const BACKUP_TIMEOUT_MS = 60 * 60_000;
const QUESTION_TIMEOUT_MS = 60_000;

/** Starts the gateway and keeps it running until it is stopped. */
export function startGateway(options: GatewayOptions): GatewayProcess {
  const { fork, entry, dataDir, readSealKey, findProxy, beforeListening, now, after, onDataDir, onState } = options;
  const dataOption = dataDir === undefined ? [] : ['--data', dataDir];
  let current: GatewayState = { kind: 'starting' };
  let child: UtilityProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let pauseMs = MIN_PAUSE_MS;
  let callOff = (): void => {};
  /** Whether the gateway should run. False after `stop`. */
  let isWanted = true;
  let isOver = false;
  let restarting: Promise<void> | undefined;
  /** By request number: the function that receives the requested link. */
  const links = new Map<number, (link: string) => void>();
  let lastLink = 0;
  /** Commands in progress. */
  const commands = new Set<UtilityProcess>();
  /**
   * The copy that `backUp` is making while no gateway runs. Undefined if there is none. The next start of the gateway waits
   * until the copy is done.
   */
  let copying: Promise<unknown> | undefined;
  /** The key of the gateway's secrets, if the keyring opened too late for the last start. The next start uses this key. */
  let lateKey: Promise<string | null> | undefined;
  /** The gateway that was started last, running or not. */
  let latest: UtilityProcess | undefined;

  function become(state: GatewayState): void {
    current = state;
    onState(state);
  }

  function startAgain(): void {
    become({ kind: 'starting' });
    start();
  }

  async function startWhenCopied(before: UtilityProcess): Promise<void> {
    await copying;
    if (isWanted && latest === before) startAgain();
  }

  function start(): void {
    const startedAt = now();
    const started = fork(entry, ['serve', '--json', ...dataOption], {
      stdio: 'pipe',
      serviceName: 'Counterfoil gateway',
      execArgv: [HEAP_BOUNDS],
    });
    child = started;
    latest = started;
    const tell = (message: DesktopMessage): void => {
      if (child === started) started.postMessage(message);
    };
    greet(tell);
    let hasRun = false;
    let failure: { readonly fault: StartFault; readonly message: string } | undefined;
    started.on('message', (message: GatewayMessage) => {
      switch (message.kind) {
        case 'data':
          return onDataDir(message.path);
        case 'proxy':
          return void findProxy(message.url)
            .catch(() => null)
            .then((proxy) => tell({ kind: 'proxy', id: message.id, proxy }));
        case 'listen':
          return void beforeListening()
            .catch(() => {})
            .then(() => tell({ kind: 'listen' }));
        case 'link':
          return links.get(message.id)?.(message.link);
        case 'failed':
          return void (failure = message);
        default:
          return assertNever(message);
      }
    });
    const output = readOutput(started);
    void output.firstLine.then((line) => {
      const ready = line === undefined ? undefined : readReady(line);
      if (ready === undefined || child !== started) return;
      hasRun = true;
      become({ kind: 'running', ready });
    });
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        resolve();
        if (child === started) child = undefined;
        // Commands that are still reading the data would block the start of the next gateway, so they are ended.
        if (copying === undefined)
          for (const command of commands) {
            commands.delete(command);
            command.kill();
          }
        if (!isWanted) return become({ kind: 'stopped' });
        if (now() - startedAt >= BACKOFF_RESET_MS) pauseMs = MIN_PAUSE_MS;
        void output.lastErrors.then((words) => {
          if (!isWanted || latest !== started) return; // stopped or restarted in the meantime
          callOff = after(pauseMs, () => void startWhenCopied(started));
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
          become({ kind: 'ended', fault: failure?.fault ?? 'other', message: failure?.message ?? words, hasRun });
        });
      });
    });
  }

  /**
   * Sends the key of the secrets to the started gateway. The keyring may be waiting for a person's password, but tills cannot
   * wait that long. So after a time-out the gateway starts without the key, and restarts with it once the keyring is open.
   */
  function greet(tell: (message: DesktopMessage) => void): void {
    const started = child;
    const key = lateKey ?? readSealKey().catch(() => null);
    const late = delay(KEYRING_TIMEOUT_MS, undefined, { ref: false });
    void Promise.race([key, late]).then((sealKey) => {
      tell({ kind: 'start', sealKey: sealKey ?? null });
      if (sealKey === undefined)
        void key.then((found) => {
          if (found === null || child !== started) return;
          lateKey = key;
          void restart();
        });
    });
  }

  async function end(): Promise<void> {
    isWanted = false;
    callOff();
    const asked = child;
    if (asked === undefined) {
      if (current.kind !== 'stopped') become({ kind: 'stopped' });
      return;
    }
    // a message, not a signal: on Windows, a signal would end the gateway immediately
    asked.postMessage({ kind: 'stop' } satisfies DesktopMessage);
    const giveUp = setTimeout(() => void asked.kill(), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(giveUp);
  }

  async function startAnew(): Promise<void> {
    await end();
    if (isOver) return;
    isWanted = true;
    pauseMs = MIN_PAUSE_MS;
    startAgain();
  }

  function restart(): Promise<void> {
    return (restarting ??= startAnew().finally(() => (restarting = undefined)));
  }

  /**
   * Runs a command on the gateway's data. Resolves with the printed JSON object; rejects with the error message. With
   * `isQuestion`, a command that the end of the gateway cuts off is run again.
   */
  async function run(args: readonly string[], timeoutMs: number, isQuestion = false): Promise<string> {
    const data = current.kind === 'running' ? ['--data', current.ready.data] : dataOption;
    const command = fork(entry, [...args, '--json', ...data], { stdio: 'pipe', serviceName: 'Counterfoil command' });
    commands.add(command);
    const giveUp = setTimeout(() => void command.kill(), timeoutMs);
    const output = readOutput(command);
    const line = await output.firstLine;
    clearTimeout(giveUp);
    command.kill(); // Electron keeps the process alive until it is killed
    const wasCutOff = !commands.delete(command);
    if (line !== undefined && Object.keys(membersOf(line)).length > 0) return line;
    if (wasCutOff && isQuestion && isWanted) return run(args, timeoutMs, isQuestion);
    throw new Error((await output.lastErrors) || `counterfoil ${args[0]} said nothing.`);
  }

  start();
  return {
    state: () => current,
    restart,
    noteSleep: (sleep) => child?.postMessage({ kind: 'slept', ...sleep } satisfies DesktopMessage),
    async createLink() {
      if (current.kind !== 'running') throw new Error('The gateway does not run.');
      const id = ++lastLink;
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      links.set(id, resolve);
      const giveUp = setTimeout(() => reject(new Error('The gateway does not answer.')), LINK_TIMEOUT_MS);
      child?.postMessage({ kind: 'link', id } satisfies DesktopMessage);
      return promise.finally(() => {
        clearTimeout(giveUp);
        links.delete(id);
      });
    },
    ask: (args) => run(args, QUESTION_TIMEOUT_MS, true),
    async backUp(file) {
      const made = run(['backup', file], BACKUP_TIMEOUT_MS);
      if (current.kind !== 'running') copying = made.catch(() => {}).finally(() => (copying = undefined));
      const { program_schema: programSchema, oldest_program: oldestProgram } = membersOf(await made);
      if (typeof programSchema !== 'number' || typeof oldestProgram !== 'number')
        throw new Error('The gateway made no backup.');
      return { programSchema, oldestProgram };
    },
    stop() {
      isOver = true;
      return end();
    },
  };
}

function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

function readReady(line: string): Ready | undefined {
  const { ready, api, console, data } = membersOf(line);
  const isReady = ready === true && typeof api === 'string' && typeof console === 'string' && typeof data === 'string';
  return isReady ? { api, console, data } : undefined;
}

/** The members of a JSON object. Empty if the text is not a JSON object. */
function membersOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
