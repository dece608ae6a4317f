// Lets held records wait again once the cause on our side is gone: all of a lane when its upstream is set, because another
// address or key may be what they needed, and those of an end point that turned out not to be valid. A release
// that was interrupted resumes at the next start: the store counts how often an upstream was set, and keeps refused end points.

import { ACTORS } from '../contract/codes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outbox, HeldAt, LaneSettings } from '../store/outbox/ledger.ts';

/** When the store failed. */
const RETRY_MS = 1000;

export type ReleaseOutbox = Pick<Outbox, 'performAct' | 'holdsRecords' | 'forgetEndPoints' | 'noteReleased'>;

export interface Release {
  /** The upstream may have been set. `left` resolves when no call to the one before is underway. */
  follow(left: Promise<unknown>): void;
  /** While outcomes of the upstream before are on their way to disk; nothing may be sent. */
  isMoving(): boolean;
  /** What an end point that is refused had held. */
  releaseAt(records: Omit<HeldAt, 'kind'>): void;
  close(): void;
}

export interface ReleaseParts {
  readonly outbox: ReleaseOutbox;
  readonly settings: () => LaneSettings;
  /** Resolves to whether all outcomes are on disk. */
  readonly flush: () => Promise<boolean>;
  /** Everything of the upstream before is on disk. */
  readonly onMove: () => void;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function openRelease({ outbox, settings, flush, onMove, clock, onFault }: ReleaseParts): Release {
  let isClosed = false;
  let isFollowing = false;
  let isMoving = false;
  let left: Promise<unknown> = Promise.resolve();
  /** How often the upstream had been set when it was last begun to release for it, and when that was last done. */
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

  /** A record whose outcome is not on disk would be held after the others were released. */
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
