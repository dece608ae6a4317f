// How the desktop app starts, watches and stops the gateway. The gateway is real; a stand-in for Electron forks it.

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type GatewayProcess, type GatewayState, startGateway } from '../../electron/gateway-process.ts';
import { openStore } from '../../server/store/open-store.ts';
import { databasePath } from '../../server/store/sqlite/engine/database.ts';
import { OLDEST_PROGRAM } from '../../server/store/sqlite/migrations.ts';
import { BUNDLE } from '../support/gateway-process.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openForks } from './forks.ts';

const ENTRY = join(import.meta.dirname, '../..', BUNDLE);
const FREE = ['--port', '0', '--console-port', '0'];

/** A gateway that is stopped when the test ends. Its back-off is a hundredth of the real one. */
function open({
  dataDir = temporaryFolder(),
  flags = FREE,
  entry = ENTRY,
  sealKey = null as string | null | Promise<string>,
  proxy = null as string | null,
} = {}) {
  const asked: string[] = [];
  const before: string[] = [];
  const folders: string[] = [];
  const states: GatewayState[] = [];
  const pauses: number[] = [];
  const forks = openForks(flags);
  const gateway = startGateway({
    fork: forks.fork,
    entry,
    dataDir,
    readSealKey: () => Promise.resolve(sealKey),
    findProxy: (url) => Promise.resolve((asked.push(url), proxy)),
    beforeListening: () => Promise.resolve(void before.push('asked')),
    onDataDir: (path) => void folders.push(path),
    now: Date.now,
    after(ms, act) {
      pauses.push(ms);
      const timer = setTimeout(act, ms / 100);
      return () => clearTimeout(timer);
    },
    onState: (state) => void states.push(state),
  });
  onTestFinished(() => gateway.stop());
  return { gateway, forks, states, pauses, dataDir, asked, before, folders };
}

async function until(gateway: GatewayProcess, kind: GatewayState['kind']): Promise<GatewayState> {
  await waitUntil(() => gateway.state().kind === kind);
  return gateway.state();
}

test('the gateway runs, gives links into its console, and ends on request', async () => {
  const { gateway, forks, states, dataDir } = open();
  const state = await until(gateway, 'running');
  expect(state).toMatchObject({ ready: { data: dataDir } });
  const link = await gateway.createLink();
  expect((await fetch(link)).status).toBe(200);
  await gateway.stop();
  expect(forks.exits).toEqual([0]); // exit code 0: the gateway was not killed
  expect(states.map(({ kind }) => kind)).toEqual(['running', 'stopped']);
  expect(forks.running.size).toBe(0);
});

test('a gateway that exits unexpectedly is restarted, and its last output is kept', async () => {
  const { gateway, forks, states } = open();
  await until(gateway, 'running');
  for (const { kill } of forks.running) kill('SIGKILL');
  await waitUntil(() => states.filter(({ kind }) => kind === 'running').length === 2);
  expect(states.map(({ kind }) => kind)).toEqual(['running', 'ended', 'starting', 'running']);
});

test('a gateway that cannot start is retried with back-off, and gives the reason', async () => {
  const { pauses, states } = open({ flags: ['--port', 'none'] });
  await waitUntil(() => states.filter(({ kind }) => kind === 'ended').length >= 3);
  expect(states.find(({ kind }) => kind === 'ended')).toMatchObject({
    fault: 'settings_wrong',
    message: expect.stringMatching(/^--port is "none": it must be a whole number/),
    hasRun: false,
  });
  expect(pauses.slice(0, 3)).toEqual([1000, 2000, 4000]);
});

test('the data directory is known before the gateway opens it, even if it cannot start', async () => {
  const { states, folders, dataDir } = open({ flags: ['--port', 'none'] });
  await waitUntil(() => states.some(({ kind }) => kind === 'ended'));
  expect(folders[0]).toBe(dataDir);
});

test('the firewall question comes before a gateway listens on the network, and never for loopback', async () => {
  const onNetwork = open({ flags: [...FREE, '--host', '0.0.0.0', '--plain-http'] });
  await until(onNetwork.gateway, 'running');
  expect(onNetwork.before).toEqual(['asked']);
  const local = open();
  await until(local.gateway, 'running');
  expect(local.before).toEqual([]);
});

test('Ctrl-C in the terminal also reaches the gateway, which leaves the exit to the app', async () => {
  const { gateway, forks } = open();
  const state = await until(gateway, 'running');
  for (const signal of ['SIGINT', 'SIGHUP'] as const) for (const { kill } of forks.running) kill(signal);
  expect((await fetch(`${state.kind === 'running' ? state.ready.api : ''}/healthz`)).status).toBe(200);
  await gateway.stop();
  expect(forks.exits).toEqual([0]);
});

test('a gateway that is stopped during its back-off stays stopped', async () => {
  const { gateway, states } = open({ flags: ['--port', 'none'] });
  await waitUntil(() => states.some(({ kind }) => kind === 'ended'));
  await gateway.stop();
  expect(gateway.state()).toEqual({ kind: 'stopped' });
  const count = states.length;
  await delay(50);
  expect(states).toHaveLength(count);
});

test('a restart replaces the process and keeps the records', async () => {
  const { gateway, forks } = open();
  await until(gateway, 'running');
  const [before] = forks.running;
  await gateway.restart();
  await until(gateway, 'running');
  expect(forks.running.size).toBe(1);
  expect(forks.running.has(before!)).toBe(false);
});

test('two restarts at once are one restart; a stop during it wins', async () => {
  const { gateway, forks, states } = open();
  await until(gateway, 'running');
  await Promise.all([gateway.restart(), gateway.restart()]);
  await until(gateway, 'running');
  expect(forks.running.size).toBe(1);
  expect(states.filter(({ kind }) => kind === 'starting')).toHaveLength(1);
  await Promise.all([gateway.restart(), gateway.stop()]);
  await delay(50);
  expect(gateway.state()).toEqual({ kind: 'stopped' });
  expect(forks.running.size).toBe(0);
});

test('a keyring without an answer does not delay tills, and its late key is handed over', async () => {
  const opened = Promise.withResolvers<string>();
  const { gateway, states, dataDir } = open({ sealKey: opened.promise });
  await waitUntil(() => gateway.state().kind === 'running');
  opened.resolve(randomBytes(32).toString('base64'));
  await waitUntil(() => states.filter(({ kind }) => kind === 'running').length === 2);
  expect(states.map(({ kind }) => kind)).toEqual(['running', 'stopped', 'starting', 'running']);
  expect(gateway.state()).toMatchObject({ ready: { data: dataDir } });
});

test('a command ends once its output is complete, and a failed command gives the reason', async () => {
  const { gateway, forks, dataDir } = open();
  await until(gateway, 'running');
  const file = join(dataDir, 'copy.db');
  expect(await gateway.backUp(file)).toMatchObject({ oldestProgram: OLDEST_PROGRAM });
  await expect(gateway.backUp(file)).rejects.toThrow('already exists');
  await waitUntil(() => forks.running.size === 1);
});

test('a question that a failed start cuts off is asked again', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(databasePath(dataDir), 'no database at all');
  const { gateway, forks } = open({ dataDir });
  await until(gateway, 'ended');
  const answer = gateway.ask(['check']);
  // keeps the command from answering until the next start fails
  for (const { args, kill } of forks.running) if (args[0] === 'check') kill('SIGSTOP');
  await expect(answer).rejects.toThrow('is not a database');
});

test('data that no gateway can open can still be backed up, and no gateway starts during the backup', async () => {
  const dataDir = temporaryFolder();
  await (await openStore({ dataDir, role: 'command' })).close();
  const { gateway, states } = open({ dataDir, flags: ['--port', 'none'] });
  await waitUntil(() => states.some(({ kind }) => kind === 'ended'));
  expect(await gateway.backUp(join(dataDir, 'copy.db'))).toMatchObject({ oldestProgram: OLDEST_PROGRAM });
  const count = states.length;
  await waitUntil(() => states.length > count); // the app tries to start the gateway again
});

test('a gateway that is stopped during its start ends without being killed', async () => {
  const { gateway, forks } = open();
  await gateway.stop();
  expect(forks.exits).toEqual([0]);
});

describe('the parts that the app gives to the gateway', () => {
  const TOKEN = 'test_canary-of-the-keyring';
  const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

  /** Makes a data directory with a till and an upstream whose key is stored unsealed. */
  async function folderWithUpstream(url: string): Promise<{ dataDir: string; secret: string }> {
    const [dataDir, secret] = [temporaryFolder(), 'test_till-of-the-keyring'];
    const store = await openStore({ dataDir, role: 'command' });
    await store.setup.createKey({ ...LANE, label: 'Till 1', interface: 'both', secret, isAdopted: false }, 'test');
    await store.outbox.performAct(LANE, { kind: 'set upstream', upstream: { url, token: TOKEN } }, 'test');
    await store.close();
    return { dataDir, secret };
  }
  const isReadable = (dataDir: string): boolean =>
    ['', '-wal'].some((end) => readFileSync(`${databasePath(dataDir)}${end}`, 'latin1').includes(TOKEN));

  test('upstream keys are sealed with the keyring’s key, and sales are sent through the system’s proxy', async () => {
    const upstream = await openStandIn({ tokens: { [TOKEN]: 'test' } });
    onTestFinished(() => upstream.close());
    const { dataDir, secret } = await folderWithUpstream(upstream.url);
    const { gateway, asked } = open({ dataDir, sealKey: randomBytes(32).toString('base64') });
    const state = await until(gateway, 'running');
    await waitUntil(() => !isReadable(dataDir));
    const api = state.kind === 'running' ? state.ready.api : '';
    expect((await postBody(api, secret, bodyOf({ external_id: 'a' }))).status).toBe(201);
    await upstream.waitUntil(({ records }) => records === 1);
    expect(asked).toEqual([upstream.url]);
  });

  test('without the keyring’s key nothing is sent, and the lane gives the reason', async () => {
    const upstream = await openStandIn();
    onTestFinished(() => upstream.close());
    const { dataDir, secret } = await folderWithUpstream(upstream.url);
    const before = open({ dataDir, sealKey: randomBytes(32).toString('base64') });
    await until(before.gateway, 'running');
    await waitUntil(() => !isReadable(dataDir));
    await before.gateway.stop();
    const { gateway } = open({ dataDir });
    const state = await until(gateway, 'running');
    expect(
      (await postBody(state.kind === 'running' ? state.ready.api : '', secret, bodyOf({ external_id: 'a' }))).status,
    ).toBe(201);
    const store = await openStore({ dataDir, role: 'command' });
    onTestFinished(() => store.close());
    await waitUntil(async () => (await store.outbox.listLaneStatus()).some(({ state: is }) => is === 'refused'));
    expect(
      (await store.outbox.listLaneStatus()).find((lane) => lane.interface === 'current' && lane.mode === 'test'),
    ).toMatchObject({
      state: 'refused',
      cause: { code: 'key_sealed' },
      waiting: 1,
    });
    expect(upstream.attempts).toEqual([]);
  });

  test('a sleep of the machine is recorded', async () => {
    const { gateway, dataDir } = open();
    await until(gateway, 'running');
    gateway.noteSleep({ from: 10_000, to: 80_000 });
    const store = await openStore({ dataDir, role: 'command' });
    onTestFinished(() => store.close());
    const list = () => store.health.listSleeps({ from: 0, to: 100 });
    await waitUntil(async () => (await list()).length === 1);
    expect(await list()).toEqual([{ from: 10_000, to: 80_000 }]);
  });
});
