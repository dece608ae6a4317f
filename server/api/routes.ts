// All routes of the api listener. The intake handler runs before Express, which routes all other calls. `refuse` answers thrown
// errors.

import express, { type Request, type Response } from 'express';

import type { Trials } from '../certify/trial.ts';
import type { Config } from '../config.ts';
import type { Interface, Status } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import type { MetricsAccess } from '../http/metrics-access.ts';
import { pathOf } from '../lib/query-string.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import { EARLIER_PATHS } from './address.ts';
import { bearerOf } from './authentication.ts';
import { openBodyReader } from './body.ts';
import type { Call } from './call.ts';
import { DAY_TOTALS_PATH, postDayTotal } from './day-totals.ts';
import { bindDocumentation } from './documentation.ts';
import { recordEarlierCall } from './earlier-interface.ts';
import { AUTHORITY_PATHS, bindPublishedAuthority, type PublishedAuthority } from './published-authority.ts';
import { openQueryGate } from './query-gate.ts';
import { getRawTransactions, postRawTransaction, RAW_TRANSACTIONS_PATHS } from './raw-transactions.ts';
import { bindTrustPage, TRUST_PATH } from './trust-page.ts';

type Handler = (call: Call) => void | Promise<void>;

/** Returns the function that routes a call. That function throws errors, or answers them with `refuse`. */
export function openRoutes(
  parts: {
    store: Store;
    via: Via;
    trials: Trials;
    metrics: Metrics;
    mayReadMetrics: MetricsAccess;
    config: Pick<Config, 'baseDomain'>;
    authority: () => PublishedAuthority | undefined;
  },
  refuse: (call: Call, error: unknown) => void,
): Handler {
  const { store, metrics, config } = parts;
  const gate = openQueryGate();
  const intake = { ...parts, readBody: openBodyReader() };
  const routed = (handler: Handler) => async (_req: Request, res: Response) => handler(res.locals['call'] as Call);
  /** Wraps an intake handler, so that its call is counted. The handler stores a record and returns its status. */
  const counted = (by: Interface, take: (call: Call) => Promise<Status>): Handler => {
    const counters = {
      NEW: metrics.records.labels(by, 'NEW'),
      IGNORED: metrics.records.labels(by, 'IGNORED'),
      ERROR: metrics.records.labels(by, 'ERROR'),
    };
    return async (call) => {
      const startedAt = performance.now();
      const status = await take(call);
      counters[status].inc();
      metrics.intakeSeconds.observe((performance.now() - startedAt) / 1000);
    };
  };

  const post = counted('current', (call) => postRawTransaction(call, intake));
  const query: Handler = (call) => getRawTransactions(call, parts, gate);
  const recordEarlier = counted('earlier', (call) => recordEarlierCall(call, intake, config.baseDomain));
  const readiness = (_req: Request, res: Response): void => {
    const trouble = store.health.trouble();
    if (trouble === undefined) res.json({ status: 'ok' });
    else res.status(503).json({ status: 'not ready', ...trouble });
  };
  const notAllowed =
    (methods: string): (() => never) =>
    () => {
      throw new GatewayError('method_not_allowed', {
        detail: `This path accepts ${methods}.`,
        headers: { Allow: methods },
      });
    };

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  app
    .route(RAW_TRANSACTIONS_PATHS)
    .post(routed(post))
    .head(notAllowed('GET, POST')) // without this, Express would answer HEAD as GET
    .get(routed(query))
    .all(notAllowed('GET, POST'));
  app
    .route(DAY_TOTALS_PATH)
    .post(routed((call) => postDayTotal(call, intake, gate)))
    .all(notAllowed('POST'));
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', readiness);
  // For any other caller, this path does not exist here.
  app.get('/metrics', async (req, res, next) => {
    if (!parts.mayReadMetrics(req)) return next();
    const { contentType, text } = await metrics.scrape();
    res.type(contentType).send(text);
  });
  bindDocumentation(app);
  bindPublishedAuthority(app, parts.authority);
  bindTrustPage(app, parts.authority);
  app
    .route(EARLIER_PATHS)
    .head(notAllowed('GET, POST'))
    .get(routed(recordEarlier))
    .post(routed(recordEarlier))
    .all(notAllowed('GET, POST'));
  app.all(['/healthz', '/readyz', '/openapi.json', '/docs', TRUST_PATH, ...AUTHORITY_PATHS], (req, _res, next) => {
    if (isEarlierCall(req)) next();
    else notAllowed('GET')();
  });
  // Every call with a token of the earlier interface belongs to it. A wrong path then gets 400, never 404
  // (docs/interface.md#earlier-interface).
  app.use((req, res, next) => {
    if (!isEarlierCall(req)) return next();
    if (req.method !== 'GET' && req.method !== 'POST') return notAllowed('GET, POST')();
    return routed(recordEarlier)(req, res);
  });

  return (call) => {
    const { req, res } = call;
    // The calls that tills send all the time skip Express, because its routing takes longer than their other work here.
    if (RAW_TRANSACTIONS_PATHS.includes(pathOf(req.url ?? ''))) {
      if (req.method === 'POST') return post(call);
      if (req.method === 'GET') return query(call);
    }
    Object.assign(res, { locals: { call } });
    app(req as Request, res as Response, (error?: unknown) => refuse(call, error ?? notFound()));
  };
}

/** Whether a call has a token of the earlier interface. */
function isEarlierCall({ headers }: Request): boolean {
  return bearerOf(headers) !== undefined;
}

function notFound(): GatewayError {
  return new GatewayError('not_found', {
    detail: `This path does not exist. Records go to ${RAW_TRANSACTIONS_PATHS[0]}; /docs describes the interface.`,
  });
}
