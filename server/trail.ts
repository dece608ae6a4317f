// The gateways that a record came through, in a header like Via (RFC 9110, 7.6.3): each adds its own id when it forwards, so
// that one whose upstream leads back to it, directly or through others, finds out by the first record.

import { createHmac } from 'node:crypto';

import type { Interface } from './contract/codes.ts';

/** The ids of gateways, the last one that of the sender. */
export const TRAIL_HEADER = 'Counterfoil-Gateway';

export interface Trail {
  /** Whether what comes with this header came through this gateway before. */
  isOwn(header: string | undefined): boolean;
  /**
   * Keeps through which gateways the records of a lane come, if that is new; to be awaited before such a record is kept. It is
   * forgotten when the lane gets another upstream.
   */
  note(journalId: number, by: Interface, header: string | undefined): Promise<void>;
  /** The header of what is forwarded that came from these gateways. */
  readonly headerOf: (senders: readonly string[]) => string;
}

const ID = /^[\w-]{16}$/;
/**
 * The newest 400 gateways are named, because servers accept headers of 8 KiB. A loop is still found: its shorter trails name every
 * member.
 */
const MAX_IDS = 400;
/** Minimum time between writes for a full lane. Otherwise each write drops an id that the next record brings back. */
const MIN_BETWEEN_WRITES_MS = 60_000;

/** Where the senders of each lane are kept, the newest at the end. */
interface Senders {
  lanes(): readonly {
    readonly journalId: number;
    readonly interface: Interface;
    readonly senders: readonly string[];
  }[];
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
}

/** New ids of a lane that are to be written down. */
interface Noting {
  readonly ids: Set<string>;
  /** The write that will have them, once the one underway has ended. */
  next: Promise<void> | undefined;
  underway: Promise<void>;
  /** Earliest time of the next write, once the lane is full. */
  notBefore: number;
}

/** `secret` is one that every start on the same data knows; it can't be told from the id. `monotonic` is a clock in milliseconds. */
export function openTrail(secret: Uint8Array, outbox: Senders, monotonic = (): number => performance.now()): Trail {
  const own = createHmac('sha256', secret).update('the id of this gateway').digest('base64url').slice(0, 16);
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

  /** Writes down all that have gathered since the last write. */
  async function write(journalId: number, by: Interface, noting: Noting): Promise<void> {
    await noting.underway.catch(() => {}); // those who wait for it are told
    noting.next = undefined;
    const ids = [...noting.ids];
    noting.ids.clear();
    const before = sendersOf(journalId, by).filter((id) => !ids.includes(id));
    noting.underway = outbox.noteSenders(journalId, by, [...before, ...ids].slice(-MAX_IDS));
    await noting.underway;
  }

  return {
    isOwn: (header) => header !== undefined && idsIn(header).includes(own),
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
    headerOf: (senders) => [...senders, own].join(', '),
  };
}

/** What is no id of a gateway says nothing. */
function idsIn(header: string): string[] {
  return header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ID.test(part));
}
