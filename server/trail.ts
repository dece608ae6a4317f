// The gateways that a record came through, in a header like Via (RFC 9110, 7.6.3): each adds its own id when it forwards, so
// that one whose upstream leads back to it, directly or through others, finds out by the first record. Who sends to which
// lane is known in memory only: after a restart it is learnt anew from the first record that comes round.

import { createHmac } from 'node:crypto';

import type { Interface } from './contract.ts';

/** The ids of gateways, the last one that of the sender. */
export const TRAIL_HEADER = 'Counterfoil-Gateway';

export interface Trail {
  /** Whether what comes with this header came through this gateway before. */
  isOwn(header: string | undefined): boolean;
  /** Remembers through which gateways the records of a lane come; to be called before such a record is kept. */
  note(journalId: number, by: Interface, header: string | undefined): void;
  /** The header of what a lane forwards. */
  headerOf(journalId: number, by: Interface): string;
}

const ID = /^[\w-]{16}$/;
/** Of a lane that many gateways send to, the newest; the others of a loop have fewer and find it out. */
const MOST_IDS = 16;

/** `secret` is one that every start on the same data knows; it can't be told from the id. */
export function openTrail(secret: Uint8Array): Trail {
  const own = createHmac('sha256', secret).update('the id of this gateway').digest('base64url').slice(0, 16);
  /** By lane, the newest at the end. */
  const known = new Map<string, readonly string[]>();

  return {
    isOwn: (header) => header !== undefined && idsIn(header).includes(own),
    note(journalId, by, header) {
      if (header === undefined) return;
      const ids = idsIn(header);
      const lane = laneOf(journalId, by);
      const before = known.get(lane) ?? [];
      known.set(lane, [...before.filter((id) => !ids.includes(id)), ...ids].slice(-MOST_IDS));
    },
    headerOf: (journalId, by) => [...(known.get(laneOf(journalId, by)) ?? []), own].join(', '),
  };
}

function laneOf(journalId: number, by: Interface): string {
  return `${journalId} ${by}`;
}

/** What is no id of a gateway says nothing. */
function idsIn(header: string): string[] {
  return header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => ID.test(part));
}
