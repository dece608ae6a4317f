// Examines a data directory for `doctor` and the support bundle, with or without a running gateway. It stores nothing. Each open
// task of the to-do list is on a line, so `doctor` never finds less than the list.

import type { CertificateFiles } from '../config.ts';
import { isUnexaminedCopy, judgeDisk, readSpace } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';
import { applyChanges, planTasks } from '../todo/plan.ts';
import { viewTasks } from '../todo/todo.ts';
import { readSettingFaults } from './config.ts';
import { type DiagnosisLine, makeLines, type StoreFacts } from './diagnosis-lines.ts';
import { readFinding } from './finding.ts';
import { type GatewayState, readGateway, readTelling } from './health.ts';
import { readCertificates, readRunningNetwork } from './network-state.ts';
import { withStore } from './output.ts';
import { readZones, type Zones } from './task-text.ts';

export interface Diagnosis {
  /** Whether nothing needs anybody's attention. */
  readonly isWell: boolean;
  /** Whether a gateway runs on the data; `unknown` if that cannot be read. */
  readonly gateway: GatewayState['kind'] | 'unknown';
  readonly lines: readonly DiagnosisLine[];
  readonly zones: Zones;
}

/** Examines a data directory. `now` is in epoch milliseconds. Never rejects: a fault that prevents the examination is a line. */
export async function diagnose(dataDir: string, now: number): Promise<Diagnosis> {
  const gateway = await readGateway(dataDir).catch(() => undefined); // the store's error says why
  const settings = await readSettingFaults(dataDir, {});
  const isUnexamined = await orReason(() => isUnexaminedCopy(dataDir)); // before the store is opened
  const facts = await orReason(() =>
    withStore({ data: dataDir }, (store) =>
      readFacts(store, dataDir, {
        now,
        isRunning: gateway !== undefined && gateway.kind !== 'stopped',
        files: settings.config?.tls,
      }),
    ),
  );
  const space = await readSpace(dataDir);
  const lines = makeLines(
    {
      dataDir,
      now,
      gateway,
      isUnexamined: isUnexamined === true,
      settingFaults: settings.faults.map(({ sentence }) => sentence),
      disk:
        typeof facts !== 'string'
          ? facts.disk
          : space === undefined
            ? null
            : judgeDisk(space.freeBytes, space.totalBytes, null, false),
    },
    facts,
  );
  const hasTasks = typeof facts !== 'string' && facts.tasks.some(({ isOpen }) => isOpen);
  return {
    isWell: !hasTasks && lines.every(({ needsAttention }) => !needsAttention),
    gateway: gateway?.kind ?? 'unknown',
    lines,
    zones: typeof facts === 'string' ? new Map() : facts.zones,
  };
}

interface ReadParts {
  readonly now: number;
  readonly isRunning: boolean;
  readonly files: CertificateFiles | undefined;
}

async function readFacts(store: Store, dataDir: string, { now, isRunning, files }: ReadParts) {
  const { health, problems } = await readTelling(store, dataDir);
  const faults: string[] = [];
  // The settings line already says why the certificate files of the shop cannot be read.
  const certificates = await readCertificates(store, dataDir, files).catch(() => ({
    certificate: null,
    authority: null,
  }));
  const finding = await readFinding(store, {
    isRunning,
    health,
    network: certificates,
    now,
    onFault: (error) => void faults.push(reasonOf(error)),
  });
  const stored = await store.tasks.list();
  const keys = await store.setup.listKeys();
  const journals = await store.records.countStatuses();
  const facts: StoreFacts = {
    tasks: viewTasks(store, applyChanges(stored, planTasks(stored, finding, now)), undefined),
    faults,
    fullDisk: problems.find(({ code }) => code === 'disk_full')?.sentence,
    lanes: await store.outbox.listLaneStatus(),
    records: journals
      .flatMap(({ records }) => Object.values(records))
      .flatMap((counts) => Object.values(counts))
      .reduce((sum, count) => sum + count, 0),
    database: await store.health.readDatabase(),
    scrub: await store.health.readScrub(),
    firstKeyAt: keys.length === 0 ? undefined : Math.min(...keys.map(({ createdAt }) => createdAt)),
    backupAt: await store.health.lastBackupAt(),
    certificates,
    failures: readRunningNetwork(dataDir)?.failures ?? [],
    receivers: await store.alerts.list(),
  };
  return { ...facts, disk: health.machine.disk, zones: await readZones(store) };
}

/** Returns the result of `work`, or the reason why it failed. */
async function orReason<T>(work: () => T | Promise<T>): Promise<Awaited<T> | string> {
  try {
    return await work();
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
