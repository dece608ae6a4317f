import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onlineManager } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { get, isRestarting, queryClient, restart } from '../../../renderer/api/client.ts';

test('a truncated answer counts as no answer', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('[{"id":1,', () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = fetch;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => call(origin + path, init)); // a page sends its relative paths to its own origin
  onTestFinished(() => void vi.unstubAllGlobals());

  await expect(get('journals')).rejects.toMatchObject({ status: 0, code: 'no_answer' });
});

test('the gateway is called even if the browser reports no network, because it may run on the same machine', async () => {
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  expect(await queryClient.query({ queryKey: ['here'], queryFn: () => 'answered' })).toBe('answered');
  const act = queryClient.getMutationCache().build(queryClient, { mutationFn: async () => 'done' });
  expect(await act.execute(undefined)).toBe('done');
});

test.each([
  ['after a restart, the page enters by the new link', { status: 401, kind: '' }, ['/enter?code=new&to=/restore']],
  // Last, because it resets the module's state.
  ['a restore that fails before the restart ends the wait', { status: 200, kind: 'none' }, []],
])('%s', async (_, { status, kind }, opened) => {
  vi.useFakeTimers();
  const assigned: string[] = [];
  vi.stubGlobal('location', { assign: (address: string) => assigned.push(address) });
  const answers = [
    () => Response.json({ state: { kind: 'restoring' }, last: null }),
    () => Response.error(),
    () => Response.json({ state: { kind }, last: null }, { status }),
  ];
  const asked = vi.fn<() => Promise<Response>>(async () => (answers.shift() ?? (() => Response.error()))());
  vi.stubGlobal('fetch', asked);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  await restart(async () => ({ link: 'new' }));
  expect(isRestarting()).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([assigned, isRestarting(), asked.mock.calls.length]).toEqual([opened, opened.length > 0, 3]);
});
