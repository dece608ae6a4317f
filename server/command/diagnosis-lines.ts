// The lines of `doctor`: what it says about each subject, and which subjects need attention. Pure.

import { formatBytes } from '../bad-news.ts';
import { causeSentence } from '../cause.ts';
import { type DiskState, MAX_TOLD_DISK_DAYS } from '../contract/machine.ts';
import type { ListenFailure, NetworkView } from '../contract/network.ts';
import type { TaskKind, TaskView } from '../contract/todo.ts';
import { dataOption, shownCommand } from '../data-location.ts';
import { PROGRAM } from '../program.ts';
import type { StoredReceiver } from '../store/alerts/ledger.ts';
import type { DatabaseFacts, ScrubState } from '../store/health/ledger.ts';
import type { LaneName, LaneStatus } from '../store/outbox/ledger.ts';
import { LINE_DOWN_MS } from '../todo/facts.ts';
import { VERSION } from '../version.ts';
import { alertFaultSentence } from './alert-sentences.ts';
import { type GatewayState, silentSentence } from './health.ts';
import { failureSentence } from './network-report.ts';
import { formatTime } from './output.ts';

/** The subjects, in the order of the lines. */
const SUBJECTS = [
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
] as const;

type Subject = (typeof SUBJECTS)[number];

/** The subject of each kind of task. */
const SUBJECT_OF: Readonly<Record<TaskKind, Subject>> = {
  store_full: 'store',
  store_unavailable: 'store',
  records_damaged: 'store',
  wal_damaged: 'store',
  index_damaged: 'store',
  clock_wrong: 'clock',
  disk_low: 'disk',
  upstream_stopped: 'lane',
  held: 'lane',
  silent_till: 'tills',
  conflicts: 'tills',
  refusals: 'tills',
  numbers_skipped: 'tills',
  day_differs: 'days',
  certificate_ends: 'certificate',
  archive_failed: 'store',
  backup_failed: 'backup',
  backup_old: 'backup',
};

export interface DiagnosisLine {
  readonly subject: Subject;
  /** The lane of the line; null for the other subjects. */
  readonly lane: LaneName | null;
  readonly needsAttention: boolean;
  readonly sentence: string;
  /** Whether the sentence itself is about something that needs attention. */
  readonly isBad: boolean;
  /** The open tasks about the subject. If there are any, they say more than a sentence that is not bad. */
  readonly tasks: readonly TaskView[];
}

/** The facts that need no store. */
export interface OutsideFacts {
  readonly dataDir: string;
  readonly now: number;
  /** Undefined if the data directory cannot be opened. */
  readonly gateway: GatewayState | undefined;
  /** Whether the data are a copy that no gateway has examined yet. */
  readonly isUnexamined: boolean;
  /** A sentence about each fault of the settings. */
  readonly settingFaults: readonly string[];
  readonly disk: DiskState | null;
}

export interface StoreFacts {
  readonly tasks: readonly TaskView[];
  /** The sources that could not be read. */
  readonly faults: readonly string[];
  /** Why no sale can be accepted; undefined while the disk has space. */
  readonly fullDisk: string | undefined;
  readonly lanes: readonly LaneStatus[];
  readonly records: number;
  readonly database: DatabaseFacts;
  readonly scrub: ScrubState;
  /** When the first key was made; undefined without keys. */
  readonly firstKeyAt: number | undefined;
  readonly backupAt: number | null;
  readonly certificates: Pick<NetworkView, 'certificate' | 'authority'>;
  readonly failures: readonly ListenFailure[];
  readonly receivers: readonly StoredReceiver[];
}

/** What a line says without its tasks. */
interface Said {
  readonly sentence: string;
  readonly isBad?: boolean;
  /** True if the sentence is true only without any task, even one that a person has marked. */
  readonly isOnlyWithoutTasks?: boolean;
}

const good = (sentence: string): Said => ({ sentence });
const bad = (sentence: string): Said => ({ sentence, isBad: true });
const goodWithoutTasks = (sentence: string): Said => ({ sentence, isOnlyWithoutTasks: true });

/** Makes the lines. `facts` is a text if the data cannot be read: the reason. */
export function makeLines(outside: OutsideFacts, facts: StoreFacts | string): DiagnosisLine[] {
  const known = {
    ...sayOutside(outside),
    ...(typeof facts === 'string' ? sayUnread(facts) : sayStored(facts, outside)),
  };
  const tasks = typeof facts === 'string' ? [] : facts.tasks;
  return SUBJECTS.flatMap((subject): DiagnosisLine[] => {
    const own = tasks.filter(({ fact }) => SUBJECT_OF[fact.kind] === subject);
    if (subject === 'lane' && typeof facts !== 'string')
      return facts.lanes.filter(isUsed).map((lane) =>
        lineOf(
          subject,
          lane,
          sayLane(lane),
          own.filter((task) => isAbout(lane, task)),
        ),
      );
    return [lineOf(subject, null, known[subject] ?? bad('Not known, because the data cannot be read.'), own)];
  });
}

/** `tasks` are the open and the marked tasks about the line. */
function lineOf(subject: Subject, lane: LaneName | null, said: Said, tasks: readonly TaskView[]): DiagnosisLine {
  const { sentence, isBad = false, isOnlyWithoutTasks = false } = said;
  const open = tasks.filter(({ isOpen }) => isOpen);
  const marked = tasks.length - open.length;
  const note = marked === 0 ? [] : [marked === 1 ? '1 task is marked.' : `${marked} tasks are marked.`];
  return {
    subject,
    lane: lane && { administration: lane.administration, mode: lane.mode, interface: lane.interface },
    needsAttention: isBad || open.length > 0,
    sentence: [...(isOnlyWithoutTasks && tasks.length > 0 ? [] : [sentence]), ...note].join(' '),
    isBad,
    tasks: open,
  };
}

type SaidBySubject = Partial<Record<Subject, Said>>;

function sayOutside({ gateway, dataDir, settingFaults, disk }: OutsideFacts): SaidBySubject {
  return {
    gateway: sayGateway(gateway, dataDir),
    version: sayVersion(gateway),
    settings: settingFaults.length === 0 ? good('The settings have no fault.') : bad(settingFaults.join(' ')),
    disk: sayDisk(disk),
  };
}

function sayUnread(reason: string): SaidBySubject {
  return { store: bad(reason) };
}

function sayStored(facts: StoreFacts, outside: OutsideFacts): SaidBySubject {
  const { now, gateway, dataDir, disk } = outside;
  const { fullDisk, failures, backupAt } = facts;
  const isFailing = gateway?.kind === 'running' && failures.length > 0;
  return {
    ...(isFailing && { gateway: bad(failures.map(failureSentence).join(' ')) }),
    store: sayStore(facts, outside),
    disk: fullDisk === undefined ? { ...sayDisk(disk), isBad: false } : bad(fullDisk),
    clock: goodWithoutTasks(`The clock of this machine shows ${formatTime(now)}, and nothing contradicts it.`),
    certificate: sayCertificate(facts),
    waiting: sayWaiting(facts, now, dataDir),
    days: goodWithoutTasks('No store day differs.'),
    tills: goodWithoutTasks('No till is silent, and nothing that a till sent is on the to-do list.'),
    alerts: sayAlerts(facts, now, dataDir),
    backup: good(backupAt === null ? 'There is no backup yet.' : `The last backup is from ${formatTime(backupAt)}.`),
  };
}

function sayGateway(gateway: GatewayState | undefined, dataDir: string): Said {
  switch (gateway?.kind) {
    case undefined:
      return bad('Not known, because the data directory cannot be opened.');
    case 'running':
      return good(`The gateway runs. Its console for this machine is ${gateway.url}.`);
    case 'silent':
      return bad(silentSentence(gateway.url));
    case 'starting':
      return bad('The gateway is starting, or a command is changing the data. Run this command again in a minute.');
    case 'stopped':
      return bad(
        `No gateway runs on ${dataDir}, so tills cannot send and nothing is forwarded. Start it: ${PROGRAM} serve${dataOption(dataDir)}`,
      );
  }
}

function sayVersion(gateway: OutsideFacts['gateway']): Said {
  const own = `This program has the version ${VERSION}`;
  if (gateway?.kind !== 'running') return good(`${own}.`);
  const version = gateway.answer?.version;
  if (version === VERSION) return good(`${own}, and so has the running gateway.`);
  const other = version === undefined ? 'is an earlier version' : `has the version ${version}`;
  return bad(`${own}, but the running gateway ${other}. Restart the gateway with the version that you want to use.`);
}

/** An examination of all records begins once a week. If none has ended for this time, something prevents it. */
const MAX_EXAMINATION_DAYS = 30;
const DAY_MS = 86_400_000;

function sayStore(facts: StoreFacts, { now, dataDir, isUnexamined }: OutsideFacts): Said {
  const { records, database, scrub, faults, firstKeyAt } = facts;
  if (faults.length > 0)
    return bad(
      `Not everything could be read: ${faults.join('; ')}. To examine the data: ${shownCommand(dataDir, 'check')}`,
    );
  const { schema, programSchema, bytes } = database;
  const newer = schema > programSchema ? `, of a newer version; this one knows ${programSchema}` : '';
  const data = `${records === 1 ? '1 record' : `${records} records`}, ${formatBytes(bytes)}, schema ${schema}${newer}.`;
  if (isUnexamined) {
    return bad(
      `${data} The data are a copy or were moved here, and nobody has examined them yet. To examine them: ${PROGRAM} check${dataOption(dataDir)}`,
    );
  }
  const { begunAt, endedAt } = scrub;
  const at = endedAt ?? begunAt ?? firstKeyAt ?? now;
  if (now - at > MAX_EXAMINATION_DAYS * DAY_MS)
    return bad(
      `${data} The examination of all records has not ended since ${formatTime(at)}. Keep the gateway running, and look for the cause in its log.`,
    );
  if (begunAt === null) return good(`${data} A gateway examines all records once a week, and has not begun yet.`);
  return good(
    endedAt === null
      ? `${data} An examination of all records began at ${formatTime(begunAt)} and has not ended yet.`
      : `${data} The last examination of all records ended at ${formatTime(endedAt)}.`,
  );
}

function sayDisk(disk: DiskState | null): Said {
  if (disk === null) return good('The system does not report the free space of the disk.');
  const { freeBytes, totalBytes, daysLeft, isLow } = disk;
  const lasts = daysLeft === null || daysLeft > MAX_TOLD_DISK_DAYS ? '' : `, enough for about ${daysLeft} days`;
  return { sentence: `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free${lasts}.`, isBad: isLow };
}

function sayCertificate({ certificates: { certificate, authority } }: StoreFacts): Said {
  const ends = [
    certificate && `The certificate expires at ${formatTime(certificate.expiresAt)}.`,
    authority && `The gateway’s certificate authority expires at ${formatTime(authority.expiresAt)}.`,
  ].filter((end) => end !== null);
  return good(ends.length === 0 ? 'There is no certificate: the gateway uses only HTTP.' : ends.join(' '));
}

/**
 * Leaves out lanes that nobody expects to forward: lanes whose stop a person has marked, and lanes without an upstream, unless a task
 * says that it was forgotten.
 */
function sayWaiting({ lanes, tasks }: StoreFacts, now: number, dataDir: string): Said {
  const stops = tasks.filter(({ fact }) => fact.kind === 'upstream_stopped');
  const isExpected = (lane: LaneStatus): boolean => {
    const stop = stops.find((task) => isAbout(lane, task));
    return stop === undefined ? lane.url !== null : stop.isOpen;
  };
  const [oldest] = lanes
    .filter(isExpected)
    .flatMap((lane) => (lane.oldestWaitingAt === null ? [] : [{ lane, at: lane.oldestWaitingAt }]))
    .toSorted((a, b) => a.at - b.at);
  if (oldest === undefined) {
    const left = lanes.reduce((sum, { waiting }) => sum + waiting, 0);
    return good(
      left === 0
        ? 'No record waits for an upstream.'
        : `No record waits that should be forwarded now. On lanes without an upstream, or whose stop is marked: ${left} waiting.`,
    );
  }
  const waits = `The oldest waiting record has waited since ${formatTime(oldest.at)} (${nameOfLane(oldest.lane)}).`;
  // A record can also wait on a lane that forwards other records. Then no task says so.
  return now - oldest.at < LINE_DOWN_MS
    ? good(waits)
    : bad(`${waits} To see why: ${PROGRAM} records${dataOption(dataDir)} --delivery waiting`);
}

function sayLane(lane: LaneStatus): Said {
  const { state, url, since, cause, waiting, held, delivered } = lane;
  const called = url === null ? 'no upstream' : state;
  const from = url === null || since === null ? '' : ` since ${formatTime(since)}`;
  const why = url === null || cause === null ? '' : ` ${causeSentence(cause)}`;
  return {
    sentence: `${nameOfLane(lane)}: ${called}${from}; ${waiting} waiting, ${held} held, ${delivered} delivered.${why}`,
    // Restored data are not forwarded before a person confirms this. As a pause, this would become a task only hours later.
    isBad: url !== null && cause?.code === 'restored',
  };
}

/** A short failure ends without a person's help. So only a lasting one needs attention. */
function sayAlerts({ receivers }: StoreFacts, now: number, dataDir: string): Said {
  const failing = receivers.flatMap(({ settings: { name }, state }) =>
    state.failing === null || now - state.failing.since < LINE_DOWN_MS ? [] : [{ name, ...state.failing }],
  );
  if (receivers.length === 0) return good('No receiver of alerts is set up.');
  if (failing.length === 0) return good('No receiver misses alerts.');
  // Leaves out the detail, because another server has written it.
  const sentences = failing.map(
    ({ name, since, code }) =>
      `${name} has missed alerts since ${formatTime(since)}. ${alertFaultSentence({ code, detail: null }, dataDir)}`,
  );
  return bad(sentences.join(' '));
}

function nameOfLane({ administration, mode, interface: by }: LaneName): string {
  return `${administration}, ${mode}, ${by}`;
}

/** Whether a task is about the forwarding of this lane. */
function isAbout({ journalId, interface: by }: LaneStatus, { journal, fact }: TaskView): boolean {
  return journal?.id === journalId && 'interface' in fact && fact.interface === by;
}

/** A lane without an upstream and without records is left out: most stores use only one interface. */
function isUsed({ url, waiting, held, delivered, setAside }: LaneStatus): boolean {
  return url !== null || waiting + held + delivered + setAside > 0;
}
