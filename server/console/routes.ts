// All routes of the console listener: first the checks of a call, then the routes.

import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import { ACTORS } from '../contract/codes.ts';
import type { HealthAnswer } from '../contract/machine.ts';
import { ConsoleError, GatewayError } from '../errors.ts';
import { sendProblem } from '../http/problem.ts';
import { reachableUrl } from '../lib/own-address.ts';
import { PROGRAM } from '../program.ts';
import { VERSION } from '../version.ts';
import { bindActs } from './acts.ts';
import { bindAdministrations } from './administrations.ts';
import { bindAlerts } from './alerts.ts';
import { bindAmounts } from './amounts.ts';
import { bindArchive } from './archive.ts';
import { bindBackups } from './backups.ts';
import { bindCertifications } from './certifications.ts';
import { bindDayExports } from './day-export.ts';
import { bindDays } from './days.ts';
import { bindDeclaredTotals } from './declared-totals.ts';
import { bindEntrance, bindSession, bindSignIn, findSession } from './entrance.ts';
import { openExports } from './export.ts';
import { bindJournals } from './journals.ts';
import { bindKeys } from './keys.ts';
import { bindLanes } from './lanes.ts';
import { bindLive } from './live-events.ts';
import { bindNetwork } from './network.ts';
import { assertOwnHost, assertOwnPage, isLoopbackHost, isOwnHost } from './origin.ts';
import { bindOverview } from './overview.ts';
import { bindPages } from './pages.ts';
import { type ConsoleParts, findSessionOf, letIn } from './parts.ts';
import { bindPeople } from './people.ts';
import { bindQuiet } from './quiet.ts';
import { bindReadTokens, findTokenSession } from './read-tokens.ts';
import { bindRecordExport } from './record-export.ts';
import { bindRecords } from './records.ts';
import { bindRefusals } from './refusals.ts';
import { nothingHere, readJson } from './request.ts';
import { bindRestores } from './restores.ts';
import { openRoutes } from './rights.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { takeSessionKey } from './session-cookie.ts';
import { bindTodo } from './todo.ts';
import { bindTrends } from './trends.ts';
import { bindUpstreamCheck } from './upstream-check.ts';

export function openConsoleRoutes(parts: ConsoleParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  app.use(setSecurityHeaders());
  app.use(takeSessionKey);
  app.use(answerTills(parts));
  app.use(onlyOwnPages(parts));
  app.get('/metrics', async (req, res) => {
    if (!parts.mayReadMetrics(req)) assertThisMachine(req);
    const { contentType, text } = await parts.metrics.scrape();
    res.type(contentType).send(text);
  });
  app.get('/health', noStore, (req, res) => {
    assertThisMachine(req);
    const health = parts.health();
    res.status(health.trouble === null ? 200 : 503).json({ version: VERSION, ...health } satisfies HealthAnswer);
  });
  bindEntrance(app, parts);

  app.use('/api', noStore, refuseHead);
  bindSignIn(app, parts);
  // The session is checked a second time, because it may end while a slow body arrives.
  app.use('/api', onlyWithSession(parts), readJson, onlyWithSession(parts));
  const routes = openRoutes(app);
  bindSession(routes, parts);
  bindJournals(routes, parts);
  bindTodo(routes, parts);
  bindAlerts(routes, parts);
  bindOverview(routes, parts);
  bindTrends(routes, parts);
  bindQuiet(routes, parts);
  bindRecords(routes, parts);
  const sendExport = openExports(parts.log);
  bindRecordExport(routes, parts, sendExport);
  bindDayExports(routes, parts, sendExport); // must come before Days, because its /api/days/:date also matches /api/days/export
  bindDays(routes, parts);
  bindDeclaredTotals(routes, parts, sendExport);
  bindRefusals(routes, parts);
  bindLanes(routes, parts);
  bindUpstreamCheck(routes, parts);
  bindKeys(routes, parts);
  bindArchive(routes, parts);
  bindBackups(routes, parts);
  bindRestores(routes, parts);
  bindCertifications(routes, parts);
  bindAdministrations(routes, parts);
  bindAmounts(routes, parts);
  bindActs(routes, parts);
  bindNetwork(routes, parts);
  bindPeople(routes, parts);
  bindReadTokens(routes, parts);
  bindLive(routes, parts);
  app.use('/api', () => {
    throw nothingHere();
  });

  bindPages(app, parts.rendererFolder);
  app.use((req, res) => sendProblem(req, res, tillsElsewhere(parts.apiUrl())));
  app.use(answerFault(parts));
  return app;
}

function onlyOwnPages({ scheme, isOwnName }: ConsoleParts): RequestHandler {
  return (req, _res, next) => {
    const host = assertOwnHost(req, isOwnName);
    assertOwnPage(req, `${scheme}://${host}`, isApi(req));
    next();
  };
}

/** The paths of the till API, which the console does not serve. */
const TILL_PATH = /^\/((api|ext)\/)?v1\//;

/**
 * Tells a till that calls the console's port which address to use. Gives the address only if the Host header of the call names
 * the console.
 */
function answerTills({ apiUrl, isOwnName }: ConsoleParts): RequestHandler {
  return (req, res, next) => {
    if (!TILL_PATH.test(req.path)) return next();
    const address = isOwnHost(req, isOwnName) ? apiUrl() + req.path : undefined;
    sendProblem(req, res, tillsElsewhere(address));
  };
}

function tillsElsewhere(address: string | undefined): GatewayError {
  const where = address === undefined ? 'the other port of this machine' : reachableUrl(address);
  return nothingHere(`This is the console. Tills send to ${where}.`);
}

function isApi({ path }: Request): boolean {
  return /^\/api(\/|$)/i.test(path);
}

function assertThisMachine(req: Request): void {
  const address = req.socket.remoteAddress ?? '';
  if (isLoopbackHost(req.headers.host ?? '') && /^(::ffff:)?127\.|^::1$/.test(address)) return;
  throw nothingHere();
}

function noStore(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader('Cache-Control', 'no-store');
  next();
}

function onlyWithSession(parts: ConsoleParts): RequestHandler {
  return async (req, res, next) => {
    const session = (await findTokenSession(req, parts)) ?? findSession(req, res, parts);
    if (session === undefined) {
      throw new ConsoleError('session_missing', {
        detail: `Open the link that ${PROGRAM} serve printed, or a new one: ${PROGRAM} console.`,
      });
    }
    letIn(res, session);
    next();
  };
}

/** Refuses HEAD, because Express would do all the work of a GET for it. */
function refuseHead({ method }: Request, _res: Response, next: NextFunction): void {
  if (method !== 'HEAD') return next();
  throw new GatewayError('method_not_allowed', { detail: 'This path accepts GET.', headers: { Allow: 'GET' } });
}

/** Answers every thrown error. A call of the API gets a problem document; a page gets only the sentence. */
function answerFault({ log, notes }: ConsoleParts) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const refusal = refusalOf(error);
    const { status, code } = refusal;
    if (status === 403 || status === 429) {
      const actor = findSessionOf(res)?.actor ?? ACTORS.unknown;
      const { method, baseUrl, path } = req;
      notes.refused(
        { kind: 'refuse call', status, code, method, path: baseUrl + path },
        actor,
        req.socket.remoteAddress ?? '',
      );
    }
    if (code === 'internal' || code === 'store_damaged') {
      log.error({ err: refusal.cause ?? error, path: req.path }, 'a call of the console failed');
    }
    if (res.headersSent) return void res.destroy();
    if (isApi(req)) return sendProblem(req, res, refusal);
    res.status(refusal.status).type('text/plain').send(refusal.message);
  };
}

function refusalOf(error: unknown): GatewayError | ConsoleError {
  if (error instanceof GatewayError || error instanceof ConsoleError) return error;
  const { type, status } = (error ?? {}) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new GatewayError('body_too_large', { detail: 'Send at most 1 MiB.' });
    case 'encoding.unsupported':
      return new GatewayError('encoding_unsupported', { detail: 'Send the body uncompressed.' });
  }
  // Errors of Express itself, such as a badly encoded path.
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new GatewayError('request_malformed', { detail: 'The request cannot be read.' });
  }
  return new GatewayError('internal', { detail: 'The gateway failed on this call.', cause: error });
}
