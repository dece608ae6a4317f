// Tests the way from a fresh data directory to the first sale over HTTPS, with the command line alone. A person enters either
// `lan on --till`, or `lan on` and then `keys create`. A shell runs the commands that are printed for the till, unchanged.

import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { BUNDLE, type CommandResult, type Site } from '../support/gateway-process.ts';
import { type LanHost, openLan, whyNoLan } from '../support/namespaces.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openTestSite } from './test-site.ts';

const status = z.object({
  running: z.boolean(),
  settings: z.object({ is_open: z.boolean() }),
  addresses: z.array(z.string()),
  names: z.array(z.string()),
  authority: z.object({ fingerprint: z.string(), file: z.string(), end: z.iso.datetime() }).nullable(),
  certificate: z.object({ end: z.iso.datetime(), names: z.array(z.string()) }).nullable(),
});
const KEY = ['--administration', 'Bakery', '--label', 'Till 1'];
const NO_ADDRESS = 'not run: this machine has no private address in a network';

/** Opens the network. Undefined if this machine has no address that the gateway's own certificate may contain. */
async function open(site: Site): Promise<CommandResult | undefined> {
  const opened = await site.run('lan', 'on');
  const { addresses } = status.parse(await site.runJson('lan', 'status'));
  return addresses.length === 0 ? undefined : opened;
}

/** The shell commands that `keys create` printed, as a person copies them. */
function shellLines(printed: string): string {
  return /^(NOW=|curl )[^]*?(?=\n\n)/m.exec(printed)?.[0] ?? '';
}

/** Runs the shell commands that `keys create` printed. Returns their output. */
async function runLines(printed: string, cwd: string): Promise<string> {
  const env = { PATH: process.env['PATH'] }; // a proxy of this machine must not carry the calls
  return (await promisify(execFile)('sh', ['-c', shellLines(printed)], { cwd, env })).stdout;
}

describe.skipIf(process.platform === 'win32')('lan beside a running gateway', () => {
  test('leads from nothing to the first sale over HTTPS with the printed lines', async ({ skip }) => {
    const site = await openTestSite();
    const gateway = await site.startGateway();
    const opened = await open(site);
    if (opened === undefined) return skip(NO_ADDRESS);
    expect(opened).toMatchObject({ stderr: '', stdout: expect.stringContaining('The network is open') });
    const { addresses, authority, certificate } = status.parse(await site.runJson('lan', 'status'));
    expect(addresses[0]).toMatch(new RegExp(`^https://.+:${gateway.port}$`));
    expect(certificate?.names).toEqual(expect.arrayContaining(['localhost', '127.0.0.1']));
    expect((await site.run('lan', 'test')).stdout).toContain(`${addresses[0]}: works.`);

    const { stdout } = await site.run('keys', 'create', '--mode', 'test', ...KEY);
    const folder = temporaryFolder();
    const answer = await runLines(stdout, folder);
    expect(readFileSync(join(folder, 'counterfoil-ca.pem'), 'utf8')).toBe(readFileSync(authority!.file, 'utf8'));
    expect(answer).toContain('"status":"NEW"');
    expect(await site.runJson('status')).toMatchObject({ network: { addresses }, journals: [{ records: { NEW: 1 } }] });
  });

  test('a production key gets a request that works and stores nothing', async ({ skip }) => {
    const site = await openTestSite();
    await site.startGateway();
    if ((await open(site)) === undefined) return skip(NO_ADDRESS);
    const { stdout } = await site.run('keys', 'create', '--mode', 'production', ...KEY);
    expect(await runLines(stdout, temporaryFolder())).toContain('"raw_transaction_count":0');
    expect(await site.runJson('records')).toEqual([]);
  });

  test('closes again, and keeps both decisions over a restart', async ({ skip }) => {
    const site = await openTestSite();
    const first = await site.startGateway();
    if ((await open(site)) === undefined) return skip(NO_ADDRESS);
    await first.stop();
    expect(status.parse(await site.runJson('lan', 'status'))).toMatchObject({
      running: false,
      settings: { is_open: true },
      addresses: [],
    });
    await site.startGateway(first.port);
    const reopened = status.parse(await site.runJson('lan', 'status'));
    expect(reopened.addresses).not.toEqual([]);
    expect(await site.run('lan', 'off')).toMatchObject({ code: 0, stdout: expect.stringContaining('is closed') });
    expect(status.parse(await site.runJson('lan', 'status'))).toMatchObject({ running: true, addresses: [] });
    expect(await site.run('lan', 'test')).toMatchObject({ code: 1, stderr: expect.stringContaining('lan on') });
  });
});

const lanNote = whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`;

describe.skipIf(whyNoLan !== undefined)(`the first till on another machine${lanNote}`, () => {
  test.each([['serve'], ['serve --welcome']])(
    'is connected in three steps: the start, the command that it prints, and the lines which that prints: %s',
    async (serve) => {
      const lan = await openLan(2);
      onTestFinished(() => lan.close());
      const [shop, till] = lan.hosts as [LanHost, LanHost];
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'counterfoil'), `#!/bin/sh\nexec '${process.execPath}' '${resolve(BUNDLE)}' "$@"\n`);
      chmodSync(join(folder, 'counterfoil'), 0o755);
      const type = (line: string) => ['-c', `cd '${folder}' && PATH="$PWD:$PATH" && ${line}`];

      const gateway = shop.start('sh', type(`exec counterfoil ${serve} --data ./data`));
      let started = '';
      for await (const part of gateway.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
        started += String(part);
        if (started.includes('Stop it')) break;
      }
      const [connect = ''] = /counterfoil lan on .*/.exec(started) ?? [];
      const connected = await shop.run('sh', type(connect));
      expect(connected).toMatchObject({ code: 0, stderr: '' });
      const lines = shellLines(connected.stdout);
      expect(lines).toContain(`https://${shop.ipv4}:7410`);
      const answer = await till.run('sh', ['-c', `cd '${temporaryFolder()}' && ${lines}`]);
      expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"NEW"') });
    },
  );
});

test('a gateway with --host refuses lan on, and names the option', async () => {
  const site = await openTestSite();
  await site.startGateway(0, '--host', '127.0.0.1');
  expect(await site.run('lan', 'on')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The setting host decides about the network, by the option --host'),
  });
});
