// Lets held records wait again once a cause on our side is gone. A new upstream releases all of its lane, because another address
// or key may be what they needed. A refused end point releases the records it held. An interrupted release resumes at the
// next start: the store counts how often an upstream was set, and keeps refused end points.

import { ACTORS } from '../contract/codes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outbox, HeldAt, LaneSettings } from '../store/outbox/ledger.ts';

/** Delay before a retry after the store failed. */
const RETRY_MS = 1000;

export type ReleaseOutbox = Pick<Outbox, 'performAct' | 'holdsRecords' | 'forgetEndPoints' | 'noteReleased'>;

export interface Release {
  /** The upstream may have been set. `left` resolves when no call to the former one is in flight. */
  follow(left: Promise<unknown>): void;
  /** True while outcomes of the former upstream are being written; nothing may be sent. */
  isMoving(): boolean;
  /** Releases the records that a refused end point held. */
  releaseAt(records: Omit<HeldAt, 'kind'>): void;
  close(): void;
}

export interface ReleaseParts {
  readonly outbox: ReleaseOutbox;
  readonly settings: () => LaneSettings;
  /** Writes all outcomes; resolves to whether they are on disk. */
  readonly flush: () => Promise<boolean>;
  /** All outcomes of the former upstream are on disk. */
  readonly onMove: () => void;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function openRelease({ outbox, settings, flush, onMove, clock, onFault }: ReleaseParts): Release {
  let isClosed = false;
  let isFollowing = false;
  let isMoving = false;
  let left: Promise<unknown> = Promise.resolve();
  /** The count of settings for which a release last began (`movingTo`) and last ended (`releasedFor`). */
  let movingTo = settings().releasedSets;
  let releasedFor = movingTo;

  async function follow(): Promise<void> {
    while (releasedFor !== settings().upstreamSets && !isClosed) {
      const { id, upstreamSets } = settings();
      movingTo = upstreamSets;
      isMoving = true;
      await left;
      await flushAll();
      await outbox.forgetEndPoints(id);
      isMoving = movingTo !== settings().upstreamSets;
      if (isMoving) continue;
      onMove();
      await sendAgain({ kind: 'held' });
      await outbox.noteReleased(id, upstreamSets);
      releasedFor = upstreamSets;
    }
  }

  async function sendAgain(records: { readonly kind: 'held' } | HeldAt): Promise<void> {
    if (!(await outbox.holdsRecords(settings().id, records))) return;
    await outbox.performAct(settings(), { kind: 'send again', records, delivered: false }, ACTORS.gateway);
  }

  /** Writes all outcomes. Otherwise a record could become held after the release. */
  async function flushAll(): Promise<void> {
    if (!(await flush())) throw new Error('outcomes could not be written');
  }

  async function untilDone(work: () => Promise<void>): Promise<void> {
    while (!isClosed) {
      try {
        return await work();
      } catch (error) {
        if (isClosed) return;
        onFault(error);
        await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
      }
    }
  }

  return {
    follow(lastLeft) {
      left = Promise.all([left, lastLeft]);
      const { upstreamSets } = settings();
      if (upstreamSets === releasedFor) return;
      if (upstreamSets !== movingTo) isMoving = true;
      if (isFollowing) return;
      isFollowing = true;
      void untilDone(follow).then(() => (isFollowing = false));
    },
    isMoving: () => isMoving,
    releaseAt(records) {
      void untilDone(async () => {
        await flushAll();
        await sendAgain({ kind: 'held at', ...records });
      });
    },
    close() {
      isClosed = true;
    },
  };
}
