// How many connections an address, a network and everybody together may hold. The sockets are not connected, because a machine has
// no network of its own to call from; only where they come from and whether they are closed matters here.

import { createServer } from 'node:http';
import { Socket } from 'node:net';

import { describe, expect, test } from 'vitest';

import { limitConnections } from '../../../server/http/connection-limit.ts';

/** A server on which connections can be opened from any address; `open` gives the names of those that are still open. */
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
    /** A call on it had a key. */
    admit: (name: string): void => noteAdmission(open.get(name) ?? new Socket()),
    /** After every close has been told. */
    async open(): Promise<string[]> {
      await new Promise((resolve) => setImmediate(resolve));
      return [...open.keys()];
    },
  };
}

const NO_LIMIT = 1000;

describe('a network', () => {
  test('of IPv6 (/64) holds four times as many as one address, however many addresses it has', async () => {
    const server = openServer({ perAddress: 2, total: NO_LIMIT });
    server.connect('2001:db8:0:1::1');
    for (let i = 1; i <= 20; i++) server.connect(`2001:db8:0:2::${i.toString(16)}`);
    const open = await server.open();
    expect(open.filter((name) => name.startsWith('2001:db8:0:2:'))).toHaveLength(8);
    expect(open).toContain('2001:db8:0:1::1');
    expect(open, 'the newest').toContain('2001:db8:0:2::14');
  });

  test('that is full loses the longest unused connection of the address that has most', async () => {
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

  test('of equal addresses the one that was unused the longest loses', async () => {
    const server = openServer({ perAddress: 1, total: NO_LIMIT });
    for (const name of ['a', 'b', 'c', 'd']) server.connect(`2001:db8::${name}`, name);
    server.use('a');
    server.connect('2001:db8::e', 'e');
    expect(await server.open()).toEqual(['a', 'c', 'd', 'e']);
  });

  test('of IPv4 is each address alone', async () => {
    const server = openServer({ perAddress: 1, total: NO_LIMIT });
    for (let i = 1; i <= 20; i++) server.connect(`192.168.1.${i}`);
    for (let i = 1; i <= 20; i++) server.connect(`::ffff:192.168.2.${i}`);
    expect(await server.open()).toHaveLength(40);
  });
});

describe('all together', () => {
  test('hold no more than the total; the network that has most loses one', async () => {
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

  test('of many with one each, the one that was unused the longest is closed', async () => {
    const server = openServer({ perAddress: 20, total: 3 });
    for (const host of ['1', '2', '3']) server.connect(`192.168.1.${host}`, host);
    server.use('1');
    server.connect('192.168.1.4', '4');
    expect(await server.open()).toEqual(['1', '3', '4']);
  });

  test('that have closed count no more', async () => {
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

  test('closes no connection on which a call had a key, although the shop holds more than each network', async () => {
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
    'of one owner (%s…) is counted together: the shop loses nothing, also before its first call',
    async (owner) => {
      const server = openServer({ perAddress: 64, total: 20 });
      const names = Array.from({ length: 9 }, (_, i) => `till ${i}`);
      for (const name of names) server.connect('192.168.1.5', name);
      for (let i = 16; i < 200; i++) server.connect(`${owner}${i.toString(16)}::1`);
      expect(await server.open()).toEqual(expect.arrayContaining(names));
    },
  );

  test('of connections that all had a key, closes the longest unused one of the largest holder', async () => {
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

test('an address at its limit loses a connection without a key before one with', async () => {
  const server = openServer({ perAddress: 3, total: NO_LIMIT });
  for (const name of ['a', 'b', 'c']) server.connect('192.168.1.5', name);
  server.admit('a');
  server.use('b');
  server.connect('192.168.1.5', 'd');
  server.connect('192.168.1.5', 'e');
  expect(await server.open()).toEqual(['a', 'd', 'e']);
});
