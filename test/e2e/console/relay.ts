// A connection between browser and gateway that a test can cut and restore.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** The gateway's address through this relay. */
  readonly url: string;
  /** Breaks every connection and accepts no new connection. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a relay to the gateway at `target`. It runs until it is cut or the process ends. */
export async function openRelay(target: string): Promise<Relay> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(targetPort), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one) && other.destroy());
    }
  });
  const listen = async (wanted: number): Promise<number> => {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      await listen(port);
    },
  };
}
