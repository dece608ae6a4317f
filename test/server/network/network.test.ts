// The network of a running gateway: opened and closed by what people decide, without a restart. 127.0.0.2 and 127.0.0.3 stand for
// addresses in a network: only Linux has them without being set up.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { NetworkView } from '../../../server/contract/network.ts';
import type { Interfaces } from '../../../server/lib/own-address.ts';
import { digestPassword } from '../../../server/lib/password.ts';
import { expectProblem, refusalsOf } from '../../support/api/refusal-table.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { PASSWORD } from '../../support/console.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway, type TestSurroundings } from '../../support/open-gateway.ts';
import { openRawConnection, rawCall } from '../../support/raw-call.ts';

/** An interface with these IPv4 addresses. */
function cardOf(...addresses: string[]): Interfaces[string] {
  return addresses.map((address) => ({
    address,
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '00:00:00:00:00:00',
    internal: false,
    cidr: `${address}/24`,
  }));
}

async function open(
  interfaces: Interfaces = { lan: cardOf('127.0.0.2') },
  config: Parameters<typeof openTestGateway>[0] = {},
  more: TestSurroundings = {},
): Promise<TestGateway> {
  const gateway = await openTestGateway(config, undefined, { readInterfaces: () => interfaces, ...more });
  onTestFinished(() => gateway.close());
  return gateway;
}

const portOf = ({ network }: TestGateway): number => Number(new URL(network.view().localAddress).port);

/** Changes the network and waits until the gateway has applied it. */
async function change(
  gateway: TestGateway,
  wanted: Parameters<TestGateway['store']['network']['change']>[0],
): Promise<NetworkView> {
  await gateway.store.network.change(wanted, 'Ann');
  await expect.poll(() => gateway.network.view().settings).toMatchObject(wanted);
  return gateway.network.view();
}

/** Posts a sale as a till that trusts only this authority. */
async function postTrusting(url: string, secret: string, ca: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.close());
  const headers = { token: secret, 'content-type': 'application/json' };
  const answer = await call(`${url}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf(), dispatcher });
  return answer.status;
}

describe.runIf(process.platform === 'linux')('the network is opened while the gateway runs', () => {
  test('a till that trusts only the authority posts over HTTPS, and this machine over both', async () => {
    const gateway = await open();
    const port = portOf(gateway);
    expect(gateway.network.view()).toMatchObject({ addresses: [], certificate: null, authority: null });
    expect(gateway.apiUrl).toBe(`http://127.0.0.1:${port}`);
    const view = await change(gateway, { isOpen: true });
    expect(view.addresses).toEqual([`https://127.0.0.2:${port}`]);
    expect(view).toMatchObject({ localAddress: `http://127.0.0.1:${port}`, failures: [], fixedBy: [] });
    expect(gateway.network.apiUrl()).toBe(`https://127.0.0.2:${port}`);
    const ca = (await call(`http://127.0.0.2:${port}/ca.pem`)).text;
    expect(ca).toBe(readFileSync(view.authority?.file ?? '', 'utf8'));
    expect(await postTrusting(`https://127.0.0.2:${port}`, gateway.test.secret, ca)).toBe(201);
    for (const scheme of ['http', 'https'])
      expect((await postBody(`${scheme}://127.0.0.1:${port}`, gateway.test.secret, bodyOf())).status).toBe(201);
  });
});
