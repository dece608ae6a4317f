// One port for HTTP and HTTPS: which server gets a connection, and when the entry decides this without reading a byte.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { asksForAuthority } from '../../../server/api/published-authority.ts';
import { openEntry } from '../../../server/network/entry.ts';

/** Opens an entry with two servers. Each server answers only with its own name. */
async function open(takesPlainFromNetwork: (first: Buffer) => boolean = () => false) {
  const arrived: string[] = [];
  const plain = createServer((_req, res) => res.end('plain'));
  const secure = createServer((_req, res) => res.end('secure')); // in these tests this server gets plain HTTP, not TLS
  const silent: Socket[] = [];
  const entry = openEntry({
    plain,
    takesPlainFromNetwork,
    onSilence: (socket) => void silent.push(socket),
    onError: (error) => {
      throw error;
    },
  });
  plain.on('connection', () => arrived.push('plain'));
  secure.on('connection', () => arrived.push('secure')).on('clientError', (_error, socket) => socket.destroy());
  onTestFinished(() => entry.close(0));
  const machine = await entry.listen('127.0.0.1', 0, 'port', 'machine');
  const network = await entry.listen('localhost', 0, 'port', 'network');
  const speak = async (port: number, bytes: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes, 'latin1');
    return socket;
  };
  // a plain HTTP server stands in for the HTTPS server
  const secureWith = (isOn: boolean): void => entry.secureWith(isOn ? (secure as never) : undefined);
  return { arrived, entry, machine: machine.port, network: network.port, speak, secureWith };
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HELLO = '\x16\x03\x01';

test('without a certificate, HTTP gets a connection before its first byte', async () => {
  const { arrived, machine, speak } = await open();
  await speak(machine, '');
  await expect.poll(() => arrived).toEqual(['plain']);
});

test.each([
  ['machine', GET, 'plain'],
  ['machine', `\r\n${GET}`, 'plain'],
  ['machine', HELLO, 'secure'],
  ['machine', 'x', 'secure'],
  ['network', GET, 'secure'],
  ['network', HELLO, 'secure'],
] as const)('with a certificate, from the %s: %j goes to the %s server', async (reach, bytes, expected) => {
  const { arrived, speak, secureWith, ...ports } = await open();
  secureWith(true);
  await speak(ports[reach], bytes);
  await expect.poll(() => arrived).toEqual([expected]);
});

test('the first bytes reach the server, and it answers', async () => {
  const { machine, network, speak, secureWith } = await open((first) => first.toString().startsWith('GET'));
  secureWith(true);
  for (const port of [machine, network]) {
    const socket = await speak(port, GET);
    expect(String((await once(socket, 'data'))[0])).toContain('plain');
  }
});

test.each(['GET /ca.pem HTTP/1.1\r\n', '\r\nHEAD /ca.der?a HTTP/1.1\r\n'])(
  'from the network, the request line %j may come in pieces',
  async (line) => {
    const { arrived, network, speak, secureWith } = await open(asksForAuthority);
    secureWith(true);
    const socket = await speak(network, '');
    socket.setNoDelay();
    const [server] = await Promise.all([once(socket, 'data'), sendInPieces(socket, `${line}Host: a\r\n\r\n`)]);
    expect(String(server[0])).toContain('200 OK');
    expect(arrived).toEqual(['plain']);
  },
);

test('from the network, a request line without an end is decided after a few bytes', async () => {
  const { arrived, network, speak, secureWith } = await open(asksForAuthority);
  secureWith(true);
  await speak(network, `GET /${'a'.repeat(100)}`);
  await expect.poll(() => arrived).toEqual(['secure']);
});

async function sendInPieces(socket: Socket, text: string): Promise<void> {
  for (const piece of text) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await setImmediate();
  }
}

test('a connection counts from the start, also if it sends nothing', async () => {
  const { entry, machine, speak, secureWith } = await open();
  let count = 0;
  entry.on('connection', () => (count += 1));
  secureWith(true);
  const socket = await speak(machine, '');
  await expect.poll(() => count).toBe(1);
  await entry.close(0);
  await expect.poll(() => socket.destroyed || socket.readableEnded || socket.closed).toBe(true);
});
