#!/usr/bin/env node
// mDNS on a host of a test network. `announce` announces a gateway with every IPv4 address of the host, and prints each state as a
// line of JSON until its standard input ends. `look-up NAME` prints the addresses that the network gives for a name.

import { once } from 'node:events';
import { networkInterfaces } from 'node:os';

import { Server } from 'bonjour-service/dist/lib/mdns-server.js';
import { pino } from 'pino';

import { openDiscovery } from '../../server/network/discovery.ts';
import type { MdnsPacket } from './mdns.ts';

const LOOK_EVERY_MS = 100;
const [verb, name = ''] = process.argv.slice(2);
if (verb === 'announce') await announce();
else if (verb === 'look-up') console.log(JSON.stringify(await lookUp(name)));

async function announce(): Promise<void> {
  const discovery = openDiscovery({
    port: 7410,
    scheme: 'https',
    addresses: listOwn,
    log: pino({ level: 'silent' }),
    onChange: (state) => console.log(JSON.stringify(state)),
  });
  const looks = setInterval(() => discovery.update(), LOOK_EVERY_MS);
  await once(process.stdin.resume(), 'end');
  clearInterval(looks);
  await discovery.close();
}

/** Asks for the addresses of a name until an answer comes. */
async function lookUp(wanted: string): Promise<readonly unknown[]> {
  const options = { port: 5353, interface: listOwn()[0], bind: '0.0.0.0' };
  const mdns = new Server(options).mdns as NodeJS.EventEmitter & {
    query(name: string, type: string): void;
    destroy(): void;
  };
  await once(mdns, 'ready');
  const asks = setInterval(() => mdns.query(wanted, 'A'), LOOK_EVERY_MS);
  const found = await new Promise<readonly unknown[]>((resolve) => {
    mdns.on('response', ({ answers }: MdnsPacket) => {
      const records = answers.filter((record) => record.name === wanted && record.type === 'A' && record.ttl > 0);
      if (records.length > 0) resolve(records.map(({ data }) => data));
    });
  });
  clearInterval(asks);
  mdns.destroy();
  return found;
}

function listOwn(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}
