// A stand-in for the upstream, for tests and trials. It accepts calls on both interfaces, gives right or wrong answers by a
// script, and knows the records in effect. It must not repeat the gateway's errors, so it shares no code that reads, stores
// or forwards records. It keeps everything in memory and listens on loopback by default.

import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

import type { Status, StatusCounts } from '../../../server/contract/codes.ts';
import { assertNever } from '../../../server/errors.ts';
import { type Clock, machineClock } from '../../../server/lib/clock.ts';
import { decide, isDown, nextTurnAt, startScript } from './decision.ts';
import { type Effect, type Good, openLedger } from './ledger.ts';
import { readCall, type ReadOptions, type ReceivedCall } from './received-call.ts';
import { formatBehaviour } from './script-format.ts';
import { type Behaviour, parseScript, type RetryAfter, type Script } from './script.ts';

export interface StandInOptions extends ReadOptions {
  /** 0, the default, picks a free port. */
  readonly port?: number;
  readonly host?: string;
  /** How the stand-in answers. By default it accepts everything. */
  readonly script?: Script | string;
  /** The minimum delay of every answer. */
  readonly latencyMs?: number;
  /**
   * If true, every call is kept with its bytes. If false, only the newest calls are kept, without bytes, so that memory grows
   * only with the number of ids.
   */
  readonly keepBodies?: boolean;
  /** The delay before queries see an accepted record. */
  readonly visibleAfterMs?: number;
  /** Speaks TLS, with this key and certificate in PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly clock?: Clock;
}

/** A call and what the stand-in did with it. */
export interface Attempt {
  /** When the call arrived, in epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The path with its query string, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body; empty where bodies are not kept. */
  readonly bytes: Buffer;
  /** The record's id, if it has one. */
  readonly id: string | undefined;
  /** What the script did. Undefined for an invalid call, which gets an answer such as 401, 404, 405 or 415. */
  readonly behaviour: Behaviour | undefined;
  /** The status of the record, if it was accepted. */
  readonly taken: Status | undefined;
}

export interface StandInSummary {
  /** Calls that arrived. */
  readonly attempts: number;
  /** Records in effect: distinct accepted ids. */
  readonly records: number;
  /** Accepted calls, by status. */
  readonly statuses: Readonly<StatusCounts>;
  /** The number of queries, and the largest number that ran at the same time (docs/interface.md#limits allows one). */
  readonly queries: number;
  readonly queriesAtOnce: number;
  /** Invalid calls, to which no script applies: unknown token, unknown path, no record. */
  readonly invalid: number;
  /** Calls by behaviour, in the words of scripts. */
  readonly behaviours: Readonly<Record<string, number>>;
}

export interface StandIn {
  readonly url: string;
  readonly port: number;
  /** Replaces the script. Resolves when the stand-in has started or stopped listening, as the script demands. */
  setScript(script: Script | string): Promise<void>;
  /** All calls in the order of arrival. */
  readonly attempts: readonly Attempt[];
  /** The records in effect, sorted by journal, interface and resource, then by first attempt. */
  readonly effects: readonly Effect[];
  summary(): StandInSummary;
  /** Resolves once `isSo` is true for the summary, which is checked now and after each call. */
  waitUntil(isSo: (summary: StandInSummary) => boolean): Promise<void>;
  /** Forgets all calls and restarts the script. */
  reset(): Promise<void>;
  /** Drops every connection, whether its call is answered or not. */
  close(): Promise<void>;
}

/** Maximum calls that are kept if their bodies are not kept. */
const NEWEST_ATTEMPTS = 100;
/** Maximum idle time of a connection. It is long, so that only scripts close connections. */
const KEEP_ALIVE_MS = 300_000;
const LISTEN_AGAIN_MS = 100;
const NOTHING = Buffer.alloc(0);

/** Opens a stand-in. It listens unless its script begins with "down". Throws a UsageError for a bad script. */
export async function openStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const {
    host = '127.0.0.1',
    latencyMs = 0,
    keepBodies = true,
    visibleAfterMs = 0,
    tls,
    clock = machineClock,
  } = options;
  const ledger = openLedger({ keepBodies, visibleAfterMs });
  const sockets = new Set<Socket>();
  const timers = new Set<() => void>();
  const watchers = new Set<() => void>();
  let state = startScript(readScript(options.script ?? 'accept'), clock.now());
  let attempts: Attempt[] = [];
  let port = options.port ?? 0;
  let isClosed = false;
  let counts = newCounts();

  const server = tls === undefined ? createServer(receive) : createTlsServer(tls, receive);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  // This event also gives the TCP connections below TLS.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });

  function later(ms: number, act: () => void): void {
    if (ms <= 0) return act();
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      act();
    });
    timers.add(cancel);
  }

  function receive(req: IncomingMessage, res: ServerResponse): void {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => answer(req, res, chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks)));
  }

  function answer(req: IncomingMessage, res: ServerResponse, bytes: Buffer): void {
    const { method = '', url: path = '', headers } = req;
    const at = clock.now();
    const call = readCall({ method, path, headers, bytes }, options);
    const behaviour = call.kind === 'invalid' ? undefined : decideOn(call, at);
    const good = call.kind === 'invalid' ? problemOf(call.status, call.what) : answerTo(call, at, behaviour?.takes);
    const taken = behaviour?.takes === true ? good.classified : undefined;
    counts.attempts += 1;
    if (behaviour === undefined || (call.kind === 'record' && call.fault !== undefined)) counts.invalid += 1;
    if (behaviour !== undefined) counts.behaviours.set(behaviour, (counts.behaviours.get(behaviour) ?? 0) + 1);
    if (call.kind === 'query') countQuery(res);
    note({ at, method, path, headers, bytes, id: call.kind === 'record' ? call.id : undefined, behaviour, taken });
    later(latencyMs + (behaviour?.afterMs ?? 0), () => perform(req, res, behaviour, good));
    if (isDown(state, at)) leaveAfter(res);
    for (const look of watchers) look();
  }

  function decideOn(call: Exclude<ReceivedCall, { kind: 'invalid' }>, at: number): Behaviour {
    const isRecord = call.kind === 'record';
    const decision = decide(state, {
      at,
      asks: call.kind,
      interface: isRecord ? call.interface : 'current',
      id: isRecord ? call.id : undefined,
      attempt: isRecord ? ledger.countAttempt(call) : 1,
    });
    state = decision.state;
    return decision.behaviour;
  }

  function answerTo(call: Exclude<ReceivedCall, { kind: 'invalid' }>, at: number, isTaken = false): Good {
    return call.kind === 'query' ? ledger.query(call.journal, call.parameters, at) : ledger.take(call, at, isTaken);
  }

  function countQuery(res: ServerResponse): void {
    counts.queries += 1;
    counts.queriesNow += 1;
    counts.queriesAtOnce = Math.max(counts.queriesAtOnce, counts.queriesNow);
    const { reset } = counts;
    res.once('close', () => counts.reset === reset && (counts.queriesNow -= 1));
  }

  function note(attempt: Attempt): void {
    attempts.push(keepBodies ? attempt : { ...attempt, bytes: NOTHING });
    if (!keepBodies && attempts.length >= 2 * NEWEST_ATTEMPTS) attempts = attempts.slice(-NEWEST_ATTEMPTS);
  }

  /** Applies the script's behaviour to an answer. */
  function perform(req: IncomingMessage, res: ServerResponse, behaviour: Behaviour | undefined, good: Good): void {
    const { socket } = req;
    if (socket.destroyed) return;
    const isFault = good.status >= 400;
    switch (behaviour?.kind) {
      case undefined:
        return send(res, good.status, good.body);
      case 'accept':
        if (isFault) return send(res, good.status, good.body);
        return send(res, behaviour.status ?? good.status, behaviour.body ?? good.body);
      case 'refuse': {
        const { status, body = problemOf(status, 'as the script says').body, retryAfter } = behaviour;
        return send(res, status, body, {
          ...(retryAfter && { 'Retry-After': retryAfterText(retryAfter, clock.now()) }),
        });
      }
      case 'redirect':
        return send(res, behaviour.status, '', { Location: behaviour.location });
      case 'wrong-type':
        return send(res, good.status, '<!doctype html><title>Welcome</title>', { 'Content-Type': 'text/html' });
      case 'twice': {
        // Sends both answers in one packet. Otherwise the client might close the connection after the first answer and never
        // get the second.
        socket.cork();
        socket.write(rawAnswer(good, 'keep-alive'));
        send(res, good.status, good.body);
        return socket.uncork();
      }
      case 'cut': {
        const raw = rawAnswer(good, 'close');
        return void socket.end(raw.subarray(0, raw.length - Math.ceil(Buffer.byteLength(good.body) / 2)));
      }
      case 'garbage':
        return void socket.end('\u0000\u0016\u0003 this is not HTTP\r\n\r\n', 'latin1');
      case 'dribble':
        return dribble(socket, rawAnswer(good, 'close'), behaviour.everyMs);
      case 'close':
      case 'down':
        return void socket.destroy();
      case 'reset':
        return void wireOf(socket).resetAndDestroy();
      case 'hang':
        return;
      default:
        return assertNever(behaviour);
    }
  }

  /** The TCP connection of a socket, also below TLS. Only TCP can be reset. */
  function wireOf(socket: Socket): Socket {
    return [...sockets].find(({ remotePort }) => remotePort === socket.remotePort) ?? socket;
  }

  function dribble(socket: Socket, bytes: Buffer, everyMs: number): void {
    if (socket.destroyed) return;
    if (bytes.length === 0) return void socket.end();
    socket.write(bytes.subarray(0, 1));
    later(everyMs, () => dribble(socket, bytes.subarray(1), everyMs));
  }

  let turnTimer: (() => void) | undefined;
  let following = Promise.resolve();

  /**
   * Starts or stops listening as the script demands, and sets a timer for the next change. A call that comes during this work
   * runs after it.
   */
  function follow(): Promise<void> {
    following = following.then(async () => {
      const wantsToListen = !isClosed && !isDown(state, clock.now());
      if (wantsToListen && !server.listening) await listenAgain();
      else if (!wantsToListen && server.listening) await leave();
      turnTimer?.();
      const hasOutages = state.script.main.steps.some(({ behaviour }) => behaviour.kind === 'down');
      const turnAt = hasOutages && !isClosed ? nextTurnAt(state, clock.now()) : undefined;
      turnTimer = turnAt === undefined ? undefined : clock.after(turnAt - clock.now(), () => void follow());
    });
    return following;
  }

  /** Applies the script after an answer has been sent, because the script may now be down. */
  function leaveAfter(res: ServerResponse): void {
    if (res.destroyed || res.writableFinished) void follow();
    else res.once('close', () => void follow());
  }

  async function listen(): Promise<void> {
    server.listen(port, host);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }

  /** Listens again, and retries if another connection uses the port at that moment. */
  async function listenAgain(): Promise<void> {
    try {
      await listen();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      later(LISTEN_AGAIN_MS, () => void follow());
    }
  }

  async function leave(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  async function begin(script: Script): Promise<void> {
    state = startScript(script, clock.now());
    await follow();
  }

  function summary(): StandInSummary {
    const statuses = ledger.countStatuses();
    const behaviours: Record<string, number> = {};
    for (const [behaviour, count] of counts.behaviours) {
      const name = formatBehaviour(behaviour);
      behaviours[name] = (behaviours[name] ?? 0) + count;
    }
    const { attempts: arrived, queries, queriesAtOnce, invalid } = counts;
    return { attempts: arrived, records: statuses.NEW, statuses, queries, queriesAtOnce, invalid, behaviours };
  }

  await listen(); // listens even if the script begins with "down", to get a port
  await follow();
  return {
    get url() {
      return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    },
    get port() {
      return port;
    },
    setScript: async (script) => begin(readScript(script)),
    get attempts() {
      return attempts;
    },
    get effects() {
      return ledger.listEffects();
    },
    summary,
    waitUntil(isSo) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (!isSo(summary())) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    async reset() {
      ledger.forget();
      attempts = [];
      counts = newCounts();
      await begin(state.script);
    },
    async close() {
      isClosed = true;
      for (const cancel of timers) cancel();
      await follow();
    },
  };
}

/** Counts that start from zero. A call that began before reset() counts in the old object when it ends. */
function newCounts() {
  return {
    reset: Symbol('counts'),
    attempts: 0,
    queries: 0,
    queriesNow: 0,
    queriesAtOnce: 0,
    invalid: 0,
    behaviours: new Map<Behaviour, number>(),
  };
}

function readScript(script: Script | string): Script {
  return typeof script === 'string' ? parseScript(script) : script;
}

function problemOf(status: number, detail: string): Good {
  return { status, body: JSON.stringify({ status, title: STATUS_CODES[status], detail }), classified: undefined };
}

function send(res: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers });
  res.end(body);
}

/** Makes the bytes of an answer, for answers that a correct HTTP server cannot send. */
function rawAnswer({ status, body }: Good, connection: 'close' | 'keep-alive'): Buffer {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${connection}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function retryAfterText(retryAfter: RetryAfter, now: number): string {
  switch (retryAfter.kind) {
    case 'seconds':
      return String(retryAfter.seconds);
    case 'date':
      return new Date(now + retryAfter.inMs).toUTCString();
    case 'text':
      return retryAfter.text;
  }
}
