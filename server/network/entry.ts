// One port at several addresses, which are opened and closed while the gateway runs. All connections go to one HTTP server and one
// HTTPS server. While there is a certificate, the first bytes decide between them. Without one, nothing is read here, and a
// connection costs one function call.

import { EventEmitter } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';

import { isLoopback } from '../config.ts';
import { listen, type ListeningAt } from '../http/listen.ts';

/** Time for the first bytes of a connection. */
const FIRST_BYTE_MS = 5000;
/** Bytes after which no end of the first line is waited for. Longer than the request for the authority. */
const MAX_FIRST_LINE = 64;
/** Time for running calls to finish when an address is closed. */
const MAX_DRAIN_MS = 3000;
const SWEEP_MS = 50;

/** Who reaches an address: only this machine, only others, or both, as with 0.0.0.0. */
export type Reach = 'machine' | 'network' | 'both';

export interface EntryParts {
  /** Gets connections that speak HTTP. It must not listen itself. */
  readonly plain: HttpServer;
  /**
   * Whether HTTP from other machines goes to `plain`, by the first bytes of the connection. Otherwise the HTTPS server gets and
   * refuses it.
   */
  readonly takesPlainFromNetwork: (first: Buffer) => boolean;
  /** Called when a connection sent nothing or too little in time; it is then closed. */
  readonly onSilence: (socket: Socket) => void;
  /** Called with each error of a listening socket. */
  readonly onError: (error: Error) => void;
  /** Whether a call is running on a connection. Without it, closing an address waits for the time-out. */
  readonly isBusy?: (socket: Socket) => boolean;
}

export interface Entry {
  /** Calls `use` with each new connection, before its first byte. */
  on(event: 'connection', use: (socket: Socket) => void): unknown;
  /**
   * Listens at one more address, and resolves to it. Rejects with an OperatorError that names `--<flag>` if that is impossible.
   * Port 0 is a free one.
   */
  listen(host: string, port: number, flag: string, reach: Reach): Promise<ListeningAt>;
  /** Gives new connections that speak TLS to this server, which must not listen itself. Undefined ends that. */
  secureWith(server: HttpsServer | undefined): void;
  /** The hosts that `listen` was called with and that are open. */
  hosts(): readonly string[];
  /** Whether other machines sent HTTP on this connection, although there is a certificate. */
  isPlainFromNetwork(socket: Socket): boolean;
  /** Closes one address at once for new connections, and its connections as soon as their calls have finished. */
  leave(host: string): Promise<void>;
  /** Closes every address, finishes running calls for at most `maxDrainMs`, and closes every connection. */
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
  /** Connections without enough first bytes. */
  const silent = new Set<Socket>();
  const plainFromNetwork = new WeakSet<Socket>();
  const servers = new Set<HttpServer | HttpsServer>([plain]);
  let secure: HttpsServer | undefined;
  startTimeouts(plain);

  function hand(server: HttpServer | HttpsServer, socket: Socket): void {
    if (server === plain) Object.assign(socket, { server }); // Node's HTTP server finds itself there after an error
    // Until a handshake has finished, a half-closed connection has no use.
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
        socket.unshift(first); // the server listens now, so it gets the bytes at once
      } else {
        socket.pause();
        socket.unshift(first); // first, because TLS takes the bytes from here
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
      // A connection that has got its last answer is idle, but stays open until somebody closes it.
      const endIdle = (): void => servers.forEach((server) => server.closeIdleConnections());
      endIdle();
      const sweep = setInterval(endIdle, SWEEP_MS);
      const lastCall = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), maxDrainMs);
      await Promise.all(closed);
      clearInterval(sweep);
      clearTimeout(lastCall);
      for (const server of servers) server.close(() => {}); // ends the checks of its time-outs
    },
  };
}

/** A server that does not listen checks no time-outs of headers and requests until it is told to. */
function startTimeouts(server: HttpServer | HttpsServer): void {
  server.emit('listening');
}

/** A method begins with a capital letter. Empty lines may come before it (RFC 9112, 2.2). TLS begins with 0x16. */
function speaksHttp([first = 0]: Buffer): boolean {
  return (first >= 0x41 && first <= 0x5a) || first === 0x0d || first === 0x0a;
}

/** Whether the request line is complete, after any empty lines, or long enough. */
function hasFirstLine(first: Buffer): boolean {
  return first.length >= MAX_FIRST_LINE || first.toString('latin1').trimStart().includes('\n');
}
