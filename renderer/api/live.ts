// Keeps what is shown up to date: the gateway says what has changed, and it is asked again, once a second at the most.
// While the connection is lost that is known, and everything is asked again once it is back.

import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import type { LiveChange, LiveSubject } from '../../server/contract.ts';
import { KEYS_BY_SUBJECT, sessionQuery } from './queries.ts';

const APART_MS = 1000;
/** A browser gives up after some errors; then it is begun anew. */
const RETRY_MS = 3000;

export interface Liveness {
  /** Epoch milliseconds since when there is no connection; null while there is one. */
  readonly lostSince: number | null;
  readonly newestRecordId: number;
}

let liveness: Liveness = { lostSince: null, newestRecordId: 0 };
const listeners = new Set<() => void>();

function become(next: Liveness): void {
  liveness = next;
  for (const listener of listeners) listener();
}

export function useLiveness(): Liveness {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => liveness,
  );
}

/** Follows for the life of the page, as long as somebody is signed in. */
export function followChanges(client: QueryClient): void {
  const changed = new Set<LiveSubject>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askAgain = (): void => {
    timer = undefined;
    const keys = new Set([...changed].flatMap((subject) => KEYS_BY_SUBJECT[subject]));
    changed.clear();
    for (const key of keys) void client.invalidateQueries({ queryKey: [key] }, { cancelRefetch: false });
  };

  function open(): void {
    if (client.getQueryData(sessionQuery.queryKey) == null) {
      if (liveness.lostSince !== null) become({ ...liveness, lostSince: null }); // nobody is shown anything
      return void setTimeout(open, 500);
    }
    const source = new EventSource('/api/live');
    source.addEventListener('open', () => {
      if (liveness.lostSince === null) return;
      become({ ...liveness, lostSince: null });
      void client.invalidateQueries();
    });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const { subjects, newestRecordId } = JSON.parse(data) as LiveChange;
      for (const subject of subjects) changed.add(subject);
      if (newestRecordId !== liveness.newestRecordId) become({ ...liveness, newestRecordId });
      timer ??= setTimeout(askAgain, APART_MS);
    });
    source.addEventListener('error', () => {
      become({ ...liveness, lostSince: liveness.lostSince ?? Date.now() });
      if (source.readyState !== EventSource.CLOSED) return;
      // It was refused rather than lost: the session may have ended.
      void client.refetchQueries({ queryKey: sessionQuery.queryKey });
      setTimeout(open, RETRY_MS);
    });
  }
  open();
}
