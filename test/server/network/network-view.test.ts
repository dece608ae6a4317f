// What people and commands see of the network, with real ports. Addresses that begin with 127 stand in for addresses of a
// network.

import { createServer } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { loadConfig } from '../../../server/config.ts';
import { loadCertificate } from '../../../server/http/certificate.ts';
import { openEntry } from '../../../server/network/entry.ts';
import { type AppliedNetwork, listUncertified, showNetwork } from '../../../server/network/network-view.ts';
import { decideOpening, readFixedOpening } from '../../../server/network/opening.ts';
import { openPort, type Port } from '../../../server/network/port.ts';
import { CLOSED_NETWORK } from '../../../server/store/network/ledger.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const INTERFACES = [
  { name: 'eth0', addresses: ['127.0.0.2', '127.0.0.3'], isVirtual: false },
  { name: 'docker0', addresses: ['127.0.0.4'], isVirtual: true },
];

async function openAt(host: string): Promise<Port> {
  const entry = openEntry({
    plain: createServer(),
    takesPlainFromNetwork: () => false,
    onSilence() {},
    onError(error) {
      throw error;
    },
  });
  onTestFinished(() => entry.close(0));
  return openPort(entry, { host, port: 0, flag: 'port' });
}

/** The state of a gateway on an open network, with a certificate for `hosts`. */
async function apply(hosts: readonly string[], flags: Record<string, unknown> = {}): Promise<AppliedNetwork> {
  const config = loadConfig(temporaryFolder(), flags, {});
  const fixed = readFixedOpening(config);
  const settings = { ...CLOSED_NETWORK, isOpen: true };
  const certificate = loadCertificate(writeCertificate(temporaryFolder(), makeCertificate({ hosts })));
  return {
    config,
    settings,
    fixed,
    opening: decideOpening(settings, fixed, INTERFACES),
    failures: [],
    tills: await openAt(config.host),
    console: await openAt(config.consoleHost),
    served: certificate,
    source: 'own',
    fileHosts: [],
    fileHost: undefined,
    authority: undefined,
    announcement: { state: 'off' },
    names: [],
    keys: [],
    isOwnHost: () => true,
  };
}

test.runIf(process.platform === 'linux')(
  'addresses are printed in the order of the interfaces, whatever opened first',
  async () => {
    const applied = await apply(['127.0.0.2', '127.0.0.3']);
    const { port } = applied.tills;
    for (const hosts of [['127.0.0.3'], ['127.0.0.2', '127.0.0.3']])
      expect(await applied.tills.open(hosts)).toEqual([]);
    const { view, apiUrl } = showNetwork(applied);
    expect(view.addresses).toEqual([`https://127.0.0.2:${port}`, `https://127.0.0.3:${port}`]);
    expect(apiUrl).toBe(view.addresses[0]);
  },
);

test('a closed network prints the address of this machine', async () => {
  const applied = await apply(['127.0.0.2']);
  expect(showNetwork(applied)).toMatchObject({
    view: { addresses: [], consoleAddresses: [], localAddress: `http://127.0.0.1:${applied.tills.port}` },
    apiUrl: `http://127.0.0.1:${applied.tills.port}`,
    consoleUrl: `http://127.0.0.1:${applied.console.port}`,
  });
});

test('a gateway that listens everywhere prints no address of containers', async () => {
  const applied = await apply(['127.0.0.2', '127.0.0.4'], { host: '0.0.0.0' });
  expect(showNetwork(applied).view.addresses).toEqual([`https://127.0.0.2:${applied.tills.port}`]);
});

test('an address or name that is not in the certificate is not printed', async () => {
  const applied = await apply(['127.0.0.3', 'counterfoil.local'], { host: '0.0.0.0' });
  const { view } = showNetwork({ ...applied, names: ['counterfoil.local', 'other.local'] });
  const { port } = applied.tills;
  expect(view.addresses).toEqual([`https://127.0.0.3:${port}`, `https://counterfoil.local:${port}`]);
});

test.runIf(process.platform === 'linux')(
  'an open address that the certificate leaves out is worth knowing, unless tills may use HTTP',
  async () => {
    const applied = await apply(['127.0.0.2']);
    await applied.tills.open(['127.0.0.2', '127.0.0.3']);
    const of = (source: 'own' | 'files', allowsPlainHttp = false) =>
      listUncertified({ ...applied, source, allowsPlainHttp, baseDomain: '' });
    const address = `https://127.0.0.3:${applied.tills.port}`;
    expect(of('own')).toEqual([{ kind: 'uncertified', address, detail: expect.stringContaining('--tls-certificate') }]);
    expect(of('files')).toEqual([{ kind: 'uncertified', address, detail: expect.stringContaining('name or address') }]);
    expect(of('own', true)).toEqual([]);
  },
);

test.each([
  ['100.64.0.7', 'This address belongs to a carrier or a VPN, '],
  ['100.127.255.255', 'This address belongs to a carrier or a VPN, '],
  ['100.128.0.1', 'This is a public address, '],
])('%s is left out with the sentence: %s', async (host, sentence) => {
  const applied = await apply(['127.0.0.1']);
  const tills = { ...applied.tills, opened: () => [host] };
  expect(listUncertified({ ...applied, tills, source: 'own', allowsPlainHttp: false, baseDomain: '' })).toMatchObject([
    { detail: expect.stringContaining(sentence) },
  ]);
});

test('a base domain that the certificate leaves out comes with one that works', async () => {
  const applied = await apply(['127.0.0.1', 'tills.bakery.com']);
  const of = (baseDomain: string) => listUncertified({ ...applied, allowsPlainHttp: false, baseDomain });
  for (const baseDomain of ['co.uk', 'edeka'])
    expect(of(baseDomain)).toMatchObject([
      { kind: 'uncertified', address: baseDomain, detail: expect.stringContaining('such as tills.bakery.com,') },
    ]);
  expect(of('tills.bakery.com')).toEqual([]);
});
