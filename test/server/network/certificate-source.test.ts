// Where the certificate of the gateway comes from: the shop's files, or the gateway's own authority.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';

import type { Config } from '../../../server/config.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import type { Metrics } from '../../../server/metrics.ts';
import { type CertificateSource, openCertificateSource } from '../../../server/network/certificate-source.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

async function open(tls?: Config['tls']) {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const state = { hosts: ['127.0.0.2'], replaced: 0, gauges: [] as (() => number)[] };
  const metrics = { addGauge: (_name: string, _help: string, read: () => number) => void state.gauges.push(read) };
  const source: CertificateSource = openCertificateSource({
    config: { dataDir, baseDomain: '', ...(tls && { tls }) },
    store,
    listHosts: async () => state.hosts,
    clock: machineClock,
    isClockRight: () => true,
    log: pino({ level: 'silent' }),
    metrics: metrics as unknown as Metrics, // the only member that is used
    onReplaced: () => void (state.replaced += 1),
  });
  onTestFinished(() => source.close());
  return { source, state, store, dataDir };
}

test('without an authority, `find` makes none; `open` makes one, and `find` then returns the certificate', async () => {
  const { source, state, store, dataDir } = await open();
  expect(await source.find()).toBeUndefined();
  expect(source.present()).toBeUndefined();
  expect(await store.network.authorities()).toEqual([]);

  const certificate = await source.open();
  expect(source).toMatchObject({ source: 'own' });
  expect(await source.find()).toBe(certificate);
  expect(source.present()).toBe(certificate.inUse());
  expect(source.authority()?.certificate).toBe(readFileSync(join(dataDir, 'ca.pem'), 'utf8'));
  expect(source.fileHosts()).toEqual([]);
  expect(state.gauges.map((read) => read())).toEqual([certificate.inUse().expiresAt.getTime() / 1000]);
});

test('an authority of an earlier start is enough for `find`', async () => {
  const { source, store, dataDir } = await open();
  await source.open();
  source.close();
  const next = openCertificateSource({
    config: { dataDir, baseDomain: '' },
    store,
    listHosts: async () => ['127.0.0.2'],
    clock: machineClock,
    isClockRight: () => true,
    log: pino({ level: 'silent' }),
    metrics: { addGauge() {} } as unknown as Metrics,
    onReplaced() {},
  });
  onTestFinished(() => next.close());
  expect((await next.find())?.inUse()).toBeDefined();
  expect(next.authority()?.fingerprint).toBe(source.authority()?.fingerprint);
});

test('another address makes a new certificate, of the same authority, and says so once', async () => {
  const { source, state } = await open();
  const first = (await source.open()).inUse().fingerprint;
  state.hosts = ['127.0.0.2', '127.0.0.3'];
  for (let times = 0; times < 2; times += 1) expect((await source.open()).inUse().fingerprint).not.toBe(first);
  expect(state.replaced).toBe(1);
});

test('the files of the shop are used as they are, without an authority', async () => {
  const files = writeCertificate(temporaryFolder(), makeCertificate({ hosts: ['Shop.example.com', '127.0.0.9'] }));
  const { source, store } = await open(files);
  expect(source.source).toBe('files');
  expect(source.fileHosts()).toEqual(['shop.example.com', '127.0.0.9']);
  expect(await source.find()).toBe(await source.open());
  expect(source.authority()).toBeUndefined();
  expect(await store.network.authorities()).toEqual([]);
});

test('files that cannot be used are named at once', async () => {
  const folder = temporaryFolder();
  const files = writeCertificate(folder, makeCertificate());
  await expect(open({ ...files, certificate: join(folder, 'missing.crt') })).rejects.toThrow('missing.crt');
});
