// The api listener: what tills reach. The intake handler stands in front; Express routes everything else. A call is
// refused in one place, and a connection that is slow, idle or one too many gives way before it hinders another.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import express, { type NextFunction, type Request, type Response } from 'express';

import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import { limitConnections } from './connection-limit.ts';
import { bindDocumentation } from './documentation.ts';
import { openQueryGate } from './query-gate.ts';
import { getRawTransactions, postRawTransaction, RAW_TRANSACTIONS_PATHS } from './raw-transactions.ts';
import { type Attempt, openRefusals } from './refuse.ts';

/** Node's own limits (60 s, 300 s, checked every 30 s) let slow senders crowd out new tills. */
const TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  keepAliveTimeout: 60_000,
};
/** A connection on which nothing moves, in either direction, for so long is dead. */
const INACTIVITY_MS = 75_000;
/** How long calls underway may take to finish when the gateway stops. */
const LONGEST_DRAIN_MS = 3000;

export interface ApiListener {
  readonly server: Server;
  /** Takes no new calls, finishes those underway, closes every connection. */
  close(): Promise<void>;
}

/** Builds the listener; the caller makes it listen. */
export function openApiListener(parts: {
  store: Store;
  log: Log;
  metrics: Metrics;
  config: Pick<Config, 'connectionsPerAddress'>;
}): ApiListener {
  const { store, metrics, config } = parts;
  const { refuse, refuseUnparsed } = openRefusals(parts);
  const gate = openQueryGate();

  type Handler = (req: IncomingMessage, res: ServerResponse, attempt: Attempt) => void | Promise<void>;
  /** Runs a handler; whatever it throws becomes the answer. */
  const attempting =
    (handle: Handler) =>
    async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const attempt: Attempt = {};
      try {
        await handle(req, res, attempt);
      } catch (error) {
        refuse(req, res, error, attempt);
      }
    };

  const post = attempting(async (req, res, attempt) => {
    const startedAt = performance.now();
    const status = await postRawTransaction(req, res, store, attempt);
    metrics.records[status].inc();
    metrics.intakeSeconds.observe((performance.now() - startedAt) / 1000);
  });
  const get = attempting((req, res, attempt) => getRawTransactions(req, res, store, gate, attempt));
  const methodNotAllowed = (allowed: string) =>
    attempting(() => {
      throw new GatewayError('method_not_allowed', {
        detail: `This path takes ${allowed}.`,
        headers: { Allow: allowed },
      });
    });

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  const onlyGet = methodNotAllowed('GET');
  app
    .post(RAW_TRANSACTIONS_PATHS, post)
    .head(RAW_TRANSACTIONS_PATHS, methodNotAllowed('GET, POST'))
    .get(RAW_TRANSACTIONS_PATHS, get);
  app.all(RAW_TRANSACTIONS_PATHS, methodNotAllowed('GET, POST'));
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', (_req, res) => {
    const trouble = store.trouble();
    res
      .status(trouble === undefined ? 200 : 503)
      .json(trouble === undefined ? { status: 'ok' } : { status: 'not ready', ...trouble });
  });
  bindDocumentation(app);
  app.all(['/healthz', '/readyz', '/openapi.json', '/docs'], onlyGet);
  app.use(
    attempting(() => {
      throw new GatewayError('not_found', {
        detail: `Nothing is here. Records go to ${RAW_TRANSACTIONS_PATHS[0]}; /docs describes the interface.`,
      });
    }),
  );

  // Four parameters are how Express knows an error handler.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => refuse(req, res, error, {}));

  const intakePaths = new Set(RAW_TRANSACTIONS_PATHS);
  /** The newest call on each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const handle = attempting(async (req, res) => {
    latest.set(req.socket, res);
    assertProperHttp(req);
    if (req.method === 'POST' && intakePaths.has(req.url ?? '')) await post(req, res);
    else app(req, res);
  });
  const server = createServer(TIMEOUTS, (req, res) => void handle(req, res));
  // "Expect: 100-continue": refusals come before the sender is told to go on.
  server.on('checkContinue', (req, res) => void handle(req, res));
  server.on('checkExpectation', (req, res) => {
    refuse(
      req,
      res,
      new GatewayError('expectation_unsupported', { detail: 'Leave the Expect header out, or send 100-continue.' }),
      {},
    );
  });
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket, latest.get(socket)));
  server.setTimeout(INACTIVITY_MS);
  limitConnections(server, config.connectionsPerAddress);

  return {
    server,
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection whose call has been answered is idle, not closed.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const lastCall = setTimeout(() => server.closeAllConnections(), LONGEST_DRAIN_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(lastCall);
    },
  };
}

/** Node's parser takes two Host headers and a request line without a version; both are ways to say two things at once. */
function assertProperHttp(req: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new GatewayError('request_malformed', { detail: 'Send one Host header.' });
  if (req.httpVersionMajor !== 1)
    throw new GatewayError('request_malformed', { detail: 'Send the version with the request line: HTTP/1.1.' });
}
