// The gateways that a record came through, in a header like Via (RFC 9110, 7.6.3): each adds its own id when it forwards, so
// that one whose upstream leads back to it, directly or through others, finds out by the first record.

import { createHmac } from 'node:crypto';

import type { Interface } from './contract.ts';

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
/** Of a lane that many gateways send to, the newest; the others of a loop have fewer and find it out. */
const MOST_IDS = 16;

/** Where the senders of each lane are kept, the newest at the end. */
interface Senders {
  lanes(): readonly {
    readonly journalId: number;
    readonly interface: Interface;
    readonly senders: readonly string[];
  }[];
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
}

/** `secret` is one that every start on the same data knows; it can't be told from the id. */
export function openTrail(secret: Uint8Array, store: Senders): Trail {
  const own = createHmac('sha256', secret).update('the id of this gateway').digest('base64url').slice(0, 16);
  const sendersOf = (journalId: number, by: Interface): readonly string[] =>
    store.lanes().find((lane) => lane.journalId === journalId && lane.interface === by)?.senders ?? [];

  return {
    isOwn: (header) => header !== undefined && idsIn(header).includes(own),
    async note(journalId, by, header) {
      if (header === undefined) return;
      const ids = idsIn(header);
      const before = sendersOf(journalId, by);
      if (ids.every((id) => before.includes(id))) return;
      const senders = [...before.filter((id) => !ids.includes(id)), ...ids].slice(-MOST_IDS);
      await store.noteSenders(journalId, by, senders);
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
