// The tests use real mDNS on the loopback interface. Each test has its own UDP port, so that tests do not hear each other.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Bonjour } from 'bonjour-service';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';

import type { AnnouncementState } from '../../../server/contract/network.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { type Discovery, type DiscoveryParts, openDiscovery } from '../../../server/network/discovery.ts';
import { openLink } from '../../../server/network/mdns-link.ts';
import { addressRecord, findFreeUdpPort, type MdnsNeighbour, openNeighbour } from '../../support/mdns.ts';
import { waitUntil } from '../../support/wait-until.ts';

const FOREIGN = '192.0.2.9';

test('the name leads to the address at which the gateway listens', async () => {
  const mdnsPort = await findFreeUdpPort();
  const discovery = start({ mdnsPort });

  expect(await firstState(discovery)).toEqual({ state: 'on', name: 'counterfoil.local' });
  expect(await resolveName(mdnsPort)).toEqual(['127.0.0.1']);
});

test('a program finds the service, its host name, port and scheme', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort, port: 7410, scheme: 'https' }));

  const other = new Bonjour({ port: mdnsPort, interface: '127.0.0.1', bind: '0.0.0.0' } as object);
  onTestFinished(() => other.destroy());
  const browser = other.find({ type: 'counterfoil' });
  const [found] = await once(browser, 'up');

  expect(found).toMatchObject({
    host: 'counterfoil.local',
    port: 7410,
    addresses: ['127.0.0.1'],
    txt: { scheme: 'https' },
  });
});

test('an address at which the gateway does not listen is not announced', async () => {
  const mdnsPort = await findFreeUdpPort();
  const discovery = start({ mdnsPort, addresses: () => [FOREIGN] });

  expect(await firstState(discovery)).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('no IPv4 address'),
  });
});

test('the next name is used if another machine has the name', async () => {
  const mdnsPort = await findFreeUdpPort();
  (await openNeighbour(mdnsPort)).own(['counterfoil.local', 'Counterfoil-2.local'], FOREIGN);

  expect(await firstState(start({ mdnsPort }))).toEqual({ state: 'on', name: 'counterfoil-3.local' });
});

test('a numbered name is counted on', async () => {
  const mdnsPort = await findFreeUdpPort();
  (await openNeighbour(mdnsPort)).own(['till-gateway-2.local'], FOREIGN);

  const discovery = start({ mdnsPort, name: 'till-gateway-2.local' });

  expect(await firstState(discovery)).toEqual({ state: 'on', name: 'till-gateway-3.local' });
});

test('a machine that answers for every name ends in a failure', async () => {
  const mdnsPort = await findFreeUdpPort();
  const names = Array.from({ length: 40 }, (_, i) => (i === 0 ? 'counterfoil.local' : `counterfoil-${i + 1}.local`));
  (await openNeighbour(mdnsPort)).own(names, FOREIGN);

  expect(await firstState(start({ mdnsPort }))).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('20 names from counterfoil.local'),
  });
});

test('a machine that claims the name later makes the gateway take the next one', async () => {
  const mdnsPort = await findFreeUdpPort();
  const states: AnnouncementState[] = [];
  await firstState(start({ mdnsPort, onChange: (state) => void states.push(state) }));

  const other = await openNeighbour(mdnsPort);
  other.own(['counterfoil.local'], FOREIGN);
  other.say([addressRecord('counterfoil.local', FOREIGN)]);

  await waitUntil(() => states.length === 2);
  expect(states[1]).toEqual({ state: 'on', name: 'counterfoil-2.local' });
});

test('the gateway answers a machine that asks whether the name is free', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort }));

  const other = await openNeighbour(mdnsPort);
  const answered = other.nextResponse();
  other.ask('counterfoil.local', 'ANY', [addressRecord('counterfoil.local', FOREIGN)]);

  const { answers } = await answered;
  expect(answers).toContainEqual(expect.objectContaining({ type: 'A', data: '127.0.0.1', flush: true }));
});

test('a machine with a weaker claim at the same moment does not get the name', async () => {
  const mdnsPort = await findFreeUdpPort();
  const rival = await openNeighbour(mdnsPort);
  claimAtTheSameTime(rival, '10.0.0.1');

  expect(await firstState(start({ mdnsPort }))).toEqual({ state: 'on', name: 'counterfoil.local' });
});

test('a machine with a stronger claim at the same moment gets the name', async () => {
  const mdnsPort = await findFreeUdpPort();
  const rival = await openNeighbour(mdnsPort);
  claimAtTheSameTime(rival, FOREIGN);

  expect(await firstState(start({ mdnsPort }))).toEqual({ state: 'on', name: 'counterfoil-2.local' });
});

test('two gateways of one machine share its name', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort, port: 7410 }));

  expect(await firstState(start({ mdnsPort, port: 7510 }))).toEqual({ state: 'on', name: 'counterfoil.local' });
});

test('a till learns at once that the name has no IPv6 address', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort }));

  const till = await openNeighbour(mdnsPort);
  const answered = till.nextResponse();
  till.ask('counterfoil.local', 'AAAA');

  expect((await answered).answers).toEqual([
    expect.objectContaining({ type: 'NSEC', data: { nextDomain: 'counterfoil.local', rrtypes: ['A'] } }),
  ]);
});

test('a simple client that does not join the group gets its answer directly', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort }));
  const client = createSocket('udp4');
  onTestFinished(() => void client.close());
  client.bind(0, '127.0.0.1');
  await once(client, 'listening');
  client.setMulticastInterface('127.0.0.1');
  const answered = once(client, 'message');

  const question = Buffer.from('\x12\x34\0\0\0\x01\0\0\0\0\0\0\x0bcounterfoil\x05local\0\0\x01\0\x01', 'latin1');
  client.send(question, mdnsPort, '224.0.0.251');

  const [answer] = (await answered) as [Buffer];
  expect(answer.readUInt16BE(0)).toBe(0x1234);
  expect([...answer.subarray(-4)]).toEqual([127, 0, 0, 1]);
});

test('closing says goodbye and ends the answers', async () => {
  const mdnsPort = await findFreeUdpPort();
  const discovery = start({ mdnsPort });
  await firstState(discovery);
  const goodbyes = collectGoodbyes(await openNeighbour(mdnsPort));

  await discovery.close();
  await discovery.close();

  expect(discovery.state()).toEqual({ state: 'off' });
  await waitUntil(() => goodbyes.length > 0);
  expect(goodbyes).toEqual(expect.arrayContaining(['A', 'PTR', 'SRV', 'TXT']));
});

test('a goodbye of another machine takes no name away', async () => {
  const mdnsPort = await findFreeUdpPort();
  const discovery = start({ mdnsPort });
  await firstState(discovery);
  const other = await openNeighbour(mdnsPort);

  const goodbyes = collectGoodbyes(other);
  other.say([addressRecord('counterfoil.local', FOREIGN, 0)]);

  expect(await resolveName(mdnsPort)).toEqual(['127.0.0.1']);
  expect(discovery.state()).toEqual({ state: 'on', name: 'counterfoil.local' });
  expect(goodbyes, 'only that of the other machine').toEqual(['A']);
});

test('a packet with many questions or addresses is answered once, and the interfaces are read once', async () => {
  const mdnsPort = await findFreeUdpPort();
  let reads = 0;
  const conflict = Promise.withResolvers<void>();
  const link = await openLink({
    at: '127.0.0.1',
    mdnsPort,
    clock: machineClock,
    readOwn() {
      reads += 1;
      return (address) => address === '127.0.0.1';
    },
    onConflict: () => conflict.resolve(),
    onFault: () => {},
  });
  onTestFinished(() => link.close());
  await link.announce({ host: 'counterfoil.local', addresses: ['127.0.0.1'], port: 7410, scheme: 'https' });
  const other = await openNeighbour(mdnsPort);
  const kinds: string[] = [];
  other.onPacket('response', ({ answers }) => kinds.push(...new Set(answers.map(({ type }) => type))));
  other.askAll(Array.from({ length: 500 }, () => ({ name: 'counterfoil.local', type: 'A' })));
  other.ask('counterfoil.local', 'AAAA');
  await waitUntil(() => kinds.includes('NSEC'));
  reads = 0;
  other.say(Array.from({ length: 500 }, () => addressRecord('counterfoil.local', FOREIGN)));
  await conflict.promise;

  expect(kinds.slice(0, kinds.indexOf('NSEC'))).toEqual(['A']);
  expect(reads).toBe(1);
});

test('broken packets change nothing', async () => {
  const mdnsPort = await findFreeUdpPort();
  await firstState(start({ mdnsPort }));
  const client = createSocket('udp4');
  onTestFinished(() => void client.close());
  for (const packet of ['', 'x', '\0'.repeat(12), '\x12\x34\0\0\xff\xff\0\0\0\0\0\0\xc0\x0c', '\xff'.repeat(500)])
    client.send(Buffer.from(packet, 'latin1'), mdnsPort, '127.0.0.1');

  expect(await resolveName(mdnsPort)).toEqual(['127.0.0.1']);
});

test('a port that another program keeps for itself is a failure with advice', async () => {
  const greedy = createSocket('udp4');
  onTestFinished(() => void greedy.close());
  greedy.bind(0);
  await once(greedy, 'listening');

  expect(await firstState(start({ mdnsPort: greedy.address().port }))).toMatchObject({
    state: 'failed',
    detail: expect.stringMatching(/^Another program keeps UDP port 5353/),
  });
});

test('an update starts again after a failure when an address appears', async () => {
  const mdnsPort = await findFreeUdpPort();
  let addresses: string[] = [];
  const discovery = start({ mdnsPort, addresses: () => addresses });
  await firstState(discovery);

  addresses = ['127.0.0.1'];
  discovery.update();

  await waitUntil(() => discovery.state().state === 'on');
  expect(await resolveName(mdnsPort)).toEqual(['127.0.0.1']);
});

test('an update without a change of addresses keeps the announcement', async () => {
  const mdnsPort = await findFreeUdpPort();
  const states: AnnouncementState[] = [];
  const discovery = start({ mdnsPort, onChange: (state) => void states.push(state) });
  await firstState(discovery);
  const goodbyes = collectGoodbyes(await openNeighbour(mdnsPort));

  discovery.update();

  expect(await resolveName(mdnsPort)).toEqual(['127.0.0.1']);
  expect([states.length, goodbyes]).toEqual([1, []]);
});

function start(parts: Partial<DiscoveryParts>): Discovery {
  const log = pino({ level: 'silent' });
  const discovery = openDiscovery({ port: 7410, addresses: () => ['127.0.0.1'], scheme: 'https', log, ...parts });
  onTestFinished(() => discovery.close());
  return discovery;
}

async function firstState(discovery: Discovery): Promise<AnnouncementState> {
  await waitUntil(() => discovery.state().state !== 'off');
  return discovery.state();
}

/**
 * Claims the name as soon as the gateway asks for it. If the rival's address is FOREIGN, its claim is stronger and the rival
 * keeps the name.
 */
function claimAtTheSameTime(rival: MdnsNeighbour, address: string): void {
  const name = 'counterfoil.local';
  let hasAsked = false;
  rival.onPacket('query', ({ authorities: [claim] }) => {
    if (claim === undefined || claim.data === address) return;
    if (!hasAsked) rival.ask(name, 'ANY', [addressRecord(name, address)]);
    else if (address === FOREIGN) rival.own([name], address);
    hasAsked = true;
  });
}

/** Collects the types of the mDNS records that the gateway withdraws. */
function collectGoodbyes(neighbour: MdnsNeighbour): string[] {
  const types: string[] = [];
  neighbour.onPacket('response', ({ answers }) => {
    types.push(...answers.filter(({ ttl }) => ttl === 0).map(({ type }) => type));
  });
  return types;
}

/** The addresses that a till gets for counterfoil.local. */
async function resolveName(port: number): Promise<readonly unknown[]> {
  const name = 'counterfoil.local';
  const till = await openNeighbour(port);
  const answered = new Promise<readonly unknown[]>((resolve) => {
    till.onPacket('response', ({ answers }) => {
      const found = answers.filter((answer) => answer.name === name && answer.type === 'A' && answer.ttl > 0);
      if (found.length > 0) resolve(found.map(({ data }) => data));
    });
  });
  till.ask(name, 'A');
  return answered;
}
