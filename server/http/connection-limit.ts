// How many connections one address, one network and all together may hold. When a limit is exceeded, the longest unused connection
// of the largest holder is closed, so that idle or stuck ones never keep a new till out.

import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { networkOf } from '../network.ts';

/** A network of IPv6 may be a whole shop, so it may hold this many times the connections of one address. */
const NETWORK_FACTOR = 4;
const MAX_CONNECTIONS = 4096;
/** Files that the store, the log, the console and the lanes to the upstream need. */
const RESERVED_FILES = 320;
const MIN_CONNECTIONS = 16;

export interface ConnectionLimits {
  readonly perAddress: number;
  readonly total: number;
}

/** The limits of a listener, below the number of files that the process may open. */
export function connectionLimits(perAddress: number): ConnectionLimits {
  const most = Math.max(MAX_CONNECTIONS, 2 * perAddress);
  return { perAddress, total: Math.max(MIN_CONNECTIONS, Math.min(most, readFileLimit() - RESERVED_FILES)) };
}

/** Infinity where the system does not say, as on macOS and Windows. */
function readFileLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

interface Network {
  readonly name: string;
  connections: number;
  /** Sockets by address. The longest unused stand first, here and in the sets. */
  readonly addresses: Map<string, Set<Socket>>;
}

/**
 * Applies the limits to every connection of a server, from its first moment on. The returned function marks a connection as used
 * (for TLS: the TCP connection). A connection with an answer `underway` is closed only if all others of its address have one too.
 */
export function limitConnections(
  server: Server,
  { perAddress, total }: ConnectionLimits,
): (socket: Socket, underway?: ServerResponse) => void {
  /** The longest unused first. */
  const networks = new Map<string, Network>();
  const networkBySocket = new WeakMap<Socket, Network>();
  const answering = new WeakSet<Socket>();
  let connections = 0;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const name = networkOf(address);
    const network = networks.get(name) ?? { name, connections: 0, addresses: new Map<string, Set<Socket>>() };
    const sockets = network.addresses.get(address) ?? new Set<Socket>();
    networkBySocket.set(socket, network);
    sockets.add(socket);
    network.connections += 1;
    connections += 1;
    moveToEnd(network, address, sockets);
    socket.once('close', () => forget(socket, address, network));

    if (sockets.size > perAddress) closeOne(sockets, address, network, socket);
    else if (network.connections > NETWORK_FACTOR * perAddress) closeOneOf(network, socket);
    else if (connections > total)
      closeOneOf(
        largest(networks.values(), (each) => each.connections),
        socket,
      );
  });

  function moveToEnd(network: Network, address: string, sockets: Set<Socket>): void {
    networks.delete(network.name);
    networks.set(network.name, network);
    network.addresses.delete(address);
    network.addresses.set(address, sockets);
  }

  function forget(socket: Socket, address: string, network: Network): void {
    const sockets = network.addresses.get(address);
    if (sockets?.delete(socket) !== true) return; // it was closed by us
    network.connections -= 1;
    connections -= 1;
    if (sockets.size === 0) network.addresses.delete(address);
    if (network.connections === 0) networks.delete(network.name);
  }

  function closeOneOf(network: Network | undefined, newest: Socket): void {
    if (network === undefined) return;
    const [address = '', sockets = new Set<Socket>()] = largest(network.addresses, ([, each]) => each.size) ?? [];
    closeOne(sockets, address, network, newest);
  }

  function closeOne(sockets: Set<Socket>, address: string, network: Network, newest: Socket): void {
    const longestUnused = sockets.values().find((each) => each !== newest && !answering.has(each));
    const closed = longestUnused ?? sockets.values().next().value;
    if (closed === undefined) return;
    closed.destroy();
    forget(closed, address, network); // before its end is told, so that the next one counts rightly
  }

  return (socket, underway) => {
    const network = networkBySocket.get(socket);
    const address = socket.remoteAddress ?? '';
    const sockets = network?.addresses.get(address);
    if (network !== undefined && sockets?.delete(socket) === true) {
      sockets.add(socket);
      moveToEnd(network, address, sockets);
    }
    if (underway === undefined) return;
    answering.add(socket);
    underway.once('close', () => answering.delete(socket));
  };
}

/** The first of the largest. */
function largest<T>(all: Iterable<T>, sizeOf: (one: T) => number): T | undefined {
  let found: T | undefined;
  let most = -1;
  for (const one of all) {
    const size = sizeOf(one);
    if (size > most) [found, most] = [one, size];
  }
  return found;
}
