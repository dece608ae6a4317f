// Tells open windows which subjects to refetch, by server-sent events at most four times a second. Events contain no data. If
// no window is open, this module does no work.

import type { ServerResponse } from 'node:http';

import { LIVE_ALIVE_MS, LIVE_SUBJECTS, type LiveChange, type LiveSubject } from '../contract/setup.ts';
import { ConsoleError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Session } from './session.ts';
import { openShares } from './shares.ts';

const APART_MS = 250;
/**
 * `max`: the maximum windows of all users together. `maxPerPerson`: the maximum windows of one user. A browser opens six
 * connections, and a user may have several machines.
 */
const LIMITS = { max: 64, maxPerPerson: 16 };
/**
 * Maximum bytes that a window has not read yet. Beyond this limit, the gateway ends the stream, and the window reconnects
 * automatically.
 */
const MAX_UNREAD_BYTES = 64 * 1024;

export interface Live {
  /** Notes that a subject has changed. */
  note(subject: LiveSubject): void;
  /** Streams changes to a window until it closes or its session ends. Throws if too many windows are already open. */
  follow(res: ServerResponse, session: Pick<Session, 'person' | 'ended'>): void;
  /** Ends every window's stream. */
  close(): void;
}

export function openLive(clock: Clock): Live {
  const windows = new Set<ServerResponse>();
  const shares = openShares(LIMITS);
  const changed = new Set<LiveSubject>();
  let toldAt = -Infinity;
  let isTelling = false;

  function note(subject: LiveSubject): void {
    if (windows.size === 0) return;
    changed.add(subject);
    if (isTelling) return;
    isTelling = true;
    clock.after(Math.max(0, toldAt + APART_MS - clock.monotonic()), tell);
  }

  function tell(): void {
    isTelling = false;
    toldAt = clock.monotonic();
    const event = eventOf([...changed]);
    changed.clear();
    for (const window of windows) send(window, event);
  }

  function eventOf(subjects: readonly LiveSubject[]): string {
    return `event: change\ndata: ${JSON.stringify({ subjects } satisfies LiveChange)}\n\n`;
  }

  function send(window: ServerResponse, text: string): void {
    if (window.writableLength > MAX_UNREAD_BYTES) window.destroy();
    else window.write(text);
  }

  function keepAlive(window: ServerResponse): void {
    clock.after(LIVE_ALIVE_MS, () => {
      if (!windows.has(window)) return;
      send(window, 'event: alive\ndata: {}\n\n');
      keepAlive(window);
    });
  }

  return {
    note,
    follow(res, { person, ended }) {
      const share = shares.take(person);
      if (share.kind === 'refused') {
        throw new ConsoleError('live_limited', {
          detail: `${share.count} windows${share.isOwn ? ' of yours' : ''} are already open: close some.`,
          retryAfterSeconds: 30,
        });
      }
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      windows.add(res);
      const end = (): void => void res.end();
      res.once('close', () => {
        windows.delete(res);
        share.release();
        ended.removeEventListener('abort', end);
      });
      ended.addEventListener('abort', end);
      if (ended.aborted) return end();
      // The window cannot know what changed before its stream began. So the first event lists every subject as changed.
      res.write(`retry: 1000\n\n${eventOf(LIVE_SUBJECTS)}`);
      keepAlive(res);
    },
    close() {
      for (const window of windows) window.end();
    },
  };
}
