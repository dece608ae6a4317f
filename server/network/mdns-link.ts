// mDNS on one network interface. It asks whether a name is free, announces records, answers questions about them, and notices
// another machine that uses the name. bonjour-service brings the socket, the packets and the answers; its own `publish` would
// announce every address of the machine.

import { Server } from 'bonjour-service/dist/lib/mdns-server.js';
import type { ServiceRecord } from 'bonjour-service/dist/lib/service.js';

import type { Clock } from '../lib/clock.ts';
import {
  type Announced,
  type AddressRecord,
  isSameName,
  listAddressRecords,
  listForeign,
  listRecords,
  type MdnsRecord,
  missingAddressRecord,
  winsTie,
} from './mdns-records.ts';

/** RFC 6762, section 8.1: three questions, 250 ms apart. */
const PROBES = 3;
const PROBE_INTERVAL_MS = 250;
/** Pauses before the second and third announcement; section 8.3 asks for at least two. */
const ANNOUNCE_AGAIN_MS = [1000, 2000];
/** Seconds that a simple client may keep an answer: section 6.7. */
const MAX_DIRECT_TTL = 10;
/** Maximum questions of one packet that are answered. Usual packets have fewer than ten. */
const MAX_QUESTIONS = 100;

/** `contested`: another machine asks for the name at this moment, and its claim is stronger. */
export type ProbeResult = 'free' | 'taken' | 'contested';

export interface LinkParts {
  /** The IPv4 address of the interface. */
  readonly at: string;
  readonly mdnsPort: number;
  readonly clock: Clock;
  /** Returns the function that says whether an address belongs to this machine. Called once for a packet. */
  readOwn(): (address: string) => boolean;
  /** Another machine uses the announced name. */
  onConflict(): void;
  /** The interface does not work for mDNS. May be called several times. */
  onFault(error: Error): void;
}

export interface Link {
  /** Asks for a second whether the host name is free. Rejects if the question cannot be sent. */
  probe(announced: Announced): Promise<ProbeResult>;
  /** Announces the records, and answers questions about them until `close`. Rejects if they cannot be sent. */
  announce(announced: Announced): Promise<void>;
  /** Says goodbye for what was announced, and closes the socket. Never rejects. */
  close(): Promise<void>;
}

/** Opens the socket and joins the group. Rejects with the system's error if that fails. */
export async function openLink({ at, mdnsPort, clock, readOwn, onConflict, onFault }: LinkParts): Promise<Link> {
  // Only a socket that is bound to no address gets multicast. The library's types lack the options that it passes on.
  const options = { port: mdnsPort, interface: at, bind: '0.0.0.0' };
  const server = new Server(options, onFault);
  const mdns = server.mdns as Mdns;
  let isReady = false;
  let isClosed = false;
  let announced: Announced | undefined;
  const waits = new Set<() => void>();

  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => (isReady ? noteFault(error) : reject(error));
    mdns.on('error', fail);
    mdns.on('warning', (error) => {
      // Other warnings are about packets of other machines.
      if (error.syscall === 'addMembership' || error.syscall === 'setMulticastInterface') fail(error);
    });
    mdns.on('ready', () => {
      isReady = true;
      resolve();
    });
  }).catch(async (error: unknown) => {
    await destroy();
    throw error;
  });

  mdns.on('response', ({ answers, additionals }) => {
    if (announced !== undefined && listForeign([...answers, ...additionals], announced.host, readOwn()).length > 0)
      onConflict();
  });
  // Before the library's own listener, which would send one packet for each question.
  mdns.prependListener('query', ({ questions }) => {
    questions.splice(0, questions.length, ...listDistinct(questions.slice(0, MAX_QUESTIONS)));
  });
  mdns.on('query', (query, from) => {
    if (announced === undefined) return;
    // A client that does not use this port does not listen to the group.
    if (from.port !== mdnsPort) return answerDirectly(query, from, announced);
    const { host } = announced;
    const types = new Set<string>(listAddressRecords(announced).map(({ type }) => type));
    const lacks = ({ name, type }: Question): boolean =>
      isSameName(name, host) && (type === 'A' || type === 'AAAA') && !types.has(type);
    if (query.questions.some(lacks)) mdns.respond([missingAddressRecord(announced)], noteFault);
  });

  /** Answers a simple client, such as dig: RFC 6762, section 6.7. */
  function answerDirectly({ id, questions }: Packet, from: Sender, known: Announced): void {
    const answers = listRecords(known)
      .filter(({ name, type }) =>
        questions.some((q) => isSameName(q.name, name) && (q.type === type || q.type === 'ANY')),
      )
      .map((record) => ({ ...record, ttl: Math.min(record.ttl, MAX_DIRECT_TTL), flush: false }));
    if (answers.length > 0)
      mdns.respond({ id, questions, answers }, { address: from.address, port: from.port }, noteFault);
  }

  function noteFault(error?: Error | null): void {
    if (error != null && !isClosed) onFault(error);
  }

  async function probe(wanted: Announced): Promise<ProbeResult> {
    const ours = listAddressRecords(wanted);
    let result: ProbeResult = 'free';
    const onResponse = ({ answers, additionals }: Packet): void => {
      if (listForeign([...answers, ...additionals], wanted.host, readOwn()).length > 0) result = 'taken';
    };
    const onQuery = ({ authorities }: Packet): void => {
      const theirs = listForeign(authorities, wanted.host, readOwn());
      if (theirs.length > 0 && result === 'free' && !winsTie(ours, theirs)) result = 'contested';
    };
    mdns.on('response', onResponse);
    mdns.on('query', onQuery);
    try {
      await wait(Math.random() * PROBE_INTERVAL_MS); // machines that start together do not ask together
      for (let sent = 0; sent < PROBES && stillFree(); sent++) {
        await send((done) => mdns.query({ questions: [{ name: wanted.host, type: 'ANY' }], authorities: ours }, done));
        await wait(PROBE_INTERVAL_MS);
      }
      return result;
    } finally {
      mdns.removeListener('response', onResponse);
      mdns.removeListener('query', onQuery);
    }

    function stillFree(): boolean {
      return result === 'free' && !isClosed;
    }
  }

  async function announce(next: Announced): Promise<void> {
    announced = next;
    const records = listRecords(next);
    server.register(copyOf(records) as ServiceRecord[]);
    await send((done) => mdns.respond(copyOf(records), done));
    void (async () => {
      for (const ms of ANNOUNCE_AGAIN_MS) {
        await wait(ms);
        if (isClosed) return;
        mdns.respond(copyOf(records), noteFault);
      }
    })();
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    for (const end of waits) end();
    if (announced !== undefined) {
      const goodbye = listRecords(announced).map((record) => ({ ...record, ttl: 0 }));
      announced = undefined;
      await send((done) => mdns.respond(goodbye, done)).catch(() => {}); // the interface may be gone
    }
    await destroy();
  }

  /** Resolves after the time, or when the link closes. */
  function wait(ms: number): Promise<void> {
    if (isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        waits.delete(end);
        resolve();
      };
      const cancel = clock.after(ms, end);
      waits.add(end);
    });
  }

  function destroy(): Promise<void> {
    isClosed = true;
    return new Promise((resolve) => {
      try {
        mdns.destroy(() => resolve());
      } catch {
        resolve(); // it was never open
      }
    });
  }

  return { probe, announce, close };
}

/** The library changes the records that it gets. */
function copyOf(records: readonly MdnsRecord[]): MdnsRecord[] {
  return records.map((record) => ({ ...record }));
}

function listDistinct(questions: readonly Question[]): Question[] {
  return [...new Map(questions.map((each) => [`${each.type} ${each.name.toLowerCase()}`, each])).values()];
}

type Done = (error?: Error | null) => void;

function send(start: (done: Done) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error == null ? resolve() : reject(error))));
}

interface Question {
  readonly name: string;
  readonly type: string;
}

interface Packet {
  readonly id: number;
  readonly questions: Question[];
  readonly answers: readonly MdnsRecord[];
  readonly authorities: readonly MdnsRecord[];
  readonly additionals: readonly MdnsRecord[];
}

interface Sender {
  readonly address: string;
  readonly port: number;
}

/** What is used of multicast-dns, which has no types of its own. */
interface Mdns {
  on(event: 'ready', listen: () => void): void;
  on(event: 'error' | 'warning', listen: (error: NodeJS.ErrnoException) => void): void;
  on(event: 'query' | 'response', listen: (packet: Packet, from: Sender) => void): void;
  prependListener(event: 'query', listen: (packet: Packet) => void): void;
  removeListener(event: 'query' | 'response', listen: (packet: Packet, from: Sender) => void): void;
  query(
    packet: { readonly questions: readonly Question[]; readonly authorities: readonly AddressRecord[] },
    done: Done,
  ): void;
  respond(records: readonly MdnsRecord[], done: Done): void;
  respond(packet: Pick<Packet, 'id' | 'questions' | 'answers'>, to: Sender, done: Done): void;
  destroy(done: () => void): void;
}
