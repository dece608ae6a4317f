// Keeps the screens up to date. The gateway sends the changed subjects; their queries are refetched at most once a second.
// After a lost connection, everything is refetched. Hidden tabs do not connect, because all tabs of a browser share six
// connections to the gateway.

import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { LIVE_ALIVE_MS, type LiveChange, type LiveSubject } from '../../server/contract/setup.ts';
import { addressOf, isUsualRestart } from './client.ts';
import { KEYS_BY_SUBJECT, sessionQuery } from './queries.ts';

const REFETCH_INTERVAL_MS = 1000;
/** Delay before this module opens a new connection. After some errors, the browser does not reconnect automatically. */
const RETRY_MS = 3000;
/** Without any event for this long, the connection counts as lost. A pulled cable causes no error in the browser. */
const SILENCE_TIMEOUT_MS = 2.5 * LIVE_ALIVE_MS;

let disconnectedAt: number | null = null;
/** Whether changes may have been missed since the last connection. */
let hasMissed = false;
const listeners = new Set<() => void>();

function setDisconnected(at: number | null): void {
  disconnectedAt = at;
  for (const listener of listeners) listener();
}

function noteLost(): void {
  hasMissed = true;
  if (!isUsualRestart()) setDisconnected(disconnectedAt ?? Date.now());
}

/** When the connection was lost, in epoch milliseconds; null while connected. */
export function disconnectedSince(): number | null {
  return disconnectedAt;
}

/** `disconnectedSince` as a hook: the component re-renders when the value changes. */
export function useDisconnectedSince(): number | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, disconnectedSince);
}

/** Receives live events until the page closes, but only while somebody is signed in. */
export function followChanges(client: QueryClient): void {
  const changed = new Set<LiveSubject>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refetchChanged = (): void => {
    timer = undefined;
    const keys = new Set([...changed].flatMap((subject) => KEYS_BY_SUBJECT[subject]));
    changed.clear();
    for (const key of keys) void refetchKey(key);
  };
  /** A request under way may have read the data before the change. So the query is fetched once more after that request. */
  async function refetchKey(key: string): Promise<void> {
    const ask = () => client.invalidateQueries({ queryKey: [key] }, { cancelRefetch: false });
    const isUnderway = client.isFetching({ queryKey: [key] }) > 0;
    await ask();
    if (isUnderway) await ask();
  }

  function open(): void {
    if (client.getQueryData(sessionQuery.queryKey) == null) {
      if (disconnectedAt !== null) setDisconnected(null); // nobody is signed in, so no shown data can be outdated
      return void setTimeout(open, 500);
    }
    if (document.hidden) return document.addEventListener('visibilitychange', open, { once: true });
    const source = new EventSource(addressOf('live'));
    let silence: ReturnType<typeof setTimeout>;
    const hear = (): void => {
      clearTimeout(silence);
      silence = setTimeout(lose, SILENCE_TIMEOUT_MS);
    };
    const ended = new AbortController();
    const end = (): void => {
      clearTimeout(silence);
      ended.abort();
      source.close();
    };
    const lose = (): void => {
      end();
      noteLost();
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
      if (!hasMissed) return;
      hasMissed = false;
      setDisconnected(null);
      void client.invalidateQueries();
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      hear();
      const { subjects } = JSON.parse(data) as LiveChange;
      for (const subject of subjects) changed.add(subject);
      timer ??= setTimeout(refetchChanged, REFETCH_INTERVAL_MS);
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return noteLost();
      // The server refused the connection: the session may have ended.
      void client.refetchQueries({ queryKey: sessionQuery.queryKey });
      lose();
    });
  }
  open();
}
