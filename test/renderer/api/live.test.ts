// Whether a page notices a lost connection. A browser does not report a pulled cable, so the page expects regular events from
// the gateway. These tests use a fake EventSource; the tests in test/e2e/console use a real one.

import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { restart } from '../../../renderer/api/client.ts';
import { followChanges, disconnectedSince } from '../../../renderer/api/live.ts';
import { sessionQuery } from '../../../renderer/api/queries.ts';
import { LIVE_ALIVE_MS } from '../../../server/contract/setup.ts';

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

class Page extends EventTarget {
  hidden = false;
  become(how: 'hidden' | 'seen'): void {
    this.hidden = how === 'hidden';
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

function follow() {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  const page = new Page();
  vi.stubGlobal('document', page);
  Stream.opened = [];
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, { role: 'manager' } as never);
  followChanges(client);
  Stream.opened[0]?.dispatchEvent(new Event('open'));
  return { page, client };
}

test('a gateway that stays silent too long counts as disconnected, and the page connects again', () => {
  follow();
  const [first] = Stream.opened;
  for (let times = 0; times < 10; times++) {
    vi.advanceTimersByTime(LIVE_ALIVE_MS);
    first?.dispatchEvent(new Event('alive'));
  }
  expect([disconnectedSince(), Stream.opened.length]).toEqual([null, 1]);

  vi.advanceTimersByTime(3 * LIVE_ALIVE_MS);
  expect([disconnectedSince(), first?.readyState]).toEqual([expect.any(Number), Stream.CLOSED]);
  const [, second] = Stream.opened;
  second?.dispatchEvent(new Event('open'));
  expect(disconnectedSince()).toBeNull();
});

test('a hidden page does not follow and is not disconnected, and follows again when it is visible', () => {
  const { page } = follow();
  for (let times = 1; times <= 3; times++) {
    page.become('hidden');
    expect(Stream.opened.map(({ readyState }) => readyState)).toEqual(Array<number>(times).fill(Stream.CLOSED));
    vi.advanceTimersByTime(10 * LIVE_ALIVE_MS);
    expect([disconnectedSince(), Stream.opened.length]).toEqual([null, times]);
    page.become('seen');
    expect(Stream.opened).toHaveLength(times + 1);
    Stream.opened.at(-1)?.dispatchEvent(new Event('open'));
  }
});

test('a query that is under way during a change is fetched once more', async () => {
  const { client } = follow();
  const asked: PromiseWithResolvers<string>[] = [];
  const ask = (): Promise<string> => {
    const question = Promise.withResolvers<string>();
    asked.push(question);
    return question.promise;
  };
  const observer = new QueryObserver(client, { queryKey: ['days', 'one'], queryFn: ask, staleTime: Infinity });
  onTestFinished(observer.subscribe(() => {}));
  const data = JSON.stringify({ subjects: ['days'] });
  Stream.opened[0]?.dispatchEvent(new MessageEvent('change', { data }));
  await vi.advanceTimersByTimeAsync(5000);
  asked[0]?.resolve('as it was before the change');
  await vi.advanceTimersByTimeAsync(5000);
  asked[1]?.resolve('as it is now');
  await vi.advanceTimersByTimeAsync(5000);
  expect([observer.getCurrentResult().data, asked.length]).toEqual(['as it is now', 2]);
});

test('after a restart, the page fetches everything again, and has shown no lost connection', async () => {
  const { client } = follow();
  const refetch = vi.spyOn(client, 'invalidateQueries');
  const { promise: answer, reject } = Promise.withResolvers<never>();
  const restarting = restart(() => answer);
  Stream.opened[0]?.dispatchEvent(new Event('error'));
  expect(disconnectedSince()).toBeNull();
  Stream.opened[0]?.dispatchEvent(new Event('open'));
  expect(refetch).toHaveBeenCalledOnce();
  reject(new Error('refused'));
  await expect(restarting).rejects.toThrow('refused');
});
