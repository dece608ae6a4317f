// `doctor` finds each planted trouble of a real gateway, its data and its machine, and nothing at a gateway without trouble.

import { cpSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { diagnose, type Diagnosis } from '../../../server/command/diagnosis.ts';
import { bindDoctor } from '../../../server/command/doctor.ts';
import { bindRestore } from '../../../server/command/restore.ts';
import { loadConfig } from '../../../server/config.ts';
import { type Gateway, openGateway } from '../../../server/gateway.ts';
import { writeListening } from '../../../server/listening.ts';
import { backUp, judgeDisk, readSpace } from '../../../server/store/data-directory.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { versionOf } from '../../../server/store/tasks/ledger.ts';
import { VERSION } from '../../../server/version.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { runCommand } from '../../support/command-run.ts';
import { changeSql, flipRecord } from '../../support/damage.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { flipBit, FRAME_BYTES, killGatewayAfter } from '../../support/killed-gateway.ts';
import { HAS_OTHER_USER, runAsNobody } from '../../support/other-user.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../support/temp-store.ts';
import { openStandIn, type StandIn } from '../../support/upstream/stand-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;

interface Shop {
  readonly dataDir: string;
  readonly gateway: Gateway;
  readonly store: Store;
  readonly upstream: StandIn;
  readonly key: Key;
  /** Sends a sale of now and returns the status of the answer. */
  sell(id: string, object?: string): Promise<number>;
  stop(): Promise<void>;
}

/** Opens a gateway with a key, an upstream and a backup. Its first sale has been forwarded. */
async function openShop(dataDir = temporaryFolder(), flags: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const upstream = await openStandIn();
  onTestFinished(() => upstream.close());
  const config = loadConfig(dataDir, { port: '0', consolePort: '0', ...flags });
  const gateway = await openGateway(config, () => undefined);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= gateway.close());
  onTestFinished(stop);
  const { store } = gateway;
  const secret = generateSecret('production');
  const key = await makeKey(store, 'Till 1', { secret });
  const to = { kind: 'set upstream', upstream: { url: upstream.url, token: generateSecret('production') } } as const;
  await store.outbox.performAct(LANE, to, 'test');
  await store.health.noteBackup(0);
  const sell = async (id: string, object = '{}'): Promise<number> => {
    const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    return (await postBody(gateway.apiUrl, secret, bodyOf({ external_id: id, timestamp, object }))).status;
  };
  await sell('first');
  await expect.poll(async () => (await laneOf(store))?.delivered).toBe(1);
  return { dataDir, gateway, store, upstream, key, sell, stop };
}

async function laneOf(store: Store) {
  return (await store.outbox.listLaneStatus()).find(
    ({ interface: by, mode }) => by === 'current' && mode === 'production',
  );
}

/** The subjects that need attention. Leaves out the disk if the disk of the tests is really low. */
async function listBad(diagnosis: Diagnosis): Promise<string[]> {
  const space = await readSpace(temporaryFolder());
  const isLow = space !== undefined && judgeDisk(space.freeBytes, space.totalBytes, null, false).isLow;
  const bad = diagnosis.lines.filter(({ needsAttention }) => needsAttention).map(({ subject }) => subject);
  const others = bad.filter((subject) => subject !== 'disk' || !isLow);
  if (!isLow) expect(diagnosis.isWell).toBe(bad.length === 0);
  return others;
}

/** The texts of a subject: its sentence and the kinds of its tasks. */
function saidOf({ lines }: Diagnosis, subject: string): string {
  return lines
    .filter((line) => line.subject === subject)
    .flatMap(({ sentence, tasks }) => [sentence, ...tasks.map(({ fact }) => fact.kind)])
    .join(' ');
}

test('doctor finds nothing at a gateway without trouble, and has a line about each subject', async () => {
  const { dataDir } = await openShop();
  const diagnosis = await diagnose(dataDir, Date.now());
  expect(await listBad(diagnosis)).toEqual([]);
  expect(diagnosis.gateway).toBe('running');
  expect([...new Set(diagnosis.lines.map(({ subject }) => subject))]).toEqual([
    'gateway',
    'version',
    'settings',
    'store',
    'disk',
    'clock',
    'certificate',
    'lane',
    'waiting',
    'days',
    'tills',
    'alerts',
    'backup',
  ]);
  const said = (subject: string) => saidOf(diagnosis, subject);
  expect(said('version')).toContain(VERSION);
  expect(said('store')).toMatch(/^1 record, .* schema \d+\. /);
  expect(said('lane')).toMatch(/^Bakery, production, current: running since .*; 0 waiting, 0 held, 1 delivered\.$/);
  expect(said('backup')).toMatch(/^The last backup is from 20/);
});

/** Each trouble: how to plant it, the subjects that then need attention, and a text of the first of them. */
interface Trouble {
  readonly name: string;
  readonly plant: (shop: Shop) => Promise<unknown>;
  /** The time between planting and examining. */
  readonly after?: number;
  readonly flags?: Readonly<Record<string, string>>;
  readonly found: readonly string[];
  readonly says: string;
}

const PAUSE = { kind: 'pause' } as const;

const TROUBLES: readonly Trouble[] = [
  { name: 'a stopped gateway', plant: ({ stop }) => stop(), found: ['gateway'], says: 'No gateway runs on' },
  {
    name: 'a lane that is down',
    async plant({ store, upstream, sell }) {
      await upstream.setScript('down');
      await sell('waits');
      await expect.poll(async () => (await laneOf(store))?.state).toBe('line down');
    },
    after: 40 * MINUTE,
    found: ['lane', 'waiting'],
    says: 'upstream_stopped',
  },
  {
    name: 'a lane that the upstream refuses',
    async plant({ store, upstream, sell }) {
      await upstream.setScript('401');
      await sell('waits');
      await expect.poll(async () => (await laneOf(store))?.state).toBe('refused');
    },
    found: ['lane'],
    says: 'upstream_stopped',
  },
  {
    name: 'a paused lane that somebody forgot',
    async plant({ store, sell }) {
      await store.outbox.performAct(LANE, PAUSE, 'test');
      await sell('waits');
    },
    after: 9 * HOUR,
    found: ['lane', 'waiting'],
    says: 'upstream_stopped',
  },
  {
    name: 'an interface whose upstream somebody forgot',
    async plant({ store, key }) {
      const sale = arrivalOf(key, { externalId: 'earlier', receivedAt: Date.now() });
      await store.records.append({ ...sale, earlier: { version: 'v1', method: 'POST' } });
    },
    after: 9 * HOUR,
    found: ['lane', 'waiting'],
    says: 'upstream_stopped',
  },
  {
    name: 'a record that waits long on a lane that forwards other records',
    async plant({ store, upstream, sell }) {
      for (const id of ['a', 'b', 'c', 'd']) await sell(id); // the lane then sends several records at a time
      await expect.poll(() => laneOf(store)).toMatchObject({ waiting: 0 });
      await upstream.setScript('id=stuck: hang; accept');
      await sell('stuck');
      await sell('healthy');
      await expect.poll(() => laneOf(store)).toMatchObject({ waiting: 1, delivered: 6, state: 'running' });
    },
    after: HOUR,
    found: ['waiting'],
    says: 'The oldest waiting record has waited since',
  },
  {
    name: 'a held record',
    async plant({ store, upstream, sell }) {
      await upstream.setScript('422');
      await sell('rejected');
      await expect.poll(async () => (await laneOf(store))?.held).toBe(1);
    },
    found: ['lane'],
    says: 'held',
  },
  { name: 'an old backup', plant: async () => {}, after: 8 * DAY, found: ['backup'], says: 'backup_old' },
  {
    name: 'a day that differs',
    async plant({ store, key }) {
      const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 10);
      const total = { date: yesterday, type: null, tillId: null, records: 5 };
      await store.declared.declare(key.journalId, [total], { actor: 'test', source: 'typed' });
    },
    after: 2 * DAY, // in any time zone, that day is over
    found: ['days'],
    says: 'day_differs',
  },
  {
    name: 'a damaged record that the examination has found',
    async plant({ dataDir, store }) {
      flipRecord(dataDir, 1);
      await store.health.scrubSlice();
    },
    found: ['store'],
    says: 'records_damaged',
  },
  {
    name: 'an examination that never ends',
    plant: async ({ store }) => {
      await store.health.scrubSlice();
      await store.health.noteBackup(0);
    },
    after: 31 * DAY,
    found: ['store', 'backup'],
    says: 'The examination of all records has not ended since',
  },
  {
    name: 'a sale that came again with other content',
    plant: ({ sell }) => sell('first', '{"total":2}'),
    found: ['tills'],
    says: 'conflicts',
  },
  {
    name: 'a refused call',
    async plant({ gateway, store }) {
      await postBody(gateway.apiUrl, 'prod_wrong', bodyOf());
      await expect.poll(() => store.records.listRefusals(1)).toHaveLength(1);
    },
    found: ['tills'],
    says: 'refusals',
  },
  {
    name: 'a receiver that gets no alerts',
    async plant({ store }) {
      const settings = {
        name: 'Mia',
        language: 'en',
        timeZone: 'UTC',
        choice: 'all',
        quiet: null,
        digestAt: null,
      } as const;
      const destination = { kind: 'email', address: 'mia@example.org' } as const;
      const id = await store.alerts.add(
        { settings, destination, shown: 'mia@example.org', digestOn: '2026-11-26' },
        'test',
      );
      if (id === undefined) throw new Error('no receiver');
      const failing = {
        code: 'mail_login',
        detail: '535 canary',
        since: Date.now(),
        attempts: 3,
        nextAt: Date.now(),
      } as const;
      const none = { added: [], sent: [], dropped: [] };
      await store.alerts.note({ receiverId: id, ...none, state: { lastSentAt: null, failing } });
    },
    after: HOUR,
    found: ['alerts'],
    says: 'Mia has missed alerts since',
  },
  {
    name: 'an expired certificate',
    plant: async () => {},
    flags: { certificate: 'expired' },
    found: ['certificate'],
    says: 'certificate_ends',
  },
  {
    name: 'a fault in the settings file',
    plant: async ({ dataDir }) => writeFileSync(join(dataDir, 'settings.json'), '{"port":"x"}'),
    found: ['settings'],
    says: 'port in settings.json is "x"',
  },
  {
    name: 'a till that stopped sending',
    async plant({ gateway, store }) {
      const now = Math.floor(Date.now() / 1000);
      // It is about noon in this zone, so that the till is silent on the same store day.
      const ahead = 12 - new Date().getUTCHours();
      await store.setup.changeAdministration(
        'Bakery',
        { timeZone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` },
        'test',
      );
      const secret = generateSecret('production');
      const till = await makeKey(store, 'Till 2', { secret });
      const past = Array.from({ length: 22 * 96 }, (_, n) => now - (n + 1) * 900);
      const sell = (soldAt: number) =>
        store.records.append(arrivalOf(till, { externalId: `past ${soldAt}`, soldAt, receivedAt: soldAt * 1000 }));
      await Promise.all(past.flatMap((soldAt) => [sell(soldAt), sell(soldAt + 1)]));
      await postBody(gateway.apiUrl, secret, bodyOf());
      await expect.poll(async () => (await laneOf(store))?.waiting, { timeout: 60_000 }).toBe(0);
    },
    after: 4 * HOUR,
    found: ['tills'],
    says: 'silent_till',
  },
];

describe('doctor finds', () => {
  test.each(TROUBLES)('$name', async ({ plant, after = 0, flags = {}, found, says }) => {
    const dataDir = temporaryFolder();
    const { certificate, ...others } = flags;
    const past = { from: new Date(Date.now() - 3 * DAY), until: new Date(Date.now() - DAY) };
    const files = certificate === undefined ? undefined : writeCertificate(dataDir, makeCertificate(past));
    const tls = files && { tlsCertificate: files.certificate, tlsKey: files.key };
    const shop = await openShop(dataDir, { ...others, ...tls });
    await plant(shop);
    const diagnosis = await diagnose(dataDir, Date.now() + after);
    expect(await listBad(diagnosis)).toEqual(found);
    expect(saidOf(diagnosis, found[0] ?? '')).toContain(says);
  });

  test('a disk that is nearly full', async ({ skip }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
    const { dataDir } = await openShop(join(disk, 'data'));
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['disk']);
    expect(saidOf(diagnosis, 'disk')).toMatch(/MB of 12\.6 MB are free.* disk_low/);
  });

  test('a full disk, also without a gateway', async ({ skip }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
    const { dataDir, stop } = await openShop(join(disk, 'data'));
    await stop();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 50_000));
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(saidOf(diagnosis, 'disk')).toContain('The disk is full');
  });

  test('a clock that is before the newest record', async () => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'command', now: () => Date.now() + DAY });
    const key = await makeKey(store);
    await store.records.append(arrivalOf(key, { externalId: 'a', receivedAt: Date.now() + DAY }));
    await store.close();
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['gateway', 'clock']);
    expect(saidOf(diagnosis, 'clock')).toContain('clock_wrong');
  });

  test('restored data that wait for a person', async () => {
    const before = await openShop();
    const file = join(temporaryFolder(), 'backup.db');
    await backUp(before.dataDir, file);
    await before.stop();
    const dataDir = join(temporaryFolder(), 'restored');
    await runCommand(bindRestore, ['restore', file, '--data', dataDir, '--json']);
    const gateway = await openGateway(loadConfig(dataDir, { port: '0', consolePort: '0' }), () => undefined);
    onTestFinished(() => gateway.close());
    await expect.poll(() => laneOf(gateway.store)).toMatchObject({ cause: { code: 'restored' } });
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['lane']);
    expect(saidOf(diagnosis, 'lane')).toContain('restored from a backup');
  });

  test('a running gateway of another version', async () => {
    const { dataDir, stop } = await openShop();
    await stop();
    const store = await openStore({ dataDir, role: 'gateway' }); // owns the data, as a gateway of any version does
    onTestFinished(() => store.close());
    const server = createServer((_, res) =>
      res.end(JSON.stringify({ version: '0.0.9', trouble: null, unwrittenRefusals: 0 })),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    writeListening(dataDir, { port, consolePort: port, consoleUrl: url, localConsoleUrl: url });
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['version']);
    expect(saidOf(diagnosis, 'version')).toContain('the running gateway has the version 0.0.9');
  });

  test('a gateway that runs and does not answer', async () => {
    const { dataDir, stop } = await openShop();
    await stop();
    const store = await openStore({ dataDir, role: 'gateway' });
    onTestFinished(() => store.close());
    const url = 'http://127.0.0.1:9';
    writeListening(dataDir, { port: 9, consolePort: 9, consoleUrl: url, localConsoleUrl: url });
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['gateway']);
    expect(saidOf(diagnosis, 'gateway')).toContain('does not answer');
  });

  const UNREAD = ['clock', 'certificate', 'lane', 'waiting', 'days', 'tills', 'alerts', 'backup'];

  test.each<[string, (dataDir: string) => void, string]>([
    [
      'data of a newer schema',
      (dir) => changeSql(dir, 'PRAGMA user_version = 99; UPDATE oldest_program SET schema = 99'),
      'The data were written by a newer Counterfoil (schema 99',
    ],
    [
      'a database file with other content',
      (dir) => writeFileSync(join(dir, 'counterfoil.db'), Buffer.alloc(40_960, 'x')),
      'is not a database',
    ],
    ['a directory without data', (dir) => rmSync(join(dir, 'counterfoil.db')), 'has no data'],
  ])('%s, and no other line sounds good', async (_, spoil, says) => {
    const { dataDir, stop } = await openShop();
    await stop();
    for (const end of ['-wal', '-shm']) rmSync(join(dataDir, `counterfoil.db${end}`), { force: true });
    spoil(dataDir);
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['gateway', 'store', ...UNREAD]);
    expect(saidOf(diagnosis, 'store')).toContain(says);
  });

  test('a copy of the data that nobody has examined, because it may be damaged', async () => {
    const { dataDir, stop } = await openShop();
    await stop();
    expect(saidOf(await diagnose(dataDir, Date.now()), 'store')).not.toContain('copy');
    const copy = temporaryFolder();
    cpSync(dataDir, copy, { recursive: true });
    const diagnosis = await diagnose(copy, Date.now());
    expect(await listBad(diagnosis)).toEqual(['gateway', 'store']);
    expect(saidOf(diagnosis, 'store')).toContain('nobody has examined them yet. To examine them: counterfoil check');
  });

  test('a damaged write-ahead log', async () => {
    const { dataDir, wal } = await killGatewayAfter(20);
    flipBit(wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual(['gateway', 'store', ...UNREAD]);
    expect(saidOf(diagnosis, 'store')).toContain('write-ahead log');
  });

  test('a directory that this user may not read', async ({ skip }) => {
    if (!HAS_OTHER_USER) return skip('not run: acting as another user needs root on Linux');
    const { dataDir } = await openShop();
    const { code, stdout, stderr } = await runAsNobody('doctor', '--data', dataDir, '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { lines } = JSON.parse(stdout) as { lines: { subject: string; ok: boolean; sentence: string }[] };
    expect(lines.find(({ subject }) => subject === 'store')).toMatchObject({
      ok: false,
      sentence: expect.stringContaining('belongs to'),
    });
  });
});

describe('doctor and the to-do list', () => {
  test('a task that a person has marked needs no attention', async () => {
    const { dataDir, store, sell } = await openShop();
    await sell('first', '{"total":2}');
    const [before] = (await diagnose(dataDir, Date.now())).lines.flatMap(({ tasks }) => tasks);
    expect(before?.fact.kind).toBe('conflicts');
    await expect.poll(() => store.tasks.list(), { timeout: 10_000 }).toHaveLength(1);
    const [task] = await store.tasks.list();
    if (task === undefined) throw new Error('no task');
    const tasks = [{ id: task.id, version: versionOf(task) }];
    await store.tasks.mark({ tasks, kind: 'not a problem', note: 'a test' }, 'Ann');
    const marked = await diagnose(dataDir, Date.now());
    expect(await listBad(marked)).toEqual([]);
    expect(saidOf(marked, 'tills')).toBe('1 task is marked.');
  });

  test('counts the records on a lane whose stop a person has marked', async () => {
    const { dataDir, store, upstream, sell } = await openShop();
    await upstream.setScript('401');
    await sell('waits');
    await expect.poll(() => store.tasks.list(), { timeout: 40_000 }).toHaveLength(1);
    const [task] = await store.tasks.list();
    if (task === undefined) throw new Error('no task');
    expect(task.fact.kind).toBe('upstream_stopped');
    const tasks = [{ id: task.id, version: versionOf(task) }];
    await store.tasks.mark({ tasks, kind: 'not a problem', note: 'a test' }, 'Ann');
    expect(saidOf(await diagnose(dataDir, Date.now()), 'waiting')).toContain(' 1 waiting.');
  });

  test('counts the records on an interface without an upstream, before this is a task', async () => {
    const { dataDir, store, key } = await openShop();
    const sale = arrivalOf(key, { externalId: 'earlier', receivedAt: Date.now() });
    await store.records.append({ ...sale, earlier: { version: 'v1', method: 'POST' } });
    const diagnosis = await diagnose(dataDir, Date.now());
    expect(await listBad(diagnosis)).toEqual([]);
    expect(saidOf(diagnosis, 'waiting')).toContain(' 1 waiting.');
  });

  test('doctor stores nothing', async () => {
    const { dataDir, stop } = await openShop();
    await stop();
    await diagnose(dataDir, Date.now() + 30 * DAY);
    const after = await openStore({ dataDir, role: 'command' });
    onTestFinished(() => after.close());
    expect(await after.tasks.list()).toEqual([]);
  });
});

test('doctor exits with 1 if anything needs attention, and with 0 otherwise', async () => {
  onTestFinished(() => void (process.exitCode = undefined));
  const { dataDir, store } = await openShop();
  const run = (...args: string[]) => runCommand(bindDoctor, ['doctor', '--data', dataDir, ...args]);
  const well = JSON.parse(await run('--json')) as { ok: boolean; lines: unknown[] };
  expect(process.exitCode).toBe(well.ok ? undefined : 1);
  expect(await run()).toMatch(/^ok {5}gateway {6}The gateway runs\./);
  await store.outbox.performAct(LANE, PAUSE, 'test');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAY });
  onTestFinished(() => void vi.useRealTimers());
  expect(await run()).toMatch(/^TO DO {2}backup {7}The last backup is from .* Make a backup on another disk\.$/m);
  expect(process.exitCode).toBe(1);
});

test('doctor counts the lines that it prints, and names the zone of times without one', async () => {
  onTestFinished(() => void (process.exitCode = undefined));
  const { dataDir, gateway, store } = await openShop();
  await postBody(gateway.apiUrl, 'prod_wrong', bodyOf());
  await postBody(gateway.apiUrl, '', bodyOf());
  await expect.poll(() => store.records.listRefusals(9)).toHaveLength(2);
  const printed = await runCommand(bindDoctor, ['doctor', '--data', dataDir]);
  const lines = printed.split('\n').filter((line) => /^(ok|TO DO) /.test(line));
  const marked = lines.filter((line) => line.startsWith('TO DO'));
  expect(marked.filter((line) => line.includes('refused'))).toHaveLength(2);
  expect(printed).toContain(`Needs attention: ${marked.length} of ${lines.length} lines.`);
  expect(printed.match(/^Times without a Z are in the time zone \S+\.$/gm)).toHaveLength(1);
});
