// mDNS on one network interface. It asks whether a name is free, announces records and answers questions about them. It also
// notices if another machine uses the name. bonjour-service provides the socket, the packets and the answers. Its own `publish`
// is not used, because it would announce every address of the machine.

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

/** RFC 6762, section 8.1, requires three questions, 250 ms apart. */
const PROBES = 3;
const PROBE_INTERVAL_MS = 250;
/** Pauses before the second and third announcement. RFC 6762, section 8.3, requires at least two announcements. */
const ANNOUNCE_AGAIN_MS = [1000, 2000];
/** Maximum seconds that a simple client may cache an answer (RFC 6762, section 6.7). */
const MAX_DIRECT_TTL = 10;
/** Maximum questions that are answered per packet. Usual packets have fewer than ten. */
const MAX_QUESTIONS = 100;

/** `contested`: another machine is asking for the same name at the same time, and its records win the comparison. */
export type ProbeResult = 'free' | 'taken' | 'contested';

export interface LinkParts {
  /** The IPv4 address of the interface. */
  readonly at: string;
  readonly mdnsPort: number;
  readonly clock: Clock;
  /** Returns a function that says whether an address belongs to this machine. Called once per packet. */
  readOwn(): (address: string) => boolean;
  /** Called when another machine uses the announced name. */
  onConflict(): void;
  /** Called when mDNS stops working on this interface. It may be called several times for one interface. */
  onFault(error: Error): void;
}

export interface Link {
  /** Asks the network whether the host name is free, which takes about a second. Rejects if the question cannot be sent. */
  probe(announced: Announced): Promise<ProbeResult>;
  /** Announces the records, and answers questions about them until `close` is called. Rejects if the records cannot be sent. */
  announce(announced: Announced): Promise<void>;
  /** Tells the network that the announced records are no longer valid, and closes the socket. Never rejects. */
  close(): Promise<void>;
}

/** Opens the socket and joins the multicast group. Rejects with the system's error if that fails. */
export async function openLink({ at, mdnsPort, clock, readOwn, onConflict, onFault }: LinkParts): Promise<Link> {
  // Only a socket bound to 0.0.0.0 receives multicast. The library passes these options on, but its types do not have them.
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
      // All other warnings are about packets that other machines sent.
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
  // This must run before the library's own listener, which sends one packet for each question.
  mdns.prependListener('query', ({ questions }) => {
    questions.splice(0, questions.length, ...listDistinct(questions.slice(0, MAX_QUESTIONS)));
  });
  mdns.on('query', (query, from) => {
    if (announced === undefined) return;
    // A client that uses another port does not receive multicast answers.
    if (from.port !== mdnsPort) return answerDirectly(query, from, announced);
    const { host } = announced;
    const types = new Set<string>(listAddressRecords(announced).map(({ type }) => type));
    const lacks = ({ name, type }: Question): boolean =>
      isSameName(name, host) && (type === 'A' || type === 'AAAA') && !types.has(type);
    if (query.questions.some(lacks)) mdns.respond([missingAddressRecord(announced)], noteFault);
  });

  /** Sends the answer only to the client that asked, such as dig: RFC 6762, section 6.7. */
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
      // A random wait: machines that start at the same moment should not ask at the same moment.
      await wait(Math.random() * PROBE_INTERVAL_MS);
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
      // An error is ignored, because the interface may no longer exist.
      await send((done) => mdns.respond(goodbye, done)).catch(() => {});
    }
    await destroy();
  }

  /** Resolves after this time, or earlier if the link is closed. */
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
        resolve(); // the socket was never opened
      }
    });
  }

  return { probe, announce, close };
}

/** Copies the records, because the library changes them. */
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

/** The parts of multicast-dns that this module uses. The library has no types of its own. */
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
