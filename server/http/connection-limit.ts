// Limits connections per address, per network and in total. If a new connection exceeds a limit, an old one is closed. The
// gateway chooses the network with the most connections, and in this network the address with the most connections. It closes
// the connection of this address that has been idle longest. So idle connections never block a new till. Connections without a
// valid key are closed before all others. So a flood of such connections closes no till's connection.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { listNetworks } from '../lib/network.ts';

/** The limit of an IPv6 network, as a multiple of the limit of one address. A whole shop may share the network. */
const NETWORK_FACTOR = 4;
const MAX_CONNECTIONS = 4096;
/** Number of open files that are reserved for the store, the log file, the console and the connections to upstreams. */
const RESERVED_FILES = 320;
const MIN_CONNECTIONS = 16;

export interface ConnectionLimits {
  readonly perAddress: number;
  readonly total: number;
}

/** The limits of a listener. They stay below the number of files that the process may open. */
export function connectionLimits(perAddress: number): ConnectionLimits {
  const most = Math.max(MAX_CONNECTIONS, 2 * perAddress);
  return { perAddress, total: Math.max(MIN_CONNECTIONS, Math.min(most, readFileLimit() - RESERVED_FILES)) };
}

/** The number of files that this process may open. Infinity if the system does not report it, as on macOS and Windows. */
function readFileLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** A connection is a stranger until a call with a valid key was answered on it. */
type Standing = 'stranger' | 'admitted';

/** A network or an address, with its connections. In each collection, the item that has been idle longest is first. */
interface Holder {
  readonly name: string;
  readonly holders: Map<string, Holder>;
  readonly sockets: Readonly<Record<Standing, Set<Socket>>>;
  readonly counts: Record<Standing, number>;
}

interface Held {
  /** The holders that contain the connection, from the holder of all networks down to the holder of its address. */
  readonly path: readonly Holder[];
  standing: Standing;
  answers: number;
}

export interface ConnectionGuard {
  /**
   * Notes that a connection was used. With `underway`, the connection waits for this answer. A waiting connection is closed
   * only if all connections of its address are waiting.
   */
  noteUse(socket: Socket, underway?: ServerResponse): void;
  /** Notes that a connection is admitted: a call with a valid key was answered on it. */
  noteAdmission(socket: Socket): void;
}

/** The source of new connections: a server, or a port with several addresses. */
interface ConnectionSource {
  on(event: 'connection', use: (socket: Socket) => void): unknown;
}

/** Applies the limits to every connection from the moment it opens. With TLS, the TCP connection is counted. */
export function limitConnections(source: ConnectionSource, { perAddress, total }: ConnectionLimits): ConnectionGuard {
  const everybody = openHolder('');
  const held = new Map<Socket, Held>();

  source.on('connection', (socket: Socket) => {
    const path = openPath(everybody, listNetworks(socket.remoteAddress ?? ''));
    const [ofAddress = everybody, network = everybody] = path.toReversed();
    if (sizeOf(ofAddress) >= perAddress) closeOne(ofAddress, path);
    else if (sizeOf(network) >= NETWORK_FACTOR * perAddress && network !== everybody) closeOne(network, path);
    else if (sizeOf(everybody) >= total) closeOne(everybody, path);
    add(socket, { path, standing: 'stranger', answers: 0 });
    socket.once('close', () => remove(socket));
  });

  function add(socket: Socket, connection: Held): void {
    held.set(socket, connection);
    const { path, standing } = connection;
    for (const [i, holder] of path.entries()) {
      holder.counts[standing] += 1;
      moveToEnd(path[i - 1], holder);
    }
    path.at(-1)?.sockets[standing].add(socket);
  }

  function remove(socket: Socket): void {
    const connection = held.get(socket);
    if (connection === undefined) return; // we closed it
    held.delete(socket);
    const { path, standing } = connection;
    path.at(-1)?.sockets[standing].delete(socket);
    for (const [i, holder] of path.entries()) {
      holder.counts[standing] -= 1;
      if (sizeOf(holder) === 0) path[i - 1]?.holders.delete(holder.name);
    }
  }

  /** Closes one connection. After that, a new connection with this `path` exceeds no limit. */
  function closeOne(from: Holder, path: readonly Holder[]): void {
    const standing = from.counts.stranger > 0 ? 'stranger' : 'admitted';
    let holder: Holder | undefined = from;
    for (let depth = path.indexOf(from) + 1; holder !== undefined && holder.holders.size > 0; depth++) {
      const own = path[depth];
      holder = largest(holder.holders.values(), (each) => {
        const count = each.counts[standing];
        return each === own && count > 0 ? count + 1 : count;
      });
    }
    const sockets = holder?.sockets[standing] ?? new Set();
    const closed = sockets.values().find((each) => held.get(each)?.answers === 0) ?? sockets.values().next().value;
    if (closed === undefined) return;
    closed.destroy();
    remove(closed); // does not wait for the close event, so that the next count is right
  }

  return {
    noteUse(socket, underway) {
      const connection = held.get(socket);
      if (connection === undefined) return;
      const { path, standing } = connection;
      for (const [i, holder] of path.entries()) moveToEnd(path[i - 1], holder);
      const sockets = path.at(-1)?.sockets[standing];
      if (sockets?.delete(socket) === true) sockets.add(socket);
      if (underway === undefined) return;
      connection.answers += 1;
      underway.once('close', () => (connection.answers -= 1));
    },
    noteAdmission(socket) {
      const connection = held.get(socket);
      if (connection === undefined || connection.standing === 'admitted') return;
      remove(socket);
      connection.standing = 'admitted';
      add(socket, connection);
    },
  };
}

function openHolder(name: string): Holder {
  return {
    name,
    holders: new Map(),
    sockets: { stranger: new Set(), admitted: new Set() },
    counts: { stranger: 0, admitted: 0 },
  };
}

/** Returns the holders with these names, from all networks down to the address. Makes the missing ones. */
function openPath(everybody: Holder, names: readonly string[]): readonly Holder[] {
  const path = [everybody];
  for (const name of names) path.push(path.at(-1)?.holders.get(name) ?? openHolder(name));
  return path;
}

/** Moves a holder to the end of its parent's list, because it was used last. Adds it if it is new. */
function moveToEnd(parent: Holder | undefined, holder: Holder): void {
  parent?.holders.delete(holder.name);
  parent?.holders.set(holder.name, holder);
}

function sizeOf({ counts }: Holder): number {
  return counts.stranger + counts.admitted;
}

/** Returns the item with the largest size. If several have this size, returns the first. */
function largest<T>(all: Iterable<T>, sizeOf: (one: T) => number): T | undefined {
  let found: T | undefined;
  let most = -1;
  for (const one of all) {
    const size = sizeOf(one);
    if (size > most) [found, most] = [one, size];
  }
  return found;
}
