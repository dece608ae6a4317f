// The composition root: the only place that wires the parts of a gateway together.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { loadCertificate } from './api/certificate.ts';
import { openApiListener } from './api/listener.ts';
import type { Config } from './config.ts';
import { openConsoleListener } from './console/listener.ts';
import { OperatorError } from './errors.ts';
import { prepareConnections } from './forward/connection.ts';
import { openForwarder } from './forward/forwarder.ts';
import { prepareUpstreamClients } from './forward/upstream-client.ts';
import { writeListening } from './listening.ts';
import { type Log, LOG_FOLDER, openLog } from './log.ts';
import { openMetrics } from './metrics.ts';
import { prepareFolder } from './store/preparation.ts';
import { openStore, type Store } from './store/store.ts';
import { openTrail } from './trail.ts';

const LONGEST_LOG_FLUSH_MS = 1000;

export interface Gateway {
  /** Where tills send to, without a trailing slash. */
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly store: Store;
  readonly log: Log;
  /** For a bug that nobody caught: logs it, then calls `onDeath`. */
  die(cause: unknown): Promise<void>;
  /** Finishes the calls underway, commits, closes; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the store and both listeners. Throws an OperatorError that says what to do. `onDeath` is called when the
 * gateway cannot go on; what was answered is safe, and the process should be started anew.
 */
export async function openGateway(config: Config, onDeath: (cause: unknown) => void): Promise<Gateway> {
  const certificate = config.tls && loadCertificate(config.tls);
  const openDispatcher = prepareConnections(config);
  const openClient = prepareUpstreamClients(openDispatcher);
  prepareFolder(config.dataDir, LOG_FOLDER);
  const { log, close: closeLog } = openLog(config);
  const die = async (cause: unknown): Promise<void> => {
    log.fatal({ err: cause }, 'the gateway failed');
    await Promise.race([closeLog(), delay(LONGEST_LOG_FLUSH_MS)]);
    onDeath(cause);
  };
  const onFault = logOnceAMinute(log);
  const store = await openStore({
    dataDir: config.dataDir,
    role: 'gateway',
    onTrouble(trouble, cause) {
      if (trouble === undefined) log.info('the store takes records again');
      else log.error({ ...trouble, err: cause }, 'the store takes no records');
    },
    onFault,
    onDeath: (cause) => void die(cause),
  }).catch(async (error: unknown) => {
    await closeLog();
    throw error;
  });
  const metrics = openMetrics(store);
  const trail = openTrail(store.cursorSecret, store);
  const api = openApiListener({ store, trail, log, metrics, config, certificate });
  const consoleServer = openConsoleListener({ metrics });
  const forwarder = openForwarder({
    store,
    trail,
    openClient,
    onState({ administration, mode, interface: by }, { state, cause }) {
      const level = state === 'line down' || state === 'refused' ? 'warn' : 'info';
      log[level]({ administration, mode, interface: by, state, cause }, 'a lane is in another state');
    },
    onFault,
  });

  async function closeAll(): Promise<void> {
    await Promise.all([api.close(), forwarder.close()]);
    consoleServer.closeAllConnections();
    await new Promise((resolve) => consoleServer.close(resolve));
    await store.close();
    log.info('stopped');
    await closeLog();
  }
  /** Nothing but a check of commands depends on it. */
  function tellCommands(port: number, consolePort: number): void {
    try {
      writeListening(config.dataDir, { port, consolePort });
    } catch (err) {
      log.warn({ err }, 'the ports cannot be written down for commands');
    }
  }

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());

  try {
    const at = await listen(api.server, config.host, config.port, 'port');
    const apiUrl = `${certificate === undefined ? 'http' : 'https'}://${at.host}:${at.port}`;
    const consoleAt = await listen(consoleServer, '127.0.0.1', config.consolePort, 'console-port');
    const consoleUrl = `http://${consoleAt.host}:${consoleAt.port}`;
    tellCommands(at.port, consoleAt.port);
    for (const server of [api.server, consoleServer])
      server.on('error', (err) => log.error({ err }, 'a listener failed'));
    log.info({ api: apiUrl, console: consoleUrl, node: process.version }, 'started');
    return { apiUrl, consoleUrl, store, log, die, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A fault in the background may repeat several times a second. */
function logOnceAMinute(log: Log): (doing: string, error: unknown) => void {
  const loggedAt = new Map<string, number>();
  return (doing, error) => {
    if (performance.now() - (loggedAt.get(doing) ?? -Infinity) < 60_000) return;
    loggedAt.set(doing, performance.now());
    log.error({ doing, err: error }, 'something failed in the background');
  };
}

/** Where a server listens; `host` as it stands in a URL. */
interface ListeningAt {
  readonly host: string;
  readonly port: number;
}

function listen(server: Server, host: string, port: number, flag: string): Promise<ListeningAt> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(explainListening(error, host, port, flag));
    server.once('error', onError);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', onError);
      const { address, family, port: actual } = server.address() as AddressInfo;
      resolve({ host: family === 'IPv6' ? `[${address}]` : address, port: actual });
    });
  });
}

function explainListening(error: NodeJS.ErrnoException, host: string, port: number, flag: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} is used by another program. Stop it, or choose another port with --${flag}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(
        `This machine has no address ${host}. Give one of its own with --host, or 0.0.0.0 for all.`,
      );
    case 'EACCES':
      return new OperatorError(`Port ${port} may not be opened by this user. Choose one above 1024 with --${flag}.`);
    default:
      return error;
  }
}
