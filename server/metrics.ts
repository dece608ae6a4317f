// The gateway's metrics, in the format of Prometheus.

import { setTimeout as delay } from 'node:timers/promises';

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { DELIVERY_STATES, type Mode } from './contract/codes.ts';
import type { HealthView } from './contract/machine.ts';
import { TASK_KINDS, type TaskKind } from './contract/todo.ts';
import { type Verdict, VERDICTS } from './contract/verdicts.ts';
import type { LaneStatus } from './store/outbox/ledger.ts';
import type { Store } from './store/store.ts';
import type { StoredTask } from './store/tasks/ledger.ts';

export interface Metrics {
  /** The metrics of the gateway, without those of Node. */
  readonly registry: Registry;
  /** The number of answered records, by interface and status. */
  readonly records: Counter<'interface' | 'status'>;
  readonly refusals: Counter<'code'>;
  /** The seconds between the arrival of a call and its answer. */
  readonly intakeSeconds: Histogram;
  /** The seconds in which a group of records was written and synced. */
  readonly syncSeconds: Histogram;
  /** Adds a gauge that is read at each scrape. If it cannot be read, the scrape leaves it out. */
  addGauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Reads all metrics, also those of Node, as the text of a scrape. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * The metrics of Node, which all gateways of this process share; undefined before the first scrape. Each set of them has a timer
 * of 10 ms and an observer of the garbage collection, and nothing can stop these. Most gateways are never scraped.
 */
let processMetrics: Promise<Registry> | undefined;

async function openProcessMetrics(): Promise<Registry> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (let time = 0; time < LAG_TIMES; time++) await delay(LAG_MS);
  return registry;
}

/**
 * The first scrape waits until the lag of the event loop has been measured, because without a measurement it has no minimum. Node
 * measures it every 10 ms, beginning with the second time. If the loop is blocked, a timer that should run several times runs only
 * once. So the scrape waits several times, not once for longer.
 */
const LAG_TIMES = 3;
const LAG_MS = 20;

/** `now` returns epoch milliseconds. */
export function openMetrics(store: Store, health: () => HealthView, now: () => number = Date.now): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const records = new Counter({
    name: 'counterfoil_records_total',
    help: 'Accepted records, by interface and status.',
    labelNames: ['interface', 'status'],
    registers,
  });
  const refusals = new Counter({
    name: 'counterfoil_refusals_total',
    help: 'Calls refused, by code.',
    labelNames: ['code'],
    registers,
  });
  const intakeSeconds = new Histogram({
    name: 'counterfoil_intake_seconds',
    help: 'Time from the arrival of a call to its answer.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const syncSeconds = new Histogram({
    name: 'counterfoil_store_sync_seconds',
    help: 'Time to write a group of records, with the sync of the disk.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const disk = () => health().machine.disk;
  const addGauge: Metrics['addGauge'] = (name, help, read) =>
    addReadGauge(registry, { name, help, labels: [] }, async () => [[{}, await read()]]);
  addGauge('counterfoil_store_waiting', 'Records that wait for the writer thread.', () => store.health.load().waiting);
  addGauge(
    'counterfoil_store_wal_pages',
    'Pages in the write-ahead log at the last checkpoint.',
    () => store.health.load().walPages,
  );
  addGauge('counterfoil_store_taking', '1 while the store accepts records, 0 while it is in trouble.', () =>
    store.health.trouble() === undefined ? 1 : 0,
  );
  addGauge(
    'counterfoil_refusals_unwritten',
    'Refused calls that are not in the refusal log yet; many while the disk is full.',
    () => health().unwrittenRefusals,
  );
  addGauge('counterfoil_disk_free_bytes', 'Free space on the disk of the data.', () => disk()?.freeBytes ?? NaN);
  addGauge('counterfoil_disk_bytes', 'Size of the disk of the data.', () => disk()?.totalBytes ?? NaN);
  addGauge(
    'counterfoil_disk_days_left',
    'Days until the disk is full, at the rate of the last week; +Inf without new records, Nan if the free space is unknown.',
    () => {
      const seen = disk();
      return seen === null ? NaN : (seen.daysLeft ?? Infinity);
    },
  );
  addGauge(
    'counterfoil_database_bytes',
    'Size of the database file and its write-ahead log.',
    async () => (await store.health.readDatabase()).bytes,
  );
  addGauge('counterfoil_clock_wrong', "1 while the machine's clock is wrong.", () =>
    health().machine.clock === null ? 0 : 1,
  );
  addLaneGauges(store, registry, now);
  return {
    registry,
    records,
    refusals,
    intakeSeconds,
    syncSeconds,
    addGauge,
    async scrape() {
      const all = Registry.merge([await (processMetrics ??= openProcessMetrics()), registry]);
      return { contentType: all.contentType, text: await all.metrics() };
    },
  };
}

/** What the gateway's parts measure, besides the store. Each is read at each scrape. */
export interface GaugeSources {
  readonly store: Pick<Store, 'outbox'>;
  /** All tasks of the to-do list. */
  readonly tasks: () => readonly Pick<StoredTask, 'fact' | 'journalId' | 'isClosed'>[];
  readonly verdicts: () => Promise<readonly VerdictCounts[]>;
  /** Seconds that this machine's clock is ahead of the upstream's clock; NaN if unknown. */
  readonly clockOffset: () => number;
  /** Age of the last good backup in seconds; Infinity without one. */
  readonly backupAge: () => Promise<number>;
  /** The alert messages that were sent, and the attempts that failed, since the gateway started. */
  readonly alerts: () => { readonly sent: number; readonly failed: number };
}

/** Adds the gauges of the gateway's parts, which are opened after the metrics. */
export function addPartGauges(
  { registry, addGauge }: Pick<Metrics, 'registry' | 'addGauge'>,
  from: GaugeSources,
): void {
  addTaskGauges(registry, from);
  addVerdictGauge(registry, from);
  addGauge(
    'counterfoil_clock_offset_seconds',
    'How far the clock of this machine is ahead of the upstream’s clock, to about a second; Nan without an answer of an upstream on another machine in the last hour.',
    from.clockOffset,
  );
  addGauge(
    'counterfoil_backup_age_seconds',
    'Age of the last good backup; +Inf if there has been none.',
    from.backupAge,
  );
  addGauge(
    'counterfoil_alerts_sent',
    'Alert messages that were sent since the gateway started.',
    () => from.alerts().sent,
  );
  addGauge(
    'counterfoil_alerts_failed',
    'Attempts to send an alert that have failed since the gateway started.',
    () => from.alerts().failed,
  );
}

/** Adds gauges for the to-do list: open tasks by kind, and the silent tills and differing days of each journal. */
export function addTaskGauges(registry: Registry, { store, tasks: read }: Pick<GaugeSources, 'store' | 'tasks'>): void {
  const tasks = { name: 'counterfoil_tasks', help: 'Open tasks of the to-do list, by kind.', labels: ['kind'] };
  addReadGauge(registry, tasks, () => {
    const open = read().filter(({ isClosed }) => !isClosed);
    return TASK_KINDS.map((kind) => [{ kind }, open.filter(({ fact }) => fact.kind === kind).length]);
  });
  const addJournalGauge = (name: string, help: string, kind: TaskKind): void =>
    addReadGauge(registry, { name, help, labels: ['administration', 'mode'] }, () => {
      const found = read().filter(({ fact }) => fact.kind === kind);
      return store.outbox
        .lanes()
        .map(({ journalId, administration, mode }) => [
          { administration, mode },
          found.filter((task) => task.journalId === journalId).length,
        ]);
    });
  addJournalGauge(
    'counterfoil_silent_tills',
    'Tills that send nothing at a time when they usually sell, even if a person has marked this.',
    'silent_till',
  );
  addJournalGauge(
    'counterfoil_days_differing',
    'Store days of any age with a final difference and without a signature, even if a person has marked this.',
    'day_differs',
  );
}

/** Adds a gauge for the verdicts of the last store days. */
function addVerdictGauge(registry: Registry, { verdicts }: Pick<GaugeSources, 'verdicts'>): void {
  const help = `Finished store days among the last ${COUNTED_DAYS}, by verdict. Read at most once a minute.`;
  const labels = ['administration', 'mode', 'verdict'];
  addReadGauge(registry, { name: 'counterfoil_days', help, labels }, async () =>
    (await verdicts()).flatMap(({ administration, mode, counts }) =>
      VERDICTS.map((verdict): Sample => [{ administration, mode, verdict }, counts[verdict]]),
    ),
  );
}

/** The number of store days of a journal with each verdict. */
export interface VerdictCounts {
  readonly administration: string;
  readonly mode: Mode;
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** Number of finished store days whose verdicts are counted. */
export const COUNTED_DAYS = 31;

/** The progress of each lane, read from the store at each scrape. */
function addLaneGauges(store: Store, registry: Registry, now: () => number): void {
  let reading: Promise<readonly LaneStatus[]> | undefined;
  /** The gauges of one scrape share one query. */
  const list = (): Promise<readonly LaneStatus[]> =>
    (reading ??= store.outbox.listLaneStatus().finally(() => (reading = undefined)));
  const add = (
    name: string,
    help: string,
    more: readonly string[],
    read: (lane: LaneStatus) => readonly Sample[],
  ): void =>
    addReadGauge(registry, { name, help, labels: ['administration', 'mode', 'interface', ...more] }, async () =>
      (await list()).flatMap((lane) => {
        const { administration, mode, interface: by } = lane;
        return read(lane).map(([labels, value]): Sample => [{ administration, mode, interface: by, ...labels }, value]);
      }),
    );
  add('counterfoil_deliveries', 'Number of records in each delivery state.', ['state'], (lane) => {
    const counts = { ...lane, 'set aside': lane.setAside };
    return DELIVERY_STATES.map((state) => [{ state }, counts[state]]);
  });
  add(
    'counterfoil_lane_up',
    '1 while the lane forwards records; 0 while its line is down, or it is refused or paused.',
    [],
    ({ state }) => [[{}, state === 'running' ? 1 : 0]],
  );
  add('counterfoil_lane_upstream', '1 if the lane has an upstream, 0 if nobody has set one.', [], ({ url }) => [
    [{}, url === null ? 0 : 1],
  ]);
  add(
    'counterfoil_oldest_waiting_seconds',
    'How long the oldest waiting record has waited; 0 if none waits.',
    [],
    ({ oldestWaitingAt }) => [[{}, oldestWaitingAt === null ? 0 : Math.max(0, (now() - oldestWaitingAt) / 1000)]],
  );
}

/** A value of a gauge, and its labels. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * Adds a gauge that is read at each scrape. If `read` fails, the scrape has the other metrics, because somebody may be looking
 * for the cause of a broken disk.
 */
function addReadGauge(
  registry: Registry,
  { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly string[] },
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  void new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const samples = await Promise.try(read).catch(() => []);
      // Without an await from here on, so that a second scrape never sees half of the samples.
      this.reset();
      if (labels.length === 0) this.remove(); // `reset` has set it to 0
      for (const [own, value] of samples) this.set(own, value);
    },
  });
}
