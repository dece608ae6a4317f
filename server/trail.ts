// The gateways that a record came through, in a header like Via (RFC 9110, 7.6.3): each adds its own id when it forwards, so
// that one whose upstream leads back to it, directly or through others, finds out by the first record. Who sends to which
// lane outlives a restart: else what waits here would go round as soon as the gateway is started again.

import { createHmac } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

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

const FILE = 'trail.json';
const ID = /^[\w-]{16}$/;
/** Of a lane that many gateways send to, the newest; the others of a loop have fewer and find it out. */
const MOST_IDS = 16;
/** Whoever has a key may name new ids with every call; that must not cost a write each. */
const WRITE_EVERY_MS = 1000;

/** By lane, the newest at the end. */
const senders = z.record(z.string(), z.array(z.string().regex(ID)).max(MOST_IDS));

/**
 * Opens the trail of a data directory. `secret` is one that every start on it knows; it can't be told from the id. What the
 * file system throws at a write goes to `onFault`.
 */
export function openTrail(secret: Uint8Array, dataDir: string, onFault: (error: unknown) => void): Trail {
  const own = createHmac('sha256', secret).update('the id of this gateway').digest('base64url').slice(0, 16);
  const path = join(dataDir, FILE);
  const known = new Map(Object.entries(readSenders(path)));
  let writtenAt = -Infinity;
  let isLate = false;

  function write(): void {
    isLate = false;
    writtenAt = performance.now();
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(Object.fromEntries(known))}\n`, { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
    } catch (error) {
      onFault(error);
    }
  }

  /** At once, or with others when one was just written. */
  function writeSoon(): void {
    const dueInMs = writtenAt + WRITE_EVERY_MS - performance.now();
    if (dueInMs <= 0) return write();
    if (!isLate) setTimeout(write, dueInMs).unref();
    isLate = true;
  }

  return {
    isOwn: (header) => header !== undefined && idsIn(header).includes(own),
    note(journalId, by, header) {
      if (header === undefined) return;
      const ids = idsIn(header);
      const lane = laneOf(journalId, by);
      const before = known.get(lane) ?? [];
      known.set(lane, [...before.filter((id) => !ids.includes(id)), ...ids].slice(-MOST_IDS));
      if (ids.some((id) => !before.includes(id))) writeSoon();
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

/** Nobody, when no gateway has sent anything yet or the file cannot be read: then it is learnt anew. */
function readSenders(path: string): z.infer<typeof senders> {
  try {
    return senders.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
