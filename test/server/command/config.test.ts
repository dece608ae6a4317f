// `counterfoil config check` finds each fault that would end a start, and starts nothing.

import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { bindConfig } from '../../../server/command/config.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { runCommand } from '../../support/command-run.ts';
import { openBareGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

afterEach(() => {
  process.exitCode = undefined;
  vi.unstubAllEnvs();
});

/** Free ports, because other gateways may run on this machine. */
const FREE = { port: 0, consolePort: 0 };

interface Checked {
  readonly code: unknown;
  readonly faults: readonly { setting: string; source: string; place: string; sentence: string }[];
}

async function check(settings: unknown, flags: readonly string[] = [], dataDir = temporaryFolder()): Promise<Checked> {
  writeFileSync(join(dataDir, 'settings.json'), typeof settings === 'string' ? settings : JSON.stringify(settings));
  const printed = await runCommand(bindConfig, ['config', 'check', '--data', dataDir, '--json', ...flags]);
  const { ok, faults } = JSON.parse(printed) as { ok: boolean; faults: Checked['faults'] };
  expect(ok).toBe(faults.length === 0);
  return { code: process.exitCode, faults };
}

test('settings without a fault exit with 0', async () => {
  expect(await check(FREE)).toEqual({ code: undefined, faults: [] });
});

test('every fault is reported, with its setting, its source and what to do', async () => {
  vi.stubEnv('COUNTERFOIL_PROT', '1');
  vi.stubEnv('COUNTERFOIL_LOG_LEVEL', 'loud');
  const { code, faults } = await check({ port: 'x', prot: 1, plainHttp: 'perhaps' }, ['--console-port', '70000']);
  expect(code).toBe(1);
  expect(faults.map(({ setting, source, place }) => [setting, source, place])).toEqual([
    ['COUNTERFOIL_PROT', 'variable', 'COUNTERFOIL_PROT'],
    ['prot', 'file', expect.stringMatching(/settings\.json$/)],
    ['port', 'file', 'port in settings.json'],
    ['consolePort', 'flag', '--console-port'],
    ['plainHttp', 'file', 'plainHttp in settings.json'],
    ['logLevel', 'variable', 'COUNTERFOIL_LOG_LEVEL'],
  ]);
  expect(faults[3]?.sentence).toBe('--console-port is "70000": it must be a whole number from 0 to 65535.');
});

test('a wrong name or a certificate without its key hides no other fault', async () => {
  const settings = { ...FREE, prot: 1, tlsCertificate: 'a.crt', backupFolder: '/nowhere', metricsTokenFile: 'none' };
  const { faults } = await check(settings);
  expect(faults.map(({ setting, source }) => [setting, source])).toEqual([
    ['prot', 'file'],
    ['tlsKey', 'file'],
    ['metricsTokenFile', 'file'],
    ['backupFolder', 'file'],
  ]);
  expect(faults[1]?.place).toBe('tlsCertificate in settings.json');
  expect(faults[3]?.sentence).toContain('The gateway starts without it, but makes no backup there.');
});

test('a wrong value hides no fault of a file', async () => {
  const { faults } = await check({ ...FREE, logLevel: 'loud', backupFolder: '/nowhere' });
  expect(faults.map(({ setting }) => setting)).toEqual(['logLevel', 'backupFolder']);
});

test('a file that is not JSON does not hide the faults of flags', async () => {
  const { faults } = await check('{', ['--port', 'x']);
  expect(faults.map(({ setting, source }) => [setting, source])).toEqual([
    [null, 'file'],
    ['port', 'flag'],
  ]);
});

describe('a setting with a good form is tried', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['a missing certificate', { tlsCertificate: 'a.crt', tlsKey: 'a.key' }, 'tlsCertificate', /a\.crt does not exist/],
    ['missing certificates of the upstream', { upstreamCa: 'ca.pem' }, 'upstreamCa', /ca\.pem/],
    ['an address of another machine', { host: '192.0.2.1', plainHttp: true }, 'port', /has no address 192\.0\.2\.1/],
    ['an open console without a user', { consoleHost: '0.0.0.0' }, 'consoleHost', /users add/],
    ['a missing folder for backups', { backupFolder: '/nowhere' }, 'backupFolder', /cannot be written \(ENOENT\)/],
    ['one port for both', { port: 7500, consolePort: 7500 }, 'consolePort', /they must differ/],
    ['a certificate without its key', { tlsCertificate: 'a.crt' }, 'tlsKey', /tlsKey is missing/],
  ])('%s', async (_, settings, setting, says) => {
    const { code, faults } = await check({ ...FREE, ...(settings as object) });
    expect(code).toBe(1);
    expect(faults).toMatchObject([{ setting, source: expect.any(String), sentence: expect.stringMatching(says) }]);
  });

  test('a certificate and a key that do not belong together', async () => {
    const dataDir = temporaryFolder();
    writeCertificate(dataDir, { cert: makeCertificate().cert, key: makeCertificate().key });
    const { faults } = await check({ ...FREE, tlsCertificate: 'tls.crt', tlsKey: 'tls.key' }, [], dataDir);
    expect(faults).toMatchObject([
      { setting: 'tlsCertificate', sentence: expect.stringContaining('does not belong to') },
    ]);
  });

  test('a port that another program uses', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { faults } = await check({ ...FREE, port });
    expect(faults).toMatchObject([
      { setting: 'port', source: 'file', sentence: expect.stringContaining('another program') },
    ]);
  });

  test('the ports of the running gateway itself are no fault', async () => {
    const gateway = await openBareGateway();
    onTestFinished(() => gateway.close());
    const ports = { port: Number(new URL(gateway.apiUrl).port), consolePort: Number(new URL(gateway.consoleUrl).port) };
    expect(await check(ports, [], gateway.dataDir)).toEqual({ code: undefined, faults: [] });
  });
});

test('the check makes no file in a directory without data', async () => {
  const dataDir = temporaryFolder();
  await check({ ...FREE, consoleHost: '0.0.0.0' }, [], dataDir);
  expect(readdirSync(dataDir)).toEqual(['settings.json']);
});
