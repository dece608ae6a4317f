// The api listener, for tills. It closes slow, idle and excess connections before they hinder other tills, and refuses invalid HTTP.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Trials } from '../certify/trial.ts';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { connectionLimits, limitConnections } from '../http/connection-limit.ts';
import { openSecureServer, type SharedCertificate } from '../http/secure-server.ts';
import { readTarget } from '../http/target.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import type { Call } from './call.ts';
import { openRefusals } from './refuse.ts';
import { openRoutes } from './routes.ts';

const SERVER_OPTIONS = {
  // Node's own limits (60 s, 300 s, checked every 30 s) let slow senders crowd out new tills.
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  keepAliveTimeout: 60_000,
  requireHostHeader: false, // the gateway checks the header itself, with a better error message than Node
};
/** Idle time, in both directions, after which a connection is dead. */
const INACTIVITY_MS = 75_000;
/** Maximum unanswered calls of one connection. */
const MAX_PIPELINED = 64;
/** Time for running calls to finish when the gateway stops. */
const MAX_DRAIN_MS = 3000;

export interface ApiListener {
  readonly server: Server;
  /** Refuses new calls, finishes running ones, and closes every connection. */
  close(): Promise<void>;
}

/** Builds the listener; the caller makes it listen. With a certificate it speaks HTTPS, else HTTP. */
export function openApiListener(parts: {
  store: Store;
  via: Via;
  trials: Trials;
  log: Log;
  metrics: Metrics;
  config: Pick<Config, 'baseDomain' | 'connectionsPerAddress'>;
  certificate?: SharedCertificate | undefined;
}): ApiListener {
  const { refuse, refuseUnparsed, noteFailedHandshake } = openRefusals(parts);
  const route = openRoutes(parts, refuse);
  /** The newest call on each connection. */
  const latest = new WeakMap<Duplex, Call>();

  const { certificate } = parts;
  const secure = certificate && openSecureServer(SERVER_OPTIONS, certificate, noteFailedHandshake);
  const server = secure?.server ?? createServer(SERVER_OPTIONS);
  // A sender may close its side after the call, and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(INACTIVITY_MS);
  const connections = limitConnections(server, connectionLimits(parts.config.connectionsPerAddress));

  const isOneTooMany = countPipelined();

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (isOneTooMany(req.socket, res)) return void req.socket.destroy();
    const call = receive(req, res);
    const connection = secure?.carrierOf(req.socket) ?? req.socket;
    latest.set(req.socket, call);
    connections.noteUse(connection);
    try {
      assertProperHttp(req);
      await route(call);
    } catch (error) {
      refuse(call, error);
    }
    // Notes the valid key only after the whole call: a connection with half a record must not keep a new till out.
    if (call.isAdmitted === true) connections.noteAdmission(connection);
  }
  server.on('request', (req, res) => void handle(req, res));
  // With "Expect: 100-continue", the sender waits before its body. So the call can be refused before the body is sent.
  server.on('checkContinue', (req, res) => void handle(req, res));
  server.on('checkExpectation', (req, res) => {
    const call = receive(req, res);
    latest.set(req.socket, call);
    const detail = 'Send no Expect header, or 100-continue.';
    refuse(call, new GatewayError('expectation_unsupported', { detail }));
  });
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket, latest.get(socket)));

  return {
    server,
    async close() {
      secure?.close();
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      // Closes each connection that has got its last answer. Such a connection is idle, but nothing else closes it.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const lastCall = setTimeout(() => server.closeAllConnections(), MAX_DRAIN_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(lastCall);
    },
  };
}

/** Makes the call that the routes handle. */
function receive(req: IncomingMessage, res: ServerResponse): Call {
  const { url = '' } = req;
  req.url = readTarget(url).url;
  return { req, res, url };
}

/**
 * Limits the unanswered calls of each connection. A till waits for each answer before its next call. A sender of thousands of
 * calls at once would delay all other tills.
 */
function countPipelined(): (socket: Socket, res: ServerResponse) => boolean {
  const underway = new WeakMap<Socket, number>();
  const add = (socket: Socket, calls: number): number => {
    const sum = (underway.get(socket) ?? 0) + calls;
    underway.set(socket, sum);
    return sum;
  };
  return (socket, res) => {
    if (socket.destroyed || add(socket, 1) > MAX_PIPELINED) return true;
    res.once('close', () => add(socket, -1));
    return false;
  };
}

function assertProperHttp(req: IncomingMessage): void {
  const fault = findHttpFault(req);
  if (fault === undefined) return;
  throw new GatewayError('request_malformed', { detail: fault, headers: { Connection: 'close' } });
}

/** Finds ambiguous requests that Node's parser accepts. */
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
