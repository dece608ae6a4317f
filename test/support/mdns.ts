// Another machine on the local network that speaks mDNS. It shares the multicast group with the gateway under test.

import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';

import { Server } from 'bonjour-service/dist/lib/mdns-server.js';
import { onTestFinished } from 'vitest';

export interface MdnsAnswer {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly data: unknown;
  readonly flush?: boolean;
}

export interface MdnsPacket {
  readonly answers: readonly MdnsAnswer[];
  readonly authorities: readonly MdnsAnswer[];
}

export interface MdnsNeighbour {
  /** Sends a question. `claims` are the records that this neighbour wants for itself. */
  ask(name: string, type: string, claims?: readonly MdnsAnswer[]): void;
  /** Sends several questions in one packet. */
  askAll(questions: readonly { readonly name: string; readonly type: string }[]): void;
  /** Sends records that nobody asked for. */
  say(records: readonly MdnsAnswer[]): void;
  /** Answers questions for these names with this address. */
  own(names: readonly string[], address: string): void;
  /** Calls `hear` with each packet of this kind that is sent to the group. */
  onPacket(kind: 'query' | 'response', hear: (packet: MdnsPacket) => void): void;
  nextResponse(): Promise<MdnsPacket>;
}

/** Joins the group on the loopback interface until the test ends. */
export async function openNeighbour(port: number): Promise<MdnsNeighbour> {
  const options = { port, interface: '127.0.0.1', bind: '0.0.0.0' };
  const server = new Server(options);
  const mdns = server.mdns as EventEmitter & {
    query(packet: object): void;
    respond(records: readonly MdnsAnswer[]): void;
    destroy(): void;
  };
  onTestFinished(() => mdns.destroy());
  await once(mdns, 'ready');
  return {
    ask: (name, type, claims = []) => mdns.query({ questions: [{ name, type }], authorities: claims }),
    askAll: (questions) => mdns.query({ questions }),
    say: (records) => mdns.respond(records),
    own: (names, address) => server.register(names.map((name) => addressRecord(name, address))),
    onPacket: (kind, hear) => void mdns.on(kind, hear),
    nextResponse: async () => ((await once(mdns, 'response')) as [MdnsPacket])[0],
  };
}

export function addressRecord(name: string, data: string, ttl = 120) {
  return { name, type: 'A' as const, ttl, data };
}

/** A UDP port that no program uses. */
export async function findFreeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0);
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
