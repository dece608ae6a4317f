// The api listener, for tills. It closes slow, idle and excess connections before they hinder other tills, and refuses invalid
// HTTP. If the listener has a certificate, other machines must use HTTPS. Over HTTP they can download only the authority's
// certificate, unless a person allows plain HTTP for all calls.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { Trials } from '../certify/trial.ts';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { connectionLimits, limitConnections } from '../http/connection-limit.ts';
import type { MetricsAccess } from '../http/metrics-access.ts';
import { answerMeanwhile, sendProblem } from '../http/problem.ts';
import {
  HANDSHAKE_TOO_SLOW,
  HTTPS_REQUIRED,
  openSecureServer,
  type SecureServer,
  type SharedCertificate,
} from '../http/secure-server.ts';
import { readTarget } from '../http/target.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Entry, openEntry } from '../network/entry.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import type { Call } from './call.ts';
import { openCalledAddresses } from './called-address.ts';
import { asksForAuthority, isAuthorityPath, type PublishedAuthority } from './published-authority.ts';
import { openRefusals } from './refuse.ts';
import { openRoutes } from './routes.ts';

const SERVER_OPTIONS = {
  // Node's own limits are 60 s and 300 s, checked every 30 s. With these limits, slow senders could hold all connections, and
  // new tills could not connect.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  keepAliveTimeout: 60_000,
  requireHostHeader: false, // the gateway checks the header itself, with a better error message than Node
};
/** The gateway closes a connection that has sent and received nothing for this time. */
const INACTIVITY_MS = 75_000;
/** Maximum calls of one connection that may wait for an answer at the same time. */
const MAX_PIPELINED = 64;
/** Maximum time that running calls get to finish when the gateway stops. */
const MAX_DRAIN_MS = 3000;

export interface ApiListener {
  /** The entry that accepts the connections of this port, at all its addresses. */
  readonly entry: Entry;
  /** Lets new connections use HTTPS with this certificate. With undefined, new connections can no longer use HTTPS. */
  secureWith(certificate: SharedCertificate | undefined): void;
  /** Sets whether other machines may use plain HTTP while the listener has a certificate. */
  allowPlainHttp(isAllowed: boolean): void;
  /** Answers new calls with 503 from now on. Resolves when the running calls have ended, or after three seconds. */
  pause(): Promise<void>;
  /** Undoes `pause`. */
  resume(): void;
  /** Refuses new calls, finishes running ones, and closes every connection. */
  close(): Promise<void>;
}

/** Builds the listener without an address; the caller makes it listen. */
export function openApiListener(parts: {
  store: Store;
  via: Via;
  trials: Trials;
  log: Log;
  metrics: Metrics;
  /** Whether another machine may read the metrics; by default none may. */
  mayReadMetrics?: MetricsAccess;
  config: Pick<Config, 'baseDomain' | 'connectionsPerAddress'>;
  /** Returns the authority that tills must trust. Undefined if there is none. */
  authority?: () => PublishedAuthority | undefined;
  /** Whether a host name or an address belongs to this machine. */
  isOwnHost?: (host: string) => boolean;
}): ApiListener {
  const { log, isOwnHost = () => false, authority = () => undefined, mayReadMetrics = () => false } = parts;
  const { refuse, refuseUnparsed, noteFailedHandshake } = openRefusals(parts);
  const route = openRoutes({ ...parts, authority, mayReadMetrics }, refuse);
  const addressOf = openCalledAddresses(isOwnHost);
  /** The newest call on each connection. */
  const latest = new WeakMap<Duplex, Call>();
  const pipeline = countPipelined();
  let secure: SecureServer | undefined;
  let isSecure = false;
  let allowsPlainHttp = false;
  let isPaused = false;

  const plain = createServer(SERVER_OPTIONS);
  bind(plain);
  const entry = openEntry({
    plain,
    takesPlainFromNetwork: (first) => allowsPlainHttp || asksForAuthority(first),
    onSilence: (socket) => noteFailedHandshake('request_timeout', socket, HANDSHAKE_TOO_SLOW),
    onError: (err) => log.error({ err }, 'a listener failed'),
    isBusy: pipeline.isBusy,
  });
  const connections = limitConnections(entry, connectionLimits(parts.config.connectionsPerAddress));

  function bind(server: Server | HttpsServer): void {
    // A sender may close its side of the connection after the call, and still wait for the answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.setTimeout(INACTIVITY_MS);
    server.on('request', (req, res) => void handle(req, res));
    // With "Expect: 100-continue", the sender waits for permission before it sends the body. So the gateway can refuse the call
    // before the body.
    server.on('checkContinue', (req, res) => void handle(req, res));
    server.on('checkExpectation', (req, res) => {
      const call = receive(req, res);
      latest.set(req.socket, call);
      const detail = 'Send no Expect header, or 100-continue.';
      refuse(call, new GatewayError('expectation_unsupported', { detail }));
    });
    server.on('clientError', (error, socket) => refuseUnparsed(error, socket, latest.get(socket)));
  }

  /** Makes the call that the routes handle. */
  function receive(req: IncomingMessage, res: ServerResponse): Call {
    const { url = '' } = req;
    req.url = readTarget(url).url;
    return { req, res, url, address: addressOf(req) };
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const connection = secure?.carrierOf(req.socket) ?? req.socket;
    if (pipeline.isOneTooMany(connection, res)) return void req.socket.destroy();
    if (isPaused) return answerMeanwhile(req, res, 'restoring a backup');
    const call = receive(req, res);
    latest.set(req.socket, call);
    connections.noteUse(connection);
    if (isSecure && !allowsPlainHttp && entry.isPlainFromNetwork(connection) && !isAuthorityPath(req))
      return requireHttps(req, res);
    try {
      assertProperHttp(req);
      await route(call);
    } catch (error) {
      refuse(call, error);
    }
    // Counts the connection as a till's connection only when the whole call has arrived. Otherwise a connection with half a
    // record could keep a new till out.
    if (call.isAdmitted === true) connections.noteAdmission(connection);
  }

  /**
   * Refuses a later call by HTTP on a connection that first asked for the authority's certificate. Logs it like a failed
   * handshake.
   */
  function requireHttps(req: IncomingMessage, res: ServerResponse): void {
    noteFailedHandshake('https_required', req.socket, HTTPS_REQUIRED);
    const headers = { Connection: 'close' };
    sendProblem(req, res, new GatewayError('https_required', { detail: HTTPS_REQUIRED, headers }));
  }

  return {
    entry,
    secureWith(certificate) {
      isSecure = certificate !== undefined;
      if (certificate !== undefined && secure === undefined) {
        secure = openSecureServer(SERVER_OPTIONS, certificate, noteFailedHandshake);
        bind(secure.server);
      }
      entry.secureWith(isSecure ? secure?.server : undefined);
    },
    async pause() {
      isPaused = true;
      await Promise.race([pipeline.whenIdle(), delay(MAX_DRAIN_MS, undefined, { ref: false })]);
    },
    resume: () => void (isPaused = false),
    allowPlainHttp: (isAllowed) => void (allowsPlainHttp = isAllowed),
    async close() {
      secure?.close();
      await entry.close(MAX_DRAIN_MS);
    },
  };
}

/**
 * Limits the unanswered calls of each connection. A till waits for each answer before its next call. A sender that does not
 * wait could send thousands of calls and delay all other tills.
 */
function countPipelined(): {
  isOneTooMany(socket: Socket, res: ServerResponse): boolean;
  /** Whether a call on the connection still waits for its answer. */
  isBusy(socket: Socket): boolean;
  /** Resolves when no call waits for its answer. */
  whenIdle(): Promise<void>;
} {
  let total = 0;
  let onIdle = (): void => {};
  const underway = new WeakMap<Socket, number>();
  const add = (socket: Socket, calls: number): number => {
    const sum = (underway.get(socket) ?? 0) + calls;
    underway.set(socket, sum);
    return sum;
  };
  return {
    isOneTooMany(socket, res) {
      if (socket.destroyed || add(socket, 1) > MAX_PIPELINED) return true;
      total += 1;
      res.once('close', () => {
        add(socket, -1);
        total -= 1;
        if (total === 0) onIdle();
      });
      return false;
    },
    whenIdle: () => (total === 0 ? Promise.resolve() : new Promise((resolve) => (onIdle = resolve))),
    isBusy: (socket) => (underway.get(socket) ?? 0) > 0,
  };
}

function assertProperHttp(req: IncomingMessage): void {
  const fault = findHttpFault(req);
  if (fault === undefined) return;
  throw new GatewayError('request_malformed', { detail: fault, headers: { Connection: 'close' } });
}

/**
 * Finds ambiguous requests that Node's parser accepts. Returns the advice for the sender, or undefined for a proper request.
 */
function findHttpFault({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'Send one Host header.';
  if (httpVersion === '1.1') return undefined;
  if (httpVersion !== '1.0') return 'Send the version with the request line: HTTP/1.1.';
  if (headers['transfer-encoding'] === undefined) return undefined;
  return 'HTTP/1.0 has no Transfer-Encoding; send a Content-Length, or HTTP/1.1.';
}
