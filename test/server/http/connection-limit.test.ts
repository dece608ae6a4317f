// The connection limits for an address, a network, and all networks together. The sockets in these tests are not connected,
// because a machine cannot call from addresses of another network. The limits need only the address of a socket, and whether it
// is closed.

import { createServer } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, test } from 'vitest';

import { limitConnections } from '../../../server/http/connection-limit.ts';

/** A server that accepts sockets with any address. `open` returns the names of the sockets that are still open. */
function openServer(limits: Parameters<typeof limitConnections>[1]) {
  const server = createServer();
  const { noteUse, noteAdmission } = limitConnections(server, limits);
  const open = new Map<string, Socket>();
  return {
    connect(address: string, name = address): void {
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: address });
      socket.once('close', () => open.delete(name));
      open.set(name, socket);
      server.emit('connection', socket);
    },
    use: (name: string): void => noteUse(open.get(name) ?? new Socket()),
    /** Notes that a connection is admitted, as after a call with a valid key. */
    admit: (name: string): void => noteAdmission(open.get(name) ?? new Socket()),
    /** Resolves to the names of the open connections when all close events have been handled. */
    async open(): Promise<string[]> {
      await new Promise((resolve) => setImmediate(resolve));
      return [...open.keys()];
    },
  };
}

const NO_LIMIT = 1000;

describe('a network', () => {
  test('of IPv6 (/64) may have four times as many connections as one address', async () => {
    const server = openServer({ perAddress: 2, total: NO_LIMIT });
    server.connect('2001:db8:0:1::1');
    for (let i = 1; i <= 20; i++) server.connect(`2001:db8:0:2::${i.toString(16)}`);
    const open = await server.open();
    expect(open.filter((name) => name.startsWith('2001:db8:0:2:'))).toHaveLength(8);
    expect(open).toContain('2001:db8:0:1::1');
    expect(open, 'the newest').toContain('2001:db8:0:2::14');
  });

  test('that is full loses the least recently used connection of its largest address', async () => {
    const server = openServer({ perAddress: 6, total: NO_LIMIT });
    server.connect('2001:db8::1', 'quiet till');
    for (let i = 0; i < 6; i++) server.connect('2001:db8::2', `noisy till ${i}`);
    for (let i = 0; i < 17; i++) server.connect(`2001:db8::1:${i}`);
    server.use('noisy till 0');
    server.connect('2001:db8::3', 'new till');
    const open = await server.open();
    expect(open).toContain('quiet till');
    expect(open).toContain('new till');
    expect(open).toContain('noisy till 0');
    expect(open).not.toContain('noisy till 1');
  });

  test('with equal addresses loses its least recently used connection', async () => {
    const server = openServer({ perAddress: 1, total: NO_LIMIT });
    for (const name of ['a', 'b', 'c', 'd']) server.connect(`2001:db8::${name}`, name);
    server.use('a');
    server.connect('2001:db8::e', 'e');
    expect(await server.open()).toEqual(['a', 'c', 'd', 'e']);
  });

  test('of IPv4 is a single address', async () => {
    const server = openServer({ perAddress: 1, total: NO_LIMIT });
    for (let i = 1; i <= 20; i++) server.connect(`192.168.1.${i}`);
    for (let i = 1; i <= 20; i++) server.connect(`::ffff:192.168.2.${i}`);
    expect(await server.open()).toHaveLength(40);
  });
});

describe('all networks together', () => {
  test('have at most the total; the largest network loses a connection', async () => {
    const server = openServer({ perAddress: 20, total: 10 });
    server.connect('192.168.1.5', 'quiet till');
    server.connect('2001:db8::1', 'another');
    for (let i = 0; i < 50; i++) server.connect('192.168.1.6', `noisy till ${i}`);
    const open = await server.open();
    expect(open).toHaveLength(10);
    expect(open).toContain('quiet till');
    expect(open).toContain('another');
    expect(open).toContain('noisy till 49');
  });

  test('with one connection each lose the least recently used one', async () => {
    const server = openServer({ perAddress: 20, total: 3 });
    for (const host of ['1', '2', '3']) server.connect(`192.168.1.${host}`, host);
    server.use('1');
    server.connect('192.168.1.4', '4');
    expect(await server.open()).toEqual(['1', '3', '4']);
  });

  test('do not count closed connections', async () => {
    const server = openServer({ perAddress: 1, total: 3 });
    server.connect('192.168.1.1', 'kept');
    for (let i = 0; i < 50; i++) server.connect('192.168.1.2', `passing ${i}`);
    server.connect('192.168.1.3', 'last');
    expect(await server.open()).toEqual(['kept', 'passing 49', 'last']);
  });
});

describe('a flood from many networks', () => {
  const openShop = (server: ReturnType<typeof openServer>, tills: number): string[] => {
    const names = Array.from({ length: tills }, (_, i) => `till ${i}`);
    for (const name of names) {
      server.connect('192.168.1.5', name);
      server.admit(name);
    }
    return names;
  };

  test('closes no connection with a valid key, although the shop has more than each network', async () => {
    const server = openServer({ perAddress: 64, total: 100 });
    const tills = openShop(server, 60);
    for (let i = 0; i < 500; i++) server.connect(`2001:${i.toString(16)}::1`);
    const open = await server.open();
    expect(open).toHaveLength(100);
    expect(open).toEqual(expect.arrayContaining(tills));
    server.connect('192.168.1.5', 'new till');
    expect(await server.open()).toContain('new till');
  });

  test.each(['2001:db8:1:', '2001:db8:1:ff'])(
    'by one owner (%s…) counts as one network: the shop loses nothing, not even before its first call',
    async (owner) => {
      const server = openServer({ perAddress: 64, total: 20 });
      const names = Array.from({ length: 9 }, (_, i) => `till ${i}`);
      for (const name of names) server.connect('192.168.1.5', name);
      for (let i = 16; i < 200; i++) server.connect(`${owner}${i.toString(16)}::1`);
      expect(await server.open()).toEqual(expect.arrayContaining(names));
    },
  );

  test('of connections with keys closes the least recently used one of the largest holder', async () => {
    const server = openServer({ perAddress: 20, total: 5 });
    server.connect('192.168.1.6', 'quiet till');
    server.admit('quiet till');
    openShop(server, 4);
    server.use('till 0');
    server.connect('2001:db8::1', 'new till');
    server.admit('new till');
    expect(await server.open()).toEqual(['quiet till', 'till 0', 'till 2', 'till 3', 'new till']);
  });
});

test('an address at its limit loses a connection without a key before one with a key', async () => {
  const server = openServer({ perAddress: 3, total: NO_LIMIT });
  for (const name of ['a', 'b', 'c']) server.connect('192.168.1.5', name);
  server.admit('a');
  server.use('b');
  server.connect('192.168.1.5', 'd');
  server.connect('192.168.1.5', 'e');
  expect(await server.open()).toEqual(['a', 'd', 'e']);
});
