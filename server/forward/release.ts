// Releases held records when a cause on our side is gone. The records then wait to be sent again. A new upstream releases all
// held records of its lane, because the old address or key may have been the cause. If an end point becomes refused, the
// records that it had rejected are released. An interrupted release resumes at the next start. For this, the store counts how
// often an upstream was set, and keeps the refused end points.

import { ACTORS } from '../contract/codes.ts';
import type { Clock } from '../lib/clock.ts';
import type { OutboxLedger, HeldAt, LaneSettings } from '../store/outbox/ledger.ts';

/** Delay before a release is repeated after a failure of the store. */
const RETRY_MS = 1000;

export type ReleaseOutbox = Pick<OutboxLedger, 'performAct' | 'holdsRecords' | 'forgetEndPoints' | 'noteReleased'>;

export interface Release {
  /** Call it when a person may have set an upstream. `left` resolves when no call to the former upstream is in flight. */
  follow(left: Promise<unknown>): void;
  /** True while outcomes from the former upstream are still being written. Nothing may be sent then. */
  isMoving(): boolean;
  /** Releases the records that are held because of a refused end point. */
  releaseAt(records: Omit<HeldAt, 'kind'>): void;
  close(): void;
}

export interface ReleaseParts {
  readonly outbox: ReleaseOutbox;
  readonly settings: () => LaneSettings;
  /** Writes all outcomes. Resolves to true if they are on disk. */
  readonly flush: () => Promise<boolean>;
  /** Called when all outcomes of the former upstream are on disk. */
  readonly onMove: () => void;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function openRelease({ outbox, settings, flush, onMove, clock, onFault }: ReleaseParts): Release {
  let isClosed = false;
  let isFollowing = false;
  let isMoving = false;
  let left: Promise<unknown> = Promise.resolve();
  /**
   * `movingTo` is the `upstreamSetCount` for which a release last began. `releasedFor` is the `upstreamSetCount` for which a
   * release last ended.
   */
  let movingTo = settings().releasedForSet;
  let releasedFor = movingTo;

  async function follow(): Promise<void> {
    while (releasedFor !== settings().upstreamSetCount && !isClosed) {
      const { id, upstreamSetCount } = settings();
      movingTo = upstreamSetCount;
      isMoving = true;
      await left;
      await flushAll();
      await outbox.forgetEndPoints(id);
      // Asks before anything is sent. So a lane without held records releases none that the new upstream rejects. In other lanes,
      // such a record may be sent a second time before it is held again.
      const holdsAny = await outbox.holdsRecords(id, { kind: 'held' });
      isMoving = movingTo !== settings().upstreamSetCount;
      if (isMoving) continue;
      onMove();
      if (holdsAny) await sendAgain({ kind: 'held' });
      await outbox.noteReleased(id, upstreamSetCount);
      releasedFor = upstreamSetCount;
    }
  }

  async function sendAgain(records: { readonly kind: 'held' } | HeldAt): Promise<void> {
    await outbox.performAct(settings(), { kind: 'send again', records, delivered: false }, ACTORS.gateway);
  }

  /** Writes all outcomes before a release. Otherwise a record could become held just after the release, and stay held. */
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
      const { upstreamSetCount } = settings();
      if (upstreamSetCount === releasedFor) return;
      if (upstreamSetCount !== movingTo) isMoving = true;
      if (isFollowing) return;
      isFollowing = true;
      void untilDone(follow).then(() => (isFollowing = false));
    },
    isMoving: () => isMoving,
    releaseAt(records) {
      void untilDone(async () => {
        await flushAll();
        const heldAt: HeldAt = { kind: 'held at', ...records };
        if (await outbox.holdsRecords(settings().id, heldAt)) await sendAgain(heldAt);
      });
    },
    close() {
      isClosed = true;
    },
  };
}
