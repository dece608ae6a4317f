// Whether a window knows that it is cut off. A browser says nothing of a cable that was pulled out, so the window listens for
// the gateway itself. The stream of the browser is played here; the real one is in test/e2e/console.

import { QueryClient } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { followChanges, lostSince } from '../../../renderer/api/live.ts';
import { sessionQuery } from '../../../renderer/api/queries.ts';
import { LIVE_ALIVE_MS } from '../../../server/contract.ts';

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Stream[] = [];
  readyState = 1;
  constructor() {
    super();
    Stream.opened.push(this);
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
}

test('a gateway that is silent for too long is a lost connection, which is begun anew', () => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, { role: 'manager' } as never);
  followChanges(client);
  const [first] = Stream.opened;
  first?.dispatchEvent(new Event('open'));
  for (let times = 0; times < 10; times++) {
    vi.advanceTimersByTime(LIVE_ALIVE_MS);
    first?.dispatchEvent(new Event('alive'));
  }
  expect([lostSince(), Stream.opened.length]).toEqual([null, 1]);

  vi.advanceTimersByTime(3 * LIVE_ALIVE_MS);
  expect([lostSince(), first?.readyState]).toEqual([expect.any(Number), Stream.CLOSED]);
  const [, second] = Stream.opened;
  second?.dispatchEvent(new Event('open'));
  expect(lostSince()).toBeNull();
});
