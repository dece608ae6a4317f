// One port at several addresses, which can be opened and closed while the gateway runs. All connections go to one HTTP server
// or one HTTPS server. If there is a certificate, the first bytes of a connection decide which one. Without a certificate,
// every connection goes directly to the HTTP server.

import { EventEmitter } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';

import { listen, type ListeningAt } from '../http/listen.ts';
import { isLoopback } from '../lib/host.ts';

/** Maximum time to wait for the first bytes of a connection. */
const FIRST_BYTE_MS = 5000;
/**
 * If the first line of the call is incomplete after this number of bytes, the entry decides without the rest. The first line of
 * a call for the authority's certificate is shorter.
 */
const MAX_FIRST_LINE = 64;
/** Maximum time for running calls to finish after an address is closed. */
const MAX_DRAIN_MS = 3000;
const SWEEP_MS = 50;

/** The machines that can connect to an address: only this machine, only other machines, or both (as with 0.0.0.0). */
export type Reach = 'machine' | 'network' | 'both';

export interface EntryParts {
  /** The server for connections that use HTTP. It must not listen itself. */
  readonly plain: HttpServer;
  /**
   * Decides, by the first bytes, whether an HTTP connection from another machine goes to `plain`. Otherwise it goes to the
   * HTTPS server, which refuses it.
   */
  readonly takesPlainFromNetwork: (first: Buffer) => boolean;
  /** Called when a connection has not sent enough bytes in time. The connection is then closed. */
  readonly onSilence: (socket: Socket) => void;
  /** Called with each error of a listening socket. */
  readonly onError: (error: Error) => void;
  /**
   * Whether a call is running on a connection. Without this function, all connections count as busy, and closing an address can
   * take up to `MAX_DRAIN_MS`.
   */
  readonly isBusy?: (socket: Socket) => boolean;
}

export interface Entry {
  /** Calls `use` for each new connection, before the first byte is read. */
  on(event: 'connection', use: (socket: Socket) => void): unknown;
  /**
   * Listens at one more address and resolves to it. If that fails, rejects with an OperatorError that names `--<flag>`. Port 0
   * means any free port.
   */
  listen(host: string, port: number, flag: string, reach: Reach): Promise<ListeningAt>;
  /**
   * Sets the server for new connections that use TLS. It must not listen itself. With undefined, all new connections are
   * treated as HTTP.
   */
  secureWith(server: HttpsServer | undefined): void;
  /** The open addresses, as they were given to `listen`. */
  hosts(): readonly string[];
  /** Whether another machine uses plain HTTP on this connection, although the gateway has a certificate. */
  isPlainFromNetwork(socket: Socket): boolean;
  /**
   * Refuses new connections at one address from now on. Closes the existing connections of this address when their calls have
   * finished.
   */
  leave(host: string): Promise<void>;
  /** Closes all addresses. Waits at most `maxDrainMs` for running calls, and then closes all connections. */
  close(maxDrainMs: number): Promise<void>;
}

interface Door {
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

export function openEntry(parts: EntryParts): Entry {
  const { plain, takesPlainFromNetwork, onSilence, onError } = parts;
  const arrivals = new EventEmitter<{ connection: [Socket] }>();
  const doors = new Map<string, Door>();
  /** Connections that have not yet sent enough bytes to choose a server. */
  const silent = new Set<Socket>();
  const plainFromNetwork = new WeakSet<Socket>();
  const servers = new Set<HttpServer | HttpsServer>([plain]);
  let secure: HttpsServer | undefined;
  startTimeouts(plain);

  function hand(server: HttpServer | HttpsServer, socket: Socket): void {
    if (server === plain) Object.assign(socket, { server }); // after an error, Node reads the HTTP server from this property
    // Until the TLS handshake has finished, a half-closed connection is useless.
    else socket.allowHalfOpen = false;
    server.emit('connection', socket);
  }

  function receive(socket: Socket, reach: Reach): void {
    arrivals.emit('connection', socket);
    if (socket.destroyed) return;
    const https = secure;
    if (https === undefined) return hand(plain, socket);
    const isFromNetwork = reach === 'network' || (reach === 'both' && !isLoopback(socket.localAddress ?? ''));
    const isEnough = (first: Buffer): boolean => !isFromNetwork || !speaksHttp(first) || hasFirstLine(first);
    readFirstBytes(socket, isEnough, (first) => {
      const isPlain = speaksHttp(first) && (!isFromNetwork || takesPlainFromNetwork(first));
      if (isPlain && isFromNetwork) plainFromNetwork.add(socket);
      if (isPlain) {
        hand(plain, socket);
        socket.unshift(first); // the HTTP server already listens to the socket, so it gets these bytes now
      } else {
        socket.pause();
        socket.unshift(first); // this must come before `hand`, because TLS reads these bytes from the socket
        hand(https, socket);
      }
    });
  }

  function readFirstBytes(socket: Socket, isEnough: (first: Buffer) => boolean, use: (first: Buffer) => void): void {
    let first: Buffer = Buffer.alloc(0);
    const onData = (piece: Buffer): void => {
      first = first.length === 0 ? piece : Buffer.concat([first, piece]);
      if (!isEnough(first)) return;
      forget();
      use(first);
    };
    const end = (): void => {
      forget();
      socket.destroy();
    };
    const timer = setTimeout(() => {
      onSilence(socket);
      end();
    }, FIRST_BYTE_MS).unref();
    const forget = (): void => {
      clearTimeout(timer);
      silent.delete(socket);
      socket.off('data', onData).off('end', end).off('close', forget);
      if (!socket.destroyed) socket.off('error', end);
    };
    silent.add(socket);
    socket.on('data', onData).on('end', end).on('error', end).on('close', forget);
  }

  async function leave(host: string): Promise<void> {
    const door = doors.get(host);
    if (door === undefined) return;
    doors.delete(host);
    const { isBusy = () => true } = parts;
    const closed = new Promise((resolve) => door.server.close(resolve));
    const endIdle = (): void => {
      for (const socket of door.sockets) if (silent.has(socket) || !isBusy(socket)) socket.destroy();
    };
    endIdle();
    const sweep = setInterval(endIdle, SWEEP_MS);
    const lastCall = setTimeout(() => {
      for (const socket of door.sockets) socket.destroy();
    }, MAX_DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(lastCall);
  }

  return {
    on: (event, use) => arrivals.on(event, use),
    async listen(host, port, flag, reach) {
      const sockets = new Set<Socket>();
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        receive(socket, reach);
      });
      const at = await listen(server, host, port, flag);
      server.on('error', onError);
      doors.set(host, { server, sockets });
      return at;
    },
    secureWith(server) {
      secure = server;
      if (server === undefined || servers.has(server)) return;
      servers.add(server);
      startTimeouts(server);
    },
    hosts: () => [...doors.keys()],
    isPlainFromNetwork: (socket) => plainFromNetwork.has(socket),
    leave,
    async close(maxDrainMs) {
      const closed = Array.from(doors.values(), ({ server }) => new Promise((resolve) => server.close(resolve)));
      doors.clear();
      for (const socket of silent) socket.destroy();
      // A connection becomes idle after its last answer, but Node does not close it. So idle connections are closed here at
      // regular intervals.
      const endIdle = (): void => servers.forEach((server) => server.closeIdleConnections());
      endIdle();
      const sweep = setInterval(endIdle, SWEEP_MS);
      const lastCall = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), maxDrainMs);
      await Promise.all(closed);
      clearInterval(sweep);
      clearTimeout(lastCall);
      for (const server of servers) server.close(() => {}); // ends the server's timers for header and request time-outs
    },
  };
}

/**
 * Node checks the time-outs of headers and requests only after the event `listening`. These servers never listen themselves, so
 * this function emits the event.
 */
function startTimeouts(server: HttpServer | HttpsServer): void {
  server.emit('listening');
}

/**
 * Whether the first byte belongs to HTTP. An HTTP method begins with a capital letter, perhaps after empty lines (RFC 9112,
 * 2.2). TLS begins with 0x16.
 */
function speaksHttp([first = 0]: Buffer): boolean {
  return (first >= 0x41 && first <= 0x5a) || first === 0x0d || first === 0x0a;
}

/** Whether the first request line is complete, or already longer than the limit. Ignores empty lines before it. */
function hasFirstLine(first: Buffer): boolean {
  return first.length >= MAX_FIRST_LINE || first.toString('latin1').trimStart().includes('\n');
}
