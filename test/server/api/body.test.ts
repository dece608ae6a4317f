// The limit on the total size of the bodies that are being read at the same time.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { openBodyReader } from '../../../server/api/body.ts';
import type { GatewayError } from '../../../server/errors.ts';

test('bodies beyond the limit are refused, and are accepted again as soon as others end', async () => {
  const readBody = openBodyReader(100_000);
  let received = 0;
  const server = createServer((req, res) => {
    req.on('data', (chunk: Buffer) => (received += chunk.length));
    readBody({ req, res, url: '/' }).then(
      (body) => res.end(String(body.length)),
      (error: GatewayError) => res.end(error.code),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());

  const { port } = server.address() as AddressInfo;
  const begin = async (bytes: number) => {
    const call = request({ port, method: 'POST', agent: false });
    const answer = once(call, 'response').then(async ([response]) => {
      const chunks: Buffer[] = await (response as { toArray(): Promise<Buffer[]> }).toArray();
      return Buffer.concat(chunks).toString();
    });
    await new Promise((resolve) => call.write('x'.repeat(bytes), resolve));
    return { call, answer };
  };
  const first = await begin(80_000);
  await expect.poll(() => received).toBe(80_000);
  const second = await begin(80_000);
  expect(await second.answer).toBe('store_busy');
  first.call.end();
  expect(await first.answer).toBe('80000');
  const third = await begin(90_000);
  third.call.end();
  expect(await third.answer).toBe('90000');
});
