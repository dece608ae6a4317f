import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onlineManager } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';

import { get, queryClient } from '../../../renderer/api/client.ts';

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
