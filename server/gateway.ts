// The composition root: the only place that wires the parts of a gateway together.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { openApiListener } from './api/listener.ts';
import type { Config } from './config.ts';
import { openConsoleListener } from './console/listener.ts';
import { OperatorError } from './errors.ts';
import { type Log, openLog } from './log.ts';
import { openMetrics } from './metrics.ts';
import { openStore, type Store } from './store/store.ts';

export interface Gateway {
  /** Where tills send to, without a trailing slash. */
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly store: Store;
  readonly log: Log;
  /** Finishes the calls underway, commits, closes; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the store and both listeners. Throws an OperatorError that says what to do. `onDeath` is called when the
 * gateway cannot go on; what was answered is safe, and the process should be started anew.
 */
export async function openGateway(config: Config, onDeath: (cause: Error) => void): Promise<Gateway> {
  const { log, close: closeLog } = openLog(config);
  const store = await openStore({
    dataDir: config.dataDir,
    role: 'gateway',
    onTrouble(trouble, cause) {
      if (trouble === undefined) log.info('the store takes records again');
      else log.error({ ...trouble, err: cause }, 'the store takes no records');
    },
    onDeath(cause) {
      log.fatal({ err: cause }, 'a thread of the store died');
      onDeath(cause);
    },
  });
  const metrics = openMetrics(store);
  const api = openApiListener({ store, log, metrics, config });
  const consoleServer = openConsoleListener({ metrics });

  async function closeAll(): Promise<void> {
    await api.close();
    consoleServer.closeAllConnections();
    await new Promise((resolve) => consoleServer.close(resolve));
    await store.close();
    log.info('stopped');
    await closeLog();
  }
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());

  try {
    const apiUrl = await listen(api.server, config.host, config.port, 'port');
    const consoleUrl = await listen(consoleServer, '127.0.0.1', config.consolePort, 'console-port');
    log.info({ api: apiUrl, console: consoleUrl, version: process.version }, 'started');
    return { apiUrl, consoleUrl, store, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listen(server: Server, host: string, port: number, flag: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListening(error, host, port, flag)));
    server.listen({ host, port, backlog: 1024 }, () => {
      const { address, family, port: actual } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`);
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
