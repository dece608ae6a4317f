// A TCP proxy that spoils connections. It changes only how bytes travel, never the bytes themselves.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

export const CHAOS_MODES = [
  'pass',
  /** Does not listen. */
  'refuse',
  /** Accepts connections, and forwards and answers nothing. */
  'black hole',
  /** Resets the connection after a few bytes of the request. */
  'reset',
  /** Forwards the request, and resets the connection when the answer comes. */
  'drop the answer',
  /** Ends the connection in the middle of the answer. */
  'cut the answer',
  'latency',
  /** Forwards a few bytes at a time, with pauses. */
  'throttle',
  /** Forwards each byte separately. */
  'single bytes',
  /** Closes its sending side as soon as it is connected. */
  'half close',
] as const;
export type ChaosMode = (typeof CHAOS_MODES)[number];

const RESET_AFTER_BYTES = 60;
const LATENCY_MS = 200;
const THROTTLE = { bytes: 64, everyMs: 20 };

export interface ChaosProxy {
  readonly url: string;
  /** Changes the mode of new connections, and drops all connections of the former mode. */
  setMode(mode: ChaosMode): Promise<void>;
  /** Connections that were spoiled, or refused. */
  spoiled(): number;
}

export async function openChaosProxy(target: number): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  let mode: ChaosMode = 'pass';
  let spoiled = 0;

  const server = createServer((client) => {
    const chosen = mode;
    if (chosen !== 'pass') spoiled += 1;
    keep(client);
    if (chosen === 'black hole') return void client.resume();
    if (chosen === 'half close') return void client.end();
    const upstream = keep(connect(target, '127.0.0.1'));
    const drop = (): void => {
      client.resetAndDestroy();
      upstream.destroy();
    };
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.end());
    let received = 0;
    client.on('data', (bytes: Buffer) => {
      received += bytes.byteLength;
      if (chosen !== 'reset') send(chosen, client, upstream, bytes);
      else if (received >= RESET_AFTER_BYTES) drop();
    });
    upstream.on('data', (bytes: Buffer) => {
      if (chosen === 'drop the answer') return drop();
      if (chosen === 'cut the answer') return void client.end(bytes.subarray(0, 20));
      send(chosen, upstream, client, bytes);
    });
  });

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async setMode(next) {
      mode = next;
      if (next === 'refuse' && server.listening) server.close();
      for (const socket of sockets) socket.destroy();
      if (next === 'refuse' || server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    spoiled: () => spoiled,
  };
}

function send(mode: ChaosMode, from: Socket, to: Socket, bytes: Buffer): void {
  if (mode === 'latency') return void setTimeout(() => to.write(bytes), LATENCY_MS);
  if (mode === 'throttle') return throttle(from, to, bytes);
  const size = mode === 'single bytes' ? 1 : bytes.byteLength;
  for (let at = 0; at < bytes.byteLength; at += size) to.write(bytes.subarray(at, at + size));
}

/** Sends one part after the other, and reads nothing more meanwhile, so that the bytes keep their order. */
function throttle(from: Socket, to: Socket, bytes: Buffer): void {
  from.pause();
  to.write(bytes.subarray(0, THROTTLE.bytes));
  const rest = bytes.subarray(THROTTLE.bytes);
  setTimeout(() => (rest.byteLength > 0 ? throttle(from, to, rest) : from.resume()), THROTTLE.everyMs);
}
