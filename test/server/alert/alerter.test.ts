// Receivers are told about each task once, also after restarts, crashes and failures. The tests use a real store and real HTTP.

import { expect, test } from 'vitest';

import { type Alerter, openAlerter } from '../../../server/alert/alerter.ts';
import { prepareSend } from '../../../server/alert/send.ts';
import type { ReceiverSettings } from '../../../server/contract/alerts.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import type { Clock } from '../../../server/lib/clock.ts';
import type { Store } from '../../../server/store/store.ts';
import type { StoredTask } from '../../../server/store/tasks/ledger.ts';
import { type HttpSink, openHttpSink } from '../../support/alert-sinks.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const NOON = Date.parse('2026-11-20T12:00Z');
const HOUR = 3_600_000;
const SETTINGS: ReceiverSettings = {
  name: 'Mia',
  language: 'en',
  timeZone: 'UTC',
  choice: 'all',
  quiet: null,
  digestAt: null,
};
const TASK = { name: 'clock', journalId: null, fact: { kind: 'clock_wrong' }, digest: '', size: [] } as const;
const openDispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined });

interface Site {
  readonly store: Store;
  readonly alerter: Alerter;
  readonly clock: Clock & { time: number };
  /** Gives tasks to the alerter, by default the stored ones. Resolves when it has sent and stored everything. */
  tell(tasks?: readonly StoredTask[]): Promise<void>;
  stop(): Promise<void>;
}

/** Opens the alerts of a data directory. `change` replaces parts of the store. */
async function open(
  dataDir: string,
  time = NOON,
  change: (store: Store) => Partial<Store> = () => ({}),
): Promise<Site> {
  const clock = { time, now: () => clock.time, monotonic: () => clock.time, after: () => () => {} };
  const store = await openTemporaryStore({ dataDir, now: clock.now });
  let underway: Promise<unknown> = Promise.resolve();
  const real = prepareSend({ openDispatcher, now: clock.now });
  const alerter = openAlerter({
    store: { ...store, ...change(store) },
    clock,
    send(...args) {
      const sending = real(...args);
      underway = Promise.all([underway, sending]);
      return sending;
    },
    random: () => 1,
    onChange: () => {},
    onFault: () => {},
  });
  return {
    store,
    alerter,
    clock,
    async tell(tasks) {
      alerter.noteTasks(tasks ?? (await store.tasks.list()));
      // Waits until the alerter has made its plan, sent the alerts and stored the outcomes.
      for (let i = 0; i < 3; i++) {
        await store.alerts.list();
        await underway;
        await store.alerts.list();
      }
    },
    async stop() {
      await alerter.close();
      await store.close();
    },
  };
}

async function addReceiver({ alerts }: Store, { url }: HttpSink, more: Partial<ReceiverSettings> = {}): Promise<void> {
  const settings = { ...SETTINGS, ...more };
  const destination = { kind: 'slack', url, plainHttp: true } as const;
  await alerts.add({ settings, destination, shown: '', digestOn: '2026-11-20' }, 'test');
}

async function addWebhook({ alerts }: Store, { url }: HttpSink): Promise<void> {
  const key = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const destination = { kind: 'webhook', url, key, plainHttp: true } as const;
  await alerts.add({ settings: SETTINGS, destination, shown: '', digestOn: '' }, 'test');
}

const idsOf = ({ calls }: HttpSink): unknown[] => calls.map(({ headers }) => headers['webhook-id']);

function unstoredOf(name: string): StoredTask {
  const opened = { beganAt: NOON, openedAt: NOON, opening: 1 };
  return { ...TASK, ...opened, name, id: 0, isClosed: false, mark: null, seen: [] };
}

async function begin({ tasks }: Store, ...names: readonly string[]): Promise<void> {
  await tasks.update({ begun: names.map((name) => ({ ...TASK, name })), changed: [], ended: [], at: NOON });
}

test('a task is told once, also after a restart', async () => {
  const [dataDir, sink] = [temporaryFolder(), await openHttpSink()];
  const before = await open(dataDir);
  await addReceiver(before.store, sink);
  await begin(before.store, 'a');
  await before.tell();
  await before.tell();
  expect(sink.calls).toHaveLength(1);
  await before.stop();
  const after = await open(dataDir, NOON + HOUR);
  await after.tell();
  expect(sink.calls).toHaveLength(1);
  expect(await after.alerter.view()).toMatchObject([{ waiting: 0, lastSentAt: NOON, failing: null }]);
  await after.alerter.close();
});

test('a refused alert is shown, survives a restart and is sent when its time has come', async () => {
  const [dataDir, sink] = [temporaryFolder(), await openHttpSink()];
  sink.script = 500;
  const { store, alerter, clock, tell } = await open(dataDir);
  await addReceiver(store, sink);
  await begin(store, 'a');
  await tell();
  await tell();
  expect(sink.calls).toHaveLength(1);
  const failing = { code: 'rejected', detail: '500', since: NOON, attempts: 1, nextAt: NOON + 30_000 };
  expect(await alerter.view()).toMatchObject([{ waiting: 1, lastSentAt: null, failing }]);
  sink.script = 200;
  clock.time += 30_000;
  await tell();
  expect(sink.calls).toHaveLength(2);
  expect(await alerter.view()).toMatchObject([{ waiting: 0, failing: null }]);
  await alerter.close();
});

test('a crash before the outcome is stored repeats the message with the same id', async () => {
  const [dataDir, sink] = [temporaryFolder(), await openHttpSink()];
  let isCrashed = true;
  const site = await open(dataDir, NOON, ({ alerts }) => ({
    alerts: {
      ...alerts,
      note: async (report) => (isCrashed && report.sent.length > 0 ? new Promise(() => {}) : alerts.note(report)),
    },
  }));
  await addWebhook(site.store, sink);
  await begin(site.store, 'a');
  await site.tell();
  expect(await site.store.alerts.list()).toMatchObject([{ alerts: [{ state: 'waiting' }] }]);
  isCrashed = false;
  const second = openAlerter({
    store: site.store,
    clock: site.clock,
    send: prepareSend({ openDispatcher, now: site.clock.now }),
    onChange: () => {},
    onFault: () => {},
  });
  second.noteTasks(await site.store.tasks.list());
  await expect.poll(() => sink.calls.length).toBe(2);
  await second.close();
  expect(new Set(idsOf(sink)).size).toBe(1);
});

test('a receiver that hangs holds up no other receiver', async () => {
  const [slow, fast] = [await openHttpSink(), await openHttpSink()];
  slow.script = 'hang';
  const { store, alerter } = await open(temporaryFolder());
  await addReceiver(store, slow, { name: 'A' });
  await addReceiver(store, fast, { name: 'B' });
  await begin(store, 'a');
  alerter.noteTasks(await store.tasks.list());
  await expect.poll(() => [slow.calls.length, fast.calls.length]).toEqual([1, 1]);
  slow.script = 200;
});

test('tasks of the test mode are not told, and an alert names the store', async () => {
  const sink = await openHttpSink();
  const { store, alerter, tell } = await open(temporaryFolder());
  const live = await makeKey(store);
  const trial = await makeKey(store, 'Till 1', { mode: 'test' });
  await addReceiver(store, sink);
  const begun = [live, trial].map(({ journalId }) => ({ ...TASK, name: String(journalId), journalId }));
  await store.tasks.update({ begun, changed: [], ended: [], at: NOON });
  await tell();
  expect(sink.calls.map(({ body }) => body)).toEqual([expect.stringContaining('• Bakery: The clock')]);
  expect(sink.calls[0]?.body.split('•')).toHaveLength(2);
  await alerter.close();
});

test('while the disk cannot be written, a task that is not stored is told once, and not again when it is stored', async () => {
  const sink = await openHttpSink();
  const { store, alerter, clock, tell } = await open(temporaryFolder());
  await addReceiver(store, sink);
  await begin(store, 'a');
  const [stored] = await store.tasks.list();
  if (stored === undefined) throw new Error('no task');
  await tell([{ ...stored, id: 0 }]);
  clock.time += HOUR;
  await tell([{ ...stored, id: 0 }]);
  await tell([stored]);
  clock.time += HOUR;
  await tell([stored]);
  expect(sink.calls).toHaveLength(1);
  await alerter.close();
});

test('a task that ended before it was stored is told again when it returns, as another message', async () => {
  const sink = await openHttpSink();
  const { store, alerter, clock, tell } = await open(temporaryFolder());
  await addWebhook(store, sink);
  const task = unstoredOf('store_unavailable');
  await tell([task]);
  await tell([]);
  clock.time += 7 * 24 * HOUR;
  await tell([task]);
  expect(idsOf(sink)).toHaveLength(2);
  expect(new Set(idsOf(sink)).size).toBe(2);
  await alerter.close();
});

test('two tasks that are not stored make two messages with different ids', async () => {
  const sink = await openHttpSink();
  const { store, alerter, clock, tell } = await open(temporaryFolder());
  await addWebhook(store, sink);
  await tell([unstoredOf('a')]);
  clock.time += HOUR;
  await tell([unstoredOf('a'), unstoredOf('b')]);
  expect(idsOf(sink)).toHaveLength(2);
  expect(new Set(idsOf(sink)).size).toBe(2);
  expect(sink.calls[1]?.body.match(/"opening"/g)).toHaveLength(1);
  await alerter.close();
});

test('a refused message about a task that is not stored is sent again with the same id', async () => {
  const sink = await openHttpSink();
  sink.script = 500;
  const { store, alerter, clock, tell } = await open(temporaryFolder());
  await addWebhook(store, sink);
  await tell([unstoredOf('a')]);
  clock.time += HOUR;
  await tell([{ ...unstoredOf('a'), openedAt: clock.time }]);
  expect(idsOf(sink)).toHaveLength(2);
  expect(new Set(idsOf(sink)).size).toBe(1);
  await alerter.close();
});

test('a receiver whose alerts cannot be stored holds up no other receiver', async () => {
  const sink = await openHttpSink();
  const { store, alerter, tell } = await open(temporaryFolder(), NOON, ({ alerts }) => ({
    alerts: {
      ...alerts,
      note: async (report) => (report.receiverId === 1 ? Promise.reject(new Error('full')) : alerts.note(report)),
    },
  }));
  await addReceiver(store, sink, { name: 'A', quiet: { from: 0, to: 1439 } });
  await addReceiver(store, sink, { name: 'B' });
  await begin(store, 'a');
  await tell();
  expect(sink.calls).toHaveLength(1);
  await alerter.close();
});

test('a message that is on its way to a removed receiver counts for no other receiver', async () => {
  const [slow, fast] = [await openHttpSink(), await openHttpSink()];
  slow.script = 'hang';
  const { store, alerter } = await open(temporaryFolder());
  await addReceiver(store, slow);
  await begin(store, 'a');
  alerter.noteTasks(await store.tasks.list());
  await expect.poll(() => slow.calls.length).toBe(1);
  await store.alerts.remove(1, 'test');
  await addReceiver(store, fast);
  alerter.noteTasks(await store.tasks.list());
  await expect.poll(() => fast.calls.length).toBe(1);
  slow.script = 200;
});

test('a test is sent at once, also in quiet hours, and says why it failed', async () => {
  const sink = await openHttpSink();
  const { store, alerter } = await open(temporaryFolder());
  await addReceiver(store, sink, { quiet: { from: 0, to: 1439 } });
  expect(await alerter.test(1)).toBeNull();
  expect(sink.calls[0]?.body).toContain('This is a test.');
  sink.script = 403;
  expect(await alerter.test(1)).toEqual({ code: 'rejected', detail: '403' });
  expect(await alerter.test(9)).toBeUndefined();
  await alerter.close();
});
