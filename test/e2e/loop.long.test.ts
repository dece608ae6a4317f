// An upstream address that leads back to the same gateway. Records do not go round in a circle, and they neither become held
// nor count as delivered. `status` names the cause.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

import { describe, expect, onTestFinished, test } from 'vitest';

import { bodyOf, call, postBody } from '../support/http-call.ts';
import { LANE, laneOf, openUpstream, setUpstream } from './lane.ts';
import { openTestSite } from './test-site.ts';

const LEADS_BACK = 'The upstream address leads back to this gateway (508). Correct the address.';

/** This machine's address on its network; loopback if it has none. */
const LAN =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';

/** Forwards every connection, like a router with port forwarding. */
async function openPortForward(host: string, port: number): Promise<string> {
  const server = createServer((socket) => {
    const onward = connect(port, host);
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a gateway with itself as upstream, by its address on the LAN', () => {
  test('is refused when it is set, while the gateway runs and after it has stopped', async () => {
    const site = await openTestSite();
    const { key } = await site.createKey('Till 1');
    const gateway = await site.startGateway(0, '--host', '0.0.0.0', '--plain-http');
    const own = ['upstream', 'set', ...LANE, '--url', `http://${LAN}:${gateway.port}`, '--plain-http', '--token', key];
    const said = `http://${LAN}:${gateway.port} is this gateway itself, which listens at port ${gateway.port}. Give`;
    expect(await site.run(...own)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
    await gateway.stop();
    expect(await site.run(...own)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
  });

  test.each([
    ['with a key of its own', (key: string) => key],
    ['with a key that it does not know', () => 'test_of-the-real-upstream'],
  ])('%s, through a hidden route: the lane reports it and keeps everything', async (_name, token) => {
    const site = await openTestSite();
    const { key } = await site.createKey('Till 1');
    const gateway = await site.startGateway(0, '--host', '0.0.0.0', '--plain-http');
    const round = await openPortForward(LAN, gateway.port);
    await setUpstream(site, round, token(key), '--plain-http');
    await setUpstream(site, `${round}/c/dev-plem/bakery/12`, token(key), '--plain-http', '--interface', 'earlier');
    const direct = `http://127.0.0.1:${gateway.port}`;
    expect((await postBody(direct, key, bodyOf())).status).toBe(201);
    const headers = { authorization: `Bearer ${key}` };
    expect((await call(`${direct}/v1/transaction?transactionid=7`, { headers })).status).toBe(200);
    const refused = { state: 'refused', cause: LEADS_BACK, waiting: 1, held: 0, delivered: 0 };
    await expect.poll(() => laneOf(site)).toMatchObject(refused);
    await expect.poll(() => laneOf(site, 'earlier_lane')).toMatchObject(refused);
    expect(await site.runJson('records')).toHaveLength(2); // no record came back
    const refusals = (await site.runJson('refusals')) as { code: string }[];
    expect(refusals.length).toBeGreaterThanOrEqual(2); // at least one per lane; more if a lane has already retried
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['forwarding_loop']));

    const upstream = await openUpstream();
    await setUpstream(site, upstream.url, 'test_real');
    await upstream.waitUntil(({ records }) => records === 1);
    await expect.poll(() => laneOf(site)).toMatchObject({ state: 'running', cause: null, waiting: 0, delivered: 1 });
  });
});

test('two gateways that are upstream of each other: the second reports it, and everything waits there', async () => {
  const [store, office] = [await openTestSite(), await openTestSite()];
  const [{ key: storeKey }, { key: officeKey }] = [await store.createKey('Till 1'), await office.createKey('Store')];
  const { key: backKey } = await store.createKey('Office');
  const below = await store.startGateway();
  let above = await office.startGateway();
  await setUpstream(store, above.url, officeKey);
  await setUpstream(office, below.url, backKey);
  for (let i = 1; i <= 3; i++) {
    expect((await postBody(below.url, storeKey, bodyOf({ external_id: `S-${i}` }))).status).toBe(201);
  }
  const refused = { state: 'refused', cause: LEADS_BACK, waiting: 3, held: 0, delivered: 0 };
  await expect.poll(() => laneOf(office)).toMatchObject(refused);
  await expect.poll(() => laneOf(store)).toMatchObject({ state: 'running', waiting: 0, held: 0, delivered: 3 });

  // A restart of the gateway `above` does not bring the waiting records back.
  const countRefusals = async () => ((await store.runJson('refusals')) as unknown[]).length;
  await above.stop();
  const before = await countRefusals();
  above = await office.startGateway(above.port);
  await expect.poll(countRefusals).toBeGreaterThan(before);
  await expect.poll(() => laneOf(office)).toMatchObject(refused);
  expect(await store.runJson('records')).toHaveLength(3); // no record came back

  const upstream = await openUpstream();
  await setUpstream(office, upstream.url, 'test_real');
  await upstream.waitUntil(({ records }) => records === 3);
  await expect.poll(() => laneOf(office)).toMatchObject({ state: 'running', waiting: 0, delivered: 3 });
});
