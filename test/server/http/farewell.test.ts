// How the gateway closes a connection that the other side never closes.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { sayFarewell } from '../../../server/http/farewell.ts';

test('a sender that keeps its side open gets the last answer, and is then disconnected', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const sender = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  onTestFinished(() => void sender.destroy());
  const [socket] = (await once(server, 'connection')) as [Socket];
  const closed = once(socket, 'close');
  sayFarewell(socket, 'goodbye');
  expect(await text(sender)).toBe('goodbye');
  await closed;
});
