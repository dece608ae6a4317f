// The console listener. It binds to loopback unless a setting opens it. The port for tills does not serve the console.

import { X509Certificate } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { join } from 'node:path';

import { limitConnections } from '../http/connection-limit.ts';
import { answerMeanwhile, sendProblem } from '../http/problem.ts';
import { openSecureServer, type SecureServer, type SharedCertificate } from '../http/secure-server.ts';
import { readTarget } from '../http/target.ts';
import { type Entry, openEntry } from '../network/entry.ts';
import { openAttempts } from './attempts.ts';
import { openEntranceNotes } from './entrance-notes.ts';
import { openLinks } from './link.ts';
import { openLive } from './live.ts';
import { nameRefused } from './origin.ts';
import type { ConsoleParts } from './parts.ts';
import { openPasswordLinks } from './password-link.ts';
import { openTokenSignals } from './read-tokens.ts';
import { openConsoleRoutes } from './routes.ts';
import { openSessions, type Sessions, stampOf } from './session.ts';
import { openWaitingSamples } from './waiting-samples.ts';

const SERVER_OPTIONS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  keepAliveTimeout: 60_000,
};
/** The gateway closes a connection that has been idle for this time. An open window gets messages more often. */
const INACTIVITY_MS = 75_000;
/** Maximum connections of one address; a browser opens six. */
const MAX_CONNECTIONS = 128;
/** Maximum time that running calls get to finish when the gateway stops. */
const MAX_DRAIN_MS = 1000;

export interface ConsoleListener {
  /**
   * The entry that accepts the connections of this port, at all its addresses. This machine may use HTTP, because its browsers
   * may not trust the certificate. Other machines must use HTTPS.
   */
  readonly entry: Entry;
  /** Lets new connections use HTTPS with this certificate. With undefined, new connections can no longer use HTTPS. */
  secureWith(certificate: SharedCertificate | undefined): void;
  /** Makes a one-time link and returns its code. */
  createLink(): string;
  /** Tells windows that the state of the gateway or its machine has changed. */
  noteTrouble(): void;
  /** Tells windows that the network has changed, for example one of its addresses. */
  noteNetwork(): void;
  /** Tells windows that a certification has changed. */
  noteCertify(): void;
  /** Tells all open console windows that the to-do list has changed. */
  noteTodo(): void;
  /** Answers new calls with 503 from now on, and ends every window's stream. */
  pause(): void;
  /** Undoes `pause`. */
  resume(): void;
  /** Ends every window's stream, finishes running calls, and closes every connection. */
  close(): Promise<void>;
}

export interface ConsoleListenerParts extends Pick<
  ConsoleParts,
  | 'store'
  | 'log'
  | 'metrics'
  | 'mayReadMetrics'
  | 'health'
  | 'upstreams'
  | 'days'
  | 'network'
  | 'certify'
  | 'todo'
  | 'alerter'
  | 'backups'
  | 'restores'
  | 'apiUrl'
  | 'settings'
  | 'dataDir'
  | 'rendererFolder'
  | 'clock'
> {
  /** The code of a one-time link that was made before a restart. */
  readonly firstLink?: string | undefined;
  /** Called when work in the background fails. `doing` names the work. */
  onFault(doing: string, error: unknown): void;
}

/** Returns the folder of the console's built pages. It is beside the bundle, or in `dist` of a checkout. */
export function builtRenderer(): string {
  const isCheckout = import.meta.filename.endsWith('.ts');
  return join(import.meta.dirname, ...(isCheckout ? ['..', '..', 'dist'] : ['..']), 'renderer');
}

/** Builds the listener without an address; the caller makes it listen. */
export function openConsoleListener(parts: ConsoleListenerParts): ConsoleListener {
  const { store, clock, onFault } = parts;
  const sessions = openSessions(clock);
  const links = openLinks(store.people, clock, parts.firstLink);
  const live = openLive(clock);
  const samples = openWaitingSamples(store.outbox, clock, (error) => onFault('samples of what waits', error));
  const tokenSignals = openTokenSignals();
  const shared = {
    ...parts,
    live,
    samples,
    sessions,
    attempts: openAttempts(clock),
    links,
    passwordLinks: openPasswordLinks(clock),
    tokenSignals,
    notes: openEntranceNotes(store.setup, clock, parts.log),
  };
  followStore(store, live, () => {
    endChangedUsers(store, sessions).catch((error: unknown) => onFault('sessions of users', error));
    store.people
      .listReadTokens()
      .then(tokenSignals.endOthers)
      .catch((error: unknown) => onFault('calls of removed tokens', error));
  });
  const port = openPort(shared);

  return {
    entry: port.entry,
    secureWith: port.secureWith,
    createLink: links.create,
    noteTrouble: () => live.note('trouble'),
    noteNetwork: () => live.note('setup'),
    noteCertify: () => live.note('certify'),
    noteTodo: () => live.note('todo'),
    pause() {
      port.pause(true);
      live.close();
    },
    resume: () => port.pause(false),
    async close() {
      samples.close();
      live.close();
      await port.close();
    },
  };
}

/** Opens the port of the console. It speaks HTTP, and also HTTPS while there is a certificate. */
function openPort(
  shared: Omit<ConsoleParts, 'scheme' | 'isOwnName'>,
): Pick<ConsoleListener, 'entry' | 'secureWith' | 'close'> & { pause(isPaused: boolean): void } {
  let isPaused = false;
  let secure: SecureServer | undefined;
  const plain = createServer(SERVER_OPTIONS);
  /** By connection: the calls that are not answered yet. */
  const underway = new WeakMap<Socket, Set<ServerResponse>>();
  const noteFailure = (socket: Socket, code: string, detail: string): void =>
    shared.log.info({ code, address: socket.remoteAddress, detail }, 'a secure connection to the console failed');
  const entry = openEntry({
    plain,
    takesPlainFromNetwork: () => false,
    onSilence: (socket) => noteFailure(socket, 'request_timeout', 'The connection sent nothing.'),
    onError: (err) => shared.log.error({ err }, 'a listener failed'),
    isBusy: (socket) =>
      underway
        .get(socket)
        ?.values()
        .some((res) => !isStream(res)) === true,
  });
  const { noteUse } = limitConnections(entry, { perAddress: MAX_CONNECTIONS, total: 2 * MAX_CONNECTIONS });
  bind(plain, openConsoleRoutes({ ...shared, scheme: 'http', isOwnName: () => false }));

  function bind(server: Server | HttpsServer, app: ReturnType<typeof openConsoleRoutes>): void {
    server.setTimeout(INACTIVITY_MS);
    server.on('request', (req, res) => {
      const socket = secure?.carrierOf(req.socket) ?? req.socket;
      noteUse(socket, res);
      const calls = underway.get(socket) ?? new Set();
      underway.set(socket, calls.add(res));
      res.once('close', () => calls.delete(res));
      const { host = req.headers.host, url } = readTarget(req.url ?? '');
      req.url = url;
      if (isPaused) answerMeanwhile(req, res, 'restoring a backup');
      else if (host === req.headers.host) app(req, res);
      else sendProblem(req, res, nameRefused());
    });
  }

  return {
    entry,
    pause: (paused) => void (isPaused = paused),
    secureWith(certificate) {
      if (certificate !== undefined && secure === undefined) {
        secure = openSecureServer(SERVER_OPTIONS, certificate, (code, socket, detail) =>
          noteFailure(socket as Socket, code, detail),
        );
        const isOwnName = (name: string): boolean => isNameOf(certificate, name);
        bind(secure.server, openConsoleRoutes({ ...shared, scheme: 'https', isOwnName }));
      }
      entry.secureWith(certificate && secure?.server);
    },
    async close() {
      secure?.close();
      await entry.close(MAX_DRAIN_MS);
    },
  };
}

/** Whether an answer is an event stream. Such a stream never ends, so nobody waits for it at shutdown. */
function isStream(res: ServerResponse): boolean {
  return res.headersSent && res.getHeader('Content-Type') === 'text/event-stream';
}

/** Whether a certificate is valid for a host name or address. */
function isNameOf(certificate: SharedCertificate, name: string): boolean {
  const host = name.replace(/^\[|\]$/g, '');
  const shown = new X509Certificate(certificate.inUse().cert);
  return (isIP(host) === 0 ? shown.checkHost(host) : shown.checkIP(host)) !== undefined;
}

/**
 * Ends the sessions of users who were removed, or who got another role or password. If a user was removed and a new user has
 * the same name, the old user's sessions still end.
 */
async function endChangedUsers(store: ConsoleParts['store'], sessions: Sessions): Promise<void> {
  const asked = sessions.list().filter(({ user }) => user !== undefined);
  // Checks only the sessions of this moment. A session that begins during the look-up below may belong to a user whom the
  // look-up does not find.
  const ids = new Set(asked.map(({ id }) => id));
  const names = new Set(asked.flatMap(({ user }) => (user === undefined ? [] : [user.name])));
  const found = await Promise.all([...names].map((name) => store.people.find(name)));
  sessions.endWhere(({ id, user, passwords }) => {
    if (user === undefined || !ids.has(id)) return undefined;
    const present = found.find((each) => each?.name === user.name && each.createdAt === user.createdAt);
    if (present === undefined) return 'removed';
    if (present.role !== user.role) return 'role';
    return passwords.includes(stampOf(present.password)) ? undefined : 'password';
  });
}

function followStore(store: ConsoleParts['store'], live: ConsoleParts['live'], onSetup: () => void): void {
  store.watch({
    recordsAdded: () => live.note('records'),
    deliveriesSettled: () => live.note('lanes'),
    laneNoted: () => live.note('lanes'),
    daysChanged: () => live.note('days'),
    amountsFilled() {
      for (const subject of ['records', 'days', 'setup'] as const) live.note(subject);
    },
    refusalsNoted: () => live.note('refusals'),
    setupChanged() {
      onSetup();
      live.note('lanes');
      live.note('setup');
    },
  });
}
