// Keeps what is shown up to date: the gateway says what has changed, and it is asked again, once a second at the most.
// While the connection is lost that is known, and everything is asked again once it is back. Only a page that is seen
// follows: a browser has six connections to the gateway for all its tabs, and each that follows takes one.

import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { LIVE_ALIVE_MS, type LiveChange, type LiveSubject } from '../../server/contract/setup.ts';
import { addressOf } from './client.ts';
import { KEYS_BY_SUBJECT, sessionQuery } from './queries.ts';

const APART_MS = 1000;
/** A browser gives up after some errors; then it is begun anew. */
const RETRY_MS = 3000;
/** So long without a word, and the connection is dead, whatever the browser thinks: a cable pulled out says nothing. */
const SILENT_MS = 2.5 * LIVE_ALIVE_MS;

let disconnectedAt: number | null = null;
const listeners = new Set<() => void>();

function setDisconnected(at: number | null): void {
  disconnectedAt = at;
  for (const listener of listeners) listener();
}

/** Epoch milliseconds since when there is no connection; null while there is one. */
export function disconnectedSince(): number | null {
  return disconnectedAt;
}

/** The same, for a component that is drawn again when it changes. */
export function useDisconnectedSince(): number | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, disconnectedSince);
}

/** Follows for the life of the page, as long as somebody is signed in. */
export function followChanges(client: QueryClient): void {
  const changed = new Set<LiveSubject>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askAgain = (): void => {
    timer = undefined;
    const keys = new Set([...changed].flatMap((subject) => KEYS_BY_SUBJECT[subject]));
    changed.clear();
    for (const key of keys) void askFor(key);
  };
  /** What is being asked for may have been read before the change: it is let come, and asked for once more. */
  async function askFor(key: string): Promise<void> {
    const ask = () => client.invalidateQueries({ queryKey: [key] }, { cancelRefetch: false });
    const isUnderway = client.isFetching({ queryKey: [key] }) > 0;
    await ask();
    if (isUnderway) await ask();
  }

  function open(): void {
    if (client.getQueryData(sessionQuery.queryKey) == null) {
      if (disconnectedAt !== null) setDisconnected(null); // nobody is shown anything
      return void setTimeout(open, 500);
    }
    if (document.hidden) return document.addEventListener('visibilitychange', open, { once: true });
    const source = new EventSource(addressOf('live'));
    let silence: ReturnType<typeof setTimeout>;
    const hear = (): void => {
      clearTimeout(silence);
      silence = setTimeout(lose, SILENT_MS);
    };
    const ended = new AbortController();
    const end = (): void => {
      clearTimeout(silence);
      ended.abort();
      source.close();
    };
    const lose = (): void => {
      end();
      setDisconnected(disconnectedAt ?? Date.now());
      setTimeout(open, RETRY_MS);
    };
    const rest = (): void => {
      end();
      open();
    };
    document.addEventListener('visibilitychange', rest, { signal: ended.signal });
    hear();
    source.addEventListener('alive', hear);
    source.addEventListener('open', () => {
      hear();
      if (disconnectedAt === null) return;
      setDisconnected(null);
      void client.invalidateQueries();
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      hear();
      const { subjects } = JSON.parse(data) as LiveChange;
      for (const subject of subjects) changed.add(subject);
      timer ??= setTimeout(askAgain, APART_MS);
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) {
        setDisconnected(disconnectedAt ?? Date.now());
        return;
      }
      // It was refused rather than lost: the session may have ended.
      void client.refetchQueries({ queryKey: sessionQuery.queryKey });
      lose();
    });
  }
  open();
}
