// The gateway's metrics, in the format of Prometheus.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { DELIVERY_STATES } from './contract/codes.ts';
import type { HealthView } from './contract/machine.ts';
import { TASK_KINDS } from './contract/todo.ts';
import type { Store } from './store/store.ts';
import type { StoredTask } from './store/tasks/ledger.ts';

export interface Metrics {
  readonly registry: Registry;
  /** The number of answered records, by interface and status. */
  readonly records: Counter<'interface' | 'status'>;
  readonly refusals: Counter<'code'>;
  /** The seconds between the arrival of a call and its answer. */
  readonly intakeSeconds: Histogram;
  /** Adds a gauge that is read at each scrape. */
  addGauge(name: string, help: string, read: () => number): void;
}

export function openMetrics(store: Store, health: () => HealthView): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  const disk = () => health().machine.disk;
  const addGauge = (name: string, help: string, read: () => number): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
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
    'Days until the disk is full, at the rate of the last week; +Inf without new records, NaN if the free space is unknown.',
    () => {
      const seen = disk();
      return seen === null ? NaN : (seen.daysLeft ?? Infinity);
    },
  );
  addGauge('counterfoil_clock_wrong', "1 while the machine's clock is wrong.", () =>
    health().machine.clock === null ? 0 : 1,
  );
  addLaneGauges(store, registers);
  return {
    registry,
    records,
    refusals,
    intakeSeconds,
    addGauge,
  };
}

/** Adds gauges for the alert messages sent and failed since the gateway started. */
export function addAlertGauges(
  { addGauge }: Pick<Metrics, 'addGauge'>,
  counts: () => { readonly sent: number; readonly failed: number },
): void {
  addGauge('counterfoil_alerts_sent', 'Alert messages that were sent since the gateway started.', () => counts().sent);
  addGauge(
    'counterfoil_alerts_failed',
    'Attempts to send an alert that have failed since the gateway started.',
    () => counts().failed,
  );
}

/** Adds a gauge for the number of open tasks, by kind. */
export function addTaskGauge(registry: Registry, read: () => readonly Pick<StoredTask, 'fact' | 'isClosed'>[]): void {
  void new Gauge({
    name: 'counterfoil_tasks',
    help: 'Open tasks of the to-do list, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const open = read().filter(({ isClosed }) => !isClosed);
      for (const kind of TASK_KINDS) this.set({ kind }, open.filter(({ fact }) => fact.kind === kind).length);
    },
  });
}

/** Adds a gauge for the age of the last good backup. */
export function addBackupGauge(registry: Registry, readSeconds: () => Promise<number>): void {
  void new Gauge({
    name: 'counterfoil_backup_age_seconds',
    help: 'Age of the last good backup; +Inf if there has been none.',
    registers: [registry],
    async collect() {
      this.set(await readSeconds());
    },
  });
}

/** The progress of each lane, read from the store at each scrape. */
function addLaneGauges(store: Store, registers: Registry[]): void {
  const lane = ['administration', 'mode', 'interface'] as const;
  void new Gauge({
    name: 'counterfoil_deliveries',
    help: 'Number of records in each delivery state.',
    labelNames: [...lane, 'state'],
    registers,
    async collect() {
      for (const {
        administration,
        mode,
        interface: by,
        waiting,
        delivered,
        held,
        setAside,
      } of await store.outbox.listLaneStatus()) {
        const counts = { waiting, delivered, held, 'set aside': setAside };
        for (const state of DELIVERY_STATES) this.set({ administration, mode, interface: by, state }, counts[state]);
      }
    },
  });
  void new Gauge({
    name: 'counterfoil_lane_up',
    help: '1 while the lane forwards records; 0 while its line is down, or it is refused or paused.',
    labelNames: lane,
    registers,
    async collect() {
      for (const { administration, mode, interface: by, state } of await store.outbox.listLaneStatus())
        this.set({ administration, mode, interface: by }, state === 'running' ? 1 : 0);
    },
  });
}
