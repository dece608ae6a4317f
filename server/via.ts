// A header similar to Via (RFC 9110, 7.6.3) lists the gateways that a record came through. Each gateway adds its own id when it
// forwards. The upstream of a gateway may lead back to it, directly or through other gateways. In that case the gateway refuses
// the first record that comes back with its own id.

import { createHmac } from 'node:crypto';

import type { Interface } from './contract/codes.ts';

/** The header with the ids of gateways. The last id is the sender's. */
export const VIA_HEADER = 'Counterfoil-Gateway';

export interface Via {
  /** Whether a record with this header has come through this gateway before. */
  isOwn(header: string | undefined): boolean;
  /**
   * Stores those ids of the header that the lane does not have yet. Await this before you store the record. The store deletes
   * the ids when the lane gets another upstream.
   */
  note(journalId: number, by: Interface, header: string | undefined): Promise<void>;
  /** Makes the header for a record that came through these gateways. Adds the id of this gateway. */
  readonly headerOf: (senders: readonly string[]) => string;
}

const ID = /^[\w-]{16}$/;
/**
 * Maximum ids in the header, because many servers accept only headers of up to 8 KiB. Beyond this number, the oldest ids are
 * dropped. A loop is still found: in its first rounds the header has fewer ids, so it contains every gateway of the loop.
 */
const MAX_IDS = 400;
/**
 * Minimum time between two writes for a lane with `MAX_IDS` ids. Without it, each record could bring back an id that was just
 * dropped, and cause another write.
 */
const MIN_BETWEEN_WRITES_MS = 60_000;

/** Stores for each lane the ids of the gateways that sent to it, newest last. */
interface Senders {
  /** The secret that identifies this gateway. It changes when a person confirms a restore. */
  identity(): Uint8Array;
  lanes(): readonly {
    readonly journalId: number;
    readonly interface: Interface;
    readonly senders: readonly string[];
  }[];
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
}

/** New ids of a lane that are not stored yet. */
interface Noting {
  readonly ids: Set<string>;
  /** The next write. It begins after the running write, and stores `ids`. */
  next: Promise<void> | undefined;
  underway: Promise<void>;
  /** Earliest monotonic time of the next write, in milliseconds, for a lane with `MAX_IDS` ids. */
  notBefore: number;
}

/** Makes the id of a gateway from its secret identity. The id does not reveal the identity. */
function idOf(identity: Uint8Array): string {
  return createHmac('sha256', identity).update('the id of this gateway').digest('base64url').slice(0, 16);
}

/** `monotonic` is a clock in milliseconds. */
export function openVia(outbox: Senders, monotonic = (): number => performance.now()): Via {
  let identity: Uint8Array | undefined;
  let id = '';
  /** The id of this gateway. */
  const own = (): string => {
    const now = outbox.identity();
    if (now !== identity) [identity, id] = [now, idOf(now)];
    return id;
  };
  const sendersOf = (journalId: number, by: Interface): readonly string[] =>
    outbox.lanes().find((lane) => lane.journalId === journalId && lane.interface === by)?.senders ?? [];
  const notings = new Map<string, Noting>();

  function notingOf(journalId: number, by: Interface): Noting {
    const name = `${journalId} ${by}`;
    const noting = notings.get(name) ?? {
      ids: new Set(),
      next: undefined,
      underway: Promise.resolve(),
      notBefore: -Infinity,
    };
    notings.set(name, noting);
    return noting;
  }

  /** Stores all ids that arrived since the last write. */
  async function write(journalId: number, by: Interface, noting: Noting): Promise<void> {
    await noting.underway.catch(() => {}); // an error of that write goes to the callers that wait for it
    noting.next = undefined;
    const ids = [...noting.ids];
    noting.ids.clear();
    const before = sendersOf(journalId, by).filter((id) => !ids.includes(id));
    noting.underway = outbox.noteSenders(journalId, by, [...before, ...ids].slice(-MAX_IDS));
    await noting.underway;
  }

  return {
    isOwn: (header) => header !== undefined && idsIn(header).includes(own()),
    async note(journalId, by, header) {
      if (header === undefined) return;
      const known = sendersOf(journalId, by);
      const ids = idsIn(header)
        .slice(-MAX_IDS)
        .filter((id) => !known.includes(id));
      if (ids.length === 0) return;
      const noting = notingOf(journalId, by);
      if (known.length >= MAX_IDS) {
        if (monotonic() < noting.notBefore) return;
        noting.notBefore = monotonic() + MIN_BETWEEN_WRITES_MS;
      }
      for (const id of ids) noting.ids.add(id);
      noting.next ??= write(journalId, by, noting);
      await noting.next;
    },
    headerOf: (senders) => [...senders, own()].join(', '),
  };
}

/** Lists the ids in a header. Ignores everything else in it. */
function idsIn(header: string): string[] {
  return header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ID.test(part));
}
