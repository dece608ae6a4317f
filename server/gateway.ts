// The composition root: the only place that connects the parts of a gateway.

import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { openAlerter } from './alert/alerter.ts';
import { prepareSend } from './alert/send.ts';
import { openAmountFiller } from './amount-filler.ts';
import { openApiListener } from './api/listener.ts';
import { openArchiver } from './archiver.ts';
import { openBackups } from './backups.ts';
import { causeSentence } from './cause.ts';
import { openCertify } from './certify/certify.ts';
import { openClockOffset } from './clock-offset.ts';
import type { Config } from './config.ts';
import { builtRenderer, type ConsoleListener, openConsoleListener } from './console/listener.ts';
import type { NetworkTools } from './console/parts.ts';
import type { LastRestore } from './contract/restores.ts';
import { LOG_FOLDER } from './data-location.ts';
import { GatewayError, OperatorError, UsageError } from './errors.ts';
import { readUpstream } from './forward/address.ts';
import { prepareConnections } from './forward/connection.ts';
import { openForwarder } from './forward/forwarder.ts';
import { findOwnAddressFault } from './forward/own-address.ts';
import { openQueryPauses } from './forward/query-pause.ts';
import type { FindProxy } from './forward/system-proxy.ts';
import { prepareUpstreamCheck } from './forward/upstream-check.ts';
import { prepareUpstreamClients } from './forward/upstream-client.ts';
import { listenForTime } from './forward/upstream-time.ts';
import { loadCertificate } from './http/certificate.ts';
import { openMetricsAccess } from './http/metrics-access.ts';
import { type Clock, machineClock } from './lib/clock.ts';
import type { Interfaces, Resolve } from './lib/own-address.ts';
import { linkInto, writeListening } from './listening.ts';
import { type Log, openLog } from './log.ts';
import { type MachineWatch, openMachineWatch } from './machine-watch.ts';
import { addPartGauges, openMetrics } from './metrics.ts';
import { removeNetworkFile } from './network/network-file.ts';
import { type Network, openNetwork } from './network/network.ts';
import { openUpdatePorts, type UpdatePorts } from './network/update-ports.ts';
import { openDays } from './reconcile/days.ts';
import { openReconciler } from './reconcile/reconciler.ts';
import { countUpstream } from './reconcile/since.ts';
import { openVerdictCounts } from './reconcile/verdict-counts.ts';
import { openRestores } from './restores.ts';
import { openScrubber } from './scrubber.ts';
import { openStartEvents } from './start-events.ts';
import { prepareFolder } from './store/data-directory.ts';
import type { ReadSpace } from './store/health/ledger.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { openTodo, type Todo } from './todo/todo.ts';
import { BUILT_AT } from './version.ts';
import { openVia } from './via.ts';

const MAX_LOG_FLUSH_MS = 1000;

export interface Gateway {
  /**
   * The address to print for tills, without a slash at the end. Other machines can use this address. If none is open to other
   * machines, it is the address for this machine.
   */
  readonly apiUrl: string;
  readonly network: Pick<Network, 'view' | 'apiUrl' | 'consoleUrl'>;
  readonly consoleUrl: string;
  /** The console's address for browsers on this machine. It uses plain HTTP, so the browser need not trust a certificate. */
  readonly localConsoleUrl: string;
  readonly store: Store;
  readonly log: Log;
  /** Creates a one-time link to the console, valid for ten minutes. */
  createLink(): string;
  /** Creates a one-time link for a browser on this machine. */
  createLocalLink(): string;
  /** Call it with an uncaught error. It logs the error, then calls `onDeath`. */
  die(cause: unknown): Promise<void>;
  /** Finishes running calls, stores everything, and closes. A second call does no harm. */
  close(): Promise<void>;
}

/** One run of a gateway, from the opening of its store to the close. */
export interface GatewayRun extends Gateway {
  readonly port: number;
  readonly consolePort: number;
  /** Answers every new call with 503. Resolves when the running calls of tills have ended. */
  pause(): Promise<void>;
  /** Undoes `pause`. */
  resume(): void;
  /** Closes everything but the ports. After `pause`, they still answer with 503. Resolves to the function that closes them. */
  closeBehindPorts(): Promise<() => Promise<void>>;
}

/** The run that a gateway ended to restart on restored data. */
export interface FormerRun {
  /** Closes its ports. Safe to call twice. */
  readonly closePorts: () => Promise<void>;
  /** The code of a one-time link for the manager who restored. */
  readonly link: string;
  /** Why the restored data could not be opened; undefined if nobody tried before. */
  readonly failure: string | undefined;
}

/** Dependencies that a test or the desktop app replaces. */
export interface GatewaySurroundings {
  readonly clock: Clock;
  /** The folder of the built console pages. */
  readonly rendererFolder: string;
  /**
   * The key that encrypts secrets in the database. It comes from the operating system's keyring. Undefined without a keyring.
   */
  readonly sealKey: Uint8Array | undefined;
  /** Finds the system's proxy for an address. Used if no setting names a proxy. */
  readonly findProxy: FindProxy;
  /** Finds the IP addresses of a host name; undefined to ask DNS. */
  readonly resolveName: Resolve | undefined;
  /** Opens a network that the console shows instead of the gateway's own network. */
  readonly openConsoleNetwork: (store: Store) => Promise<NetworkTools>;
  /** Reads the network interfaces of this machine. */
  readonly readInterfaces: () => Interfaces;
  /** The UDP port of mDNS; undefined for the usual one. */
  readonly mdnsPort: number | undefined;
  /** Resolves when the gateway may open the network. */
  readonly waitToListen: () => Promise<void>;
  /** Runs `plan`, then restarts on the planned data. Rejects if `plan` does; nothing has changed then. */
  readonly restart: (plan: () => Promise<string>, link: string) => Promise<void>;
  readonly former: FormerRun;
  /** The build time of the program, in epoch milliseconds. */
  readonly builtAt: number;
  /** Reads the free space of the disk; undefined to ask the operating system. */
  readonly readSpace: ReadSpace | undefined;
  /** Called when a problem of the gateway or its machine begins or ends, with one or two sentences about it. */
  readonly tell: (sentence: string, isSerious: boolean) => void;
}

/**
 * Opens the store and both listeners. Throws an OperatorError that says what to do. Calls `onDeath` if the gateway cannot
 * continue. In that case all answered records are on disk, but the process must be restarted.
 */
export async function openGateway(
  config: Config,
  onDeath: (cause: unknown) => void,
  {
    clock = machineClock,
    rendererFolder = builtRenderer(),
    sealKey,
    findProxy,
    resolveName,
    openConsoleNetwork,
    readInterfaces,
    mdnsPort,
    waitToListen,
    restart = async () => {
      throw new Error('this gateway cannot restart');
    },
    former,
    builtAt = BUILT_AT,
    readSpace,
    tell = () => {},
  }: Partial<GatewaySurroundings> = {},
): Promise<GatewayRun> {
  if (config.tls !== undefined) loadCertificate(config.tls); // the certificate is checked before any file is written
  const mayReadMetrics = openMetricsAccess(config, (host) => network?.isOwnHost(host) ?? false);
  const openDispatcher = prepareConnections(config, findProxy);
  const openClient = prepareUpstreamClients(openDispatcher);
  prepareFolder(config.dataDir, LOG_FOLDER);
  const { log, close: closeLog } = openLog(config);
  const die = async (cause: unknown): Promise<void> => {
    log.fatal({ err: cause }, 'the gateway failed');
    await Promise.race([closeLog(), delay(MAX_LOG_FLUSH_MS)]);
    onDeath(cause);
  };
  const onFault = logOnceAMinute(log);
  let consoleListener: ConsoleListener | undefined;
  let watch: MachineWatch | undefined;
  let todo: Todo | undefined;
  let network: Network | undefined;
  let lastRestore: LastRestore | null =
    former?.failure === undefined ? null : { kind: 'failed', detail: former.failure };
  let updatePorts: UpdatePorts | undefined;
  const start = openStartEvents(config.dataDir, log, tell);
  const store = await openStore({
    dataDir: config.dataDir,
    role: 'gateway',
    sealKey,
    now: clock.now,
    builtAt,
    readSpace,
    onTrouble(trouble, cause) {
      if (trouble === undefined) log.info('the store accepts records again');
      else log.error({ ...trouble, err: cause }, 'the store accepts no records');
      watch?.noteTrouble();
    },
    onFault,
    onDeath: (cause) => void die(cause),
    ...start,
    onEarlierNetwork(earlier) {
      // without a fixed port, no till knows the port; after a restore, the ports of the former run are open
      if (config.port === 0 || former !== undefined) return;
      updatePorts = openUpdatePorts({
        config,
        earlier,
        clock,
        log,
        waitToListen,
        readInterfaces,
        mdnsPort,
        resolveName,
      });
    },
    onRestore(settled) {
      start.onRestore(settled);
      if (settled.kind === 'completed') lastRestore ??= { kind: 'done', setAside: basename(settled.asidePath) };
      else if (settled.cause !== undefined) lastRestore = { kind: 'failed', detail: settled.cause.message };
    },
  }).catch(async (error: unknown) => {
    if (!isExplained(error)) log.fatal({ err: error }, 'the store could not be opened');
    await updatePorts?.close();
    await closeLog();
    throw explainGatewayStart(config.dataDir, error);
  });
  // a gateway that was killed leaves its file behind, and commands would read the old addresses
  removeNetworkFile(config.dataDir, log);
  /**
   * Writes the gateway's addresses to a file that commands read. A failed write is only logged, because the gateway does not need
   * the file.
   */
  function tellCommands(isOpen: boolean): void {
    if (network === undefined) return;
    const { port, consolePort } = network;
    const urls = isOpen
      ? { consoleUrl: network.consoleUrl(), localConsoleUrl: network.localConsoleUrl() }
      : { consoleUrl: null, localConsoleUrl: null };
    try {
      writeListening(config.dataDir, { port, consolePort, ...urls });
    } catch (err) {
      log.warn({ err }, 'cannot write the listening addresses for commands');
    }
  }
  /** Returns the network. Throws while the listeners are not completely open yet. */
  function networkNow(): Network {
    if (network !== undefined) return network;
    throw new GatewayError('store_busy', { detail: 'The gateway is starting. Try again.' });
  }
  /** The functions that close the opened parts. Only parts that use the store are in this list. */
  const parts: (() => Promise<void>)[] = [];
  const ports: (() => Promise<void>)[] = [async () => updatePorts?.close()];
  /** Closes parts, then the store. Rejects with the first failure. */
  async function closeParts(closers: readonly (() => Promise<void>)[]): Promise<void> {
    tellCommands(false);
    const closed = await Promise.allSettled(closers.map(async (closePart) => closePart()));
    closed.push(...(await Promise.allSettled([store.close()])));
    const failed = closed.find((each) => each.status === 'rejected');
    if (failed === undefined) return log.info('stopped');
    log.error({ err: failed.reason }, 'something failed while stopping');
    throw failed.reason;
  }
  async function closeAll(): Promise<void> {
    try {
      await closeParts([...parts, ...ports]);
    } finally {
      await closeLog();
    }
  }
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  async function closePorts(): Promise<void> {
    await Promise.all(ports.map((closePort) => closePort()));
    await closeLog();
  }

  try {
    const machineWatch = await openMachineWatch({
      store,
      clock,
      dataDir: config.dataDir,
      log,
      listenForTime,
      tell,
      onChange() {
        consoleListener?.noteTrouble();
        todo?.noteChange();
      },
      onFault: (error) => onFault('the disk and the clock', error),
    });
    watch = machineWatch;
    parts.push(async () => machineWatch.close());
    const { health } = machineWatch;
    const metrics = openMetrics(store, health, clock.now);
    const queryPauses = openQueryPauses(clock);
    const via = openVia(store.outbox);
    const certify = await openCertify({
      store,
      clock,
      onChange: () => consoleListener?.noteCertify(),
      onFault: (error) => onFault('certifying a till', error),
    });
    parts.push(() => certify.close());
    const api = openApiListener({
      store,
      via,
      trials: certify,
      log,
      metrics,
      mayReadMetrics,
      config,
      authority: () => network?.authority(),
      isOwnHost: (host) => network?.isOwnHost(host) ?? false,
    });
    ports.push(() => api.close());
    const consoleNetwork = await openConsoleNetwork?.(store);
    const days = openDays({ store, clock });
    const alerter = openAlerter({
      store,
      clock,
      send: prepareSend({ openDispatcher, now: clock.now }),
      onChange: () => consoleListener?.noteTodo(),
      onFault: (error) => onFault('alerts', error),
    });
    parts.push(() => alerter.close());
    const backups = openBackups({
      store,
      clock,
      folder: config.backupFolder,
      keep: config.backupKeep ?? Infinity,
      onChange() {
        todo?.noteChange();
        consoleListener?.noteTrouble(); // Today says how many records are in no backup
      },
      onMade(path, isOnDataDisk) {
        if (isOnDataDisk)
          log.warn({ path }, 'a backup was made on the disk of the data; choose a folder on another disk');
        else log.info({ path }, 'a backup was made');
      },
      onFault: (error) => onFault('the daily backup', error),
    });
    parts.push(async () => backups.close());
    const restores = openRestores({
      store,
      clock,
      folder: config.backupFolder,
      archiveFolder: config.archiveFolder,
      countUpstream: (upstream, range) => countUpstream(upstream, range, { openDispatcher, clock }),
      restart,
      last: lastRestore,
      onFault: (error) => onFault('a restore', error),
    });
    const archiver = openArchiver({
      store,
      days,
      clock,
      months: config.archiveMonths,
      folder: config.archiveFolder,
      onChange() {
        todo?.noteChange();
        consoleListener?.noteTrouble();
      },
      onFault: (error) => onFault('the archive', error),
    });
    parts.push(async () => archiver.close());
    const openedTodo = openTodo({
      backups: backups.state,
      store,
      days,
      clock,
      health,
      network: () => consoleNetwork?.view() ?? network?.view(),
      onRead(tasks, isNew) {
        if (isNew) consoleListener?.noteTodo();
        alerter.noteTasks(tasks);
      },
      onFault: (error) => onFault('the to-do list', error),
    });
    todo = openedTodo;
    parts.push(() => openedTodo.close());
    const clockOffset = openClockOffset({ clock, listenForTime });
    parts.push(async () => clockOffset.close());
    store.watch({ groupStored: (ms) => metrics.syncSeconds.observe(ms / 1000) });
    addPartGauges(metrics, {
      store,
      tasks: () => openedTodo.present(),
      verdicts: openVerdictCounts({ store, days, clock }),
      clockOffset: () => clockOffset.seconds(),
      async backupAge() {
        const madeAt = await store.health.lastBackupAt();
        return madeAt === null ? Infinity : (clock.now() - madeAt) / 1000;
      },
      alerts: alerter.counts,
    });
    const openedConsole = openConsoleListener({
      store,
      log,
      metrics,
      mayReadMetrics,
      health,
      clock,
      rendererFolder,
      dataDir: config.dataDir,
      days,
      todo: openedTodo,
      backups,
      restores,
      firstLink: former?.link,
      alerter,
      network: consoleNetwork ?? {
        view: () => networkNow().view(),
        settle: async () => networkNow().settle(),
        test: async () => networkNow().test(),
      },
      certify,
      settings: config.settings ?? [],
      apiUrl: () => network?.apiUrl() ?? '',
      upstreams: {
        read: (input) => readUpstream({ ...input, linkLocal: false }, FIELD_NAMES, store.outbox.lanes()),
        findOwnAddressFault: (url) =>
          findOwnAddressFault(url, network === undefined ? [] : [network.port, network.consolePort]),
        check: prepareUpstreamCheck(openDispatcher, config, queryPauses),
      },
      onFault,
    });
    consoleListener = openedConsole;
    ports.push(() => openedConsole.close());
    const forwarder = openForwarder({
      store,
      via,
      openClient,
      queryPauses,
      onState({ administration, mode, interface: by }, { state, cause }) {
        const level = state === 'line down' || state === 'refused' ? 'warn' : 'info';
        log[level](
          { administration, mode, interface: by, state, cause: cause && causeSentence(cause) },
          'the state of a lane changed',
        );
      },
      onFault,
    });
    parts.push(() => forwarder.close());
    const reconciler = openReconciler({
      store,
      openDispatcher,
      clock,
      queryPauses,
      onVerdict({ journalId, day: { date }, verdict, isProvisional, reasons }) {
        const level = verdict === 'differs' && !isProvisional ? 'warn' : 'info';
        log[level]({ journalId, date, verdict, isProvisional, reasons }, 'a store day has a verdict');
      },
      onFault,
    });
    parts.push(() => reconciler.close());
    const scrubber = openScrubber({
      store,
      clock,
      onDamage: () => machineWatch.noteTrouble(),
      onFault: (error) => onFault('the scrub', error),
    });
    parts.push(async () => scrubber.close());

    const amountFiller = openAmountFiller({
      store,
      clock,
      onFault: (error) => onFault('the amounts of old records', error),
    });
    parts.push(async () => amountFiller.close());

    let isStarted = false;
    const opened = await openNetwork({
      config,
      store,
      clock,
      isClockRight: () => health().machine.clock === null,
      log,
      metrics,
      api,
      console: openedConsole,
      async beforeListening() {
        await former?.closePorts();
        await updatePorts?.close();
      },
      waitToListen,
      readInterfaces,
      mdnsPort,
      resolveName,
      onChange() {
        if (!isStarted) return;
        tellCommands(true);
        openedConsole.noteNetwork();
      },
    });
    network = opened;
    parts.push(() => opened.close());
    isStarted = true;
    tellCommands(true);
    if (config.ignoredVariables !== undefined)
      log.warn(
        { variables: config.ignoredVariables },
        'Kubernetes set these variables for a service named counterfoil; they are ignored',
      );
    log.info({ api: opened.apiUrl(), console: opened.consoleUrl(), node: process.version }, 'started');
    const { createLink } = openedConsole;
    return {
      get apiUrl() {
        return opened.apiUrl();
      },
      get consoleUrl() {
        return opened.consoleUrl();
      },
      localConsoleUrl: opened.localConsoleUrl(),
      network: opened,
      store,
      log,
      createLink: () => linkInto(opened.consoleUrl(), createLink()),
      createLocalLink: () => linkInto(opened.localConsoleUrl(), createLink()),
      die,
      close,
      port: opened.port,
      consolePort: opened.consolePort,
      async pause() {
        openedConsole.pause();
        await api.pause();
      },
      resume() {
        openedConsole.resume();
        api.resume();
      },
      async closeBehindPorts() {
        closing ??= closeParts(parts);
        await closing;
        return closePorts;
      },
    };
  } catch (error) {
    if (!isExplained(error)) log.fatal({ err: error }, 'the gateway could not start');
    await close().catch(() => {}); // `close` logs its errors; the caller must see why the start failed
    throw explainGatewayStart(config.dataDir, error);
  }
}

function isExplained(error: unknown): boolean {
  return error instanceof OperatorError || error instanceof UsageError;
}

/** Turns an error during the start into an OperatorError with one sentence. Returns an error that already has one unchanged. */
function explainGatewayStart(dataDir: string, error: unknown): unknown {
  if (isExplained(error)) return error;
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new OperatorError(
    `The gateway could not start: ${reason}. Every confirmed sale is safe; the log in ${join(dataDir, LOG_FOLDER)} says more.`,
    { cause: error },
  );
}

/** The names of an upstream's fields in the console's calls, for messages about a field. */
const FIELD_NAMES = { url: 'url', token: 'token', mode: 'the journal', plainHttp: 'plainHttp' };

/** Logs the same kind of background fault at most once a minute, because a fault may repeat several times a second. */
function logOnceAMinute(log: Log): (doing: string, error: unknown) => void {
  const loggedAt = new Map<string, number>();
  return (doing, error) => {
    if (performance.now() - (loggedAt.get(doing) ?? -Infinity) < 60_000) return;
    loggedAt.set(doing, performance.now());
    log.error({ doing, err: error }, 'something failed in the background');
  };
}
