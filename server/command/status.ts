// `counterfoil status`: problems first, then records and forwarding by journal and interface.

import type { Command } from 'commander';

import { causeWithCommand } from '../cause.ts';
import type { ArchiveSummary } from '../contract/archive.ts';
import { type Interface, INTERFACES, type StatusCounts, STATUSES } from '../contract/codes.ts';
import type { NetworkView } from '../contract/network.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { PROGRAM } from '../program.ts';
import { isOwned } from '../store/data-directory.ts';
import type { LaneStatus } from '../store/outbox/ledger.ts';
import type { JournalCounts } from '../store/records/ledger.ts';
import type { Store } from '../store/store.ts';
import { archiveProblems, describeArchive } from './archive.ts';
import { readTelling, type Telling } from './health.ts';
import { closedNote, failureSentence } from './network-report.ts';
import { readRunningNetwork } from './network-state.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  optionsOfLane,
  printJson,
  printTable,
  shownOptions,
  withCommonOptions,
  withStore,
} from './output.ts';

export function bindStatus(program: Command): void {
  withCommonOptions(
    program
      .command('status')
      .description(
        'show problems, then records and forwarding by administration, mode and interface; exits with 1 for a serious problem of the gateway, its disk or its clock',
      ),
  ).action(showStatus);
}

interface Status {
  readonly journals: readonly JournalCounts[];
  readonly lanes: readonly LaneStatus[];
  readonly problems: Telling['problems'];
  readonly archive: ArchiveSummary;
  /** Whether a gateway runs on these data. */
  readonly isRunning: boolean;
  /** The network of the running gateway; undefined if none runs, or if it is of an earlier version. */
  readonly network: NetworkView | undefined;
}

export async function readStatus(store: Store, dataDir: string): Promise<Status> {
  return {
    journals: await store.records.countStatuses(),
    lanes: await store.outbox.listLaneStatus(),
    problems: (await readTelling(store, dataDir)).problems,
    archive: await store.archive.readSummary(),
    isRunning: isOwned(dataDir),
    network: readRunningNetwork(dataDir),
  };
}

/** The status for JSON. */
export function describeStatus({ journals, lanes, problems, archive, network }: Status, options: CommonOptions) {
  return {
    problems: problems.map(({ code, sentence }) => ({ code, sentence })),
    archive: describeArchive(archive),
    network: network === undefined ? null : describePlaces(network),
    // `records` counts only records of the current interface. A till gets the same numbers when it queries the gateway.
    journals: journals.map(({ records, ...journal }) => ({
      ...journal,
      records: records.current,
      lane: describeLane(findLane(lanes, journal, 'current'), options),
      earlierRecords: records.earlier,
      earlierLane: describeLane(findLane(lanes, journal, 'earlier'), options),
    })),
  };
}

function findLane(
  lanes: readonly LaneStatus[],
  { administration, mode }: Omit<JournalCounts, 'records'>,
  by: Interface,
): LaneStatus | undefined {
  return lanes.find((lane) => lane.administration === administration && lane.mode === mode && lane.interface === by);
}

async function showStatus(options: CommonOptions): Promise<void> {
  const status = await withStore(options, (store) => readStatus(store, dataDirectory(options.data)));
  const { journals, lanes, problems, archive, isRunning, network } = status;
  if (problems.some(({ isSerious }) => isSerious)) process.exitCode = 1;
  if (options.json === true) return printJson(describeStatus(status, options));
  // A wrong clock alone does not count, because the gateway still accepts sales.
  const isLosing = problems.some(({ isSerious, code }) => isSerious && code !== 'clock_wrong');
  const data = dataOption(dataDirectory(options.data));
  for (const { sentence } of problems) console.log(`${sentence}\n`);
  for (const sentence of archiveProblems(archive)) console.log(inert(`${sentence}\n`));
  if (!isRunning) console.log('No gateway runs on these data. Tills cannot send, and nothing is forwarded.\n');
  if (network !== undefined) for (const line of placeLines(network, data)) console.log(inert(line));
  if (journals.length === 0)
    return console.log(`Nothing is set up yet. To make the first key: ${PROGRAM} keys create${data} --help`);
  const rows = journals
    .flatMap((journal) => INTERFACES.map((by) => ({ journal, by, lane: findLane(lanes, journal, by) })))
    .filter(({ journal: { records }, by, lane }) => by === 'current' || isUsed(records[by], lane));
  printTable(
    [
      'administration',
      'mode',
      'interface',
      ...STATUSES,
      'lane',
      'waiting',
      'held',
      'delivered',
      'oldest waiting',
      'empty in',
    ],
    rows.map(({ journal: { administration, mode, records }, by, lane }) => [
      administration,
      mode,
      by,
      ...STATUSES.map((status) => records[by][status]),
      describeState(lane),
      lane?.waiting ?? 0,
      lane?.held ?? 0,
      lane?.delivered ?? 0,
      formatTime(lane?.oldestWaitingAt ?? null),
      lane === undefined ? '-' : formatDuration(secondsUntilEmpty(lane)),
    ]),
  );
  for (const { journal, by, lane } of rows) {
    if (lane === undefined) continue;
    const name = `${journal.administration} (${journal.mode}, ${by})`;
    const since =
      lane.state === 'running' || lane.url === null || lane.since === null ? '' : `, since ${formatTime(lane.since)}`;
    const laneOptions = optionsOfLane(lane, options);
    const isBlocked = lane.url !== null && lane.cause?.code === 'restored';
    if (lane.cause !== null && (lane.waiting > 0 || lane.held > 0 || isBlocked))
      console.log(
        `${name}${since}: ${causeWithCommand(lane.cause, shownOptions(lane, options))} ${countOf(lane.waiting)}${isLosing ? '' : '; nothing is lost'}.`,
      );
    if (lane.held > 0)
      console.log(
        `${name}: ${lane.held === 1 ? '1 record is held, because the upstream rejected it' : `${lane.held} records are held, because the upstream rejected them`}. List: ${PROGRAM} records${data} --delivery held. Then: ${PROGRAM} upstream send-again or set-aside${laneOptions}.`,
      );
  }
}

/** The addresses that tills can connect to, for JSON. */
function describePlaces({ addresses, localAddress, failures }: NetworkView) {
  return { addresses, localAddress, failures };
}

function placeLines(network: NetworkView, data: string): string[] {
  const { addresses, failures } = network;
  const [first, ...others] = addresses;
  const also = others.length === 0 ? '' : `, or else at ${others.join(', ')}`;
  const where =
    first === undefined
      ? `Only tills on this machine can connect, at ${network.localAddress}. ${closedNote(network, data)}`
      : `Tills connect at ${first}${also}.`;
  return [where, ...failures.map(failureSentence), ''];
}

/**
 * The state of a lane for the table. A lane without an upstream has the stored state `paused`, although nobody paused it. So
 * the table shows `no upstream` instead.
 */
export function describeState(lane: LaneStatus | undefined): string {
  if (lane === undefined) return '-';
  return lane.cause?.code === 'no_upstream' ? 'no upstream' : lane.state;
}

/** Whether to show the row. Unused lanes are hidden, because most stores have no tills of the earlier interface. */
function isUsed(records: StatusCounts, lane: LaneStatus | undefined): boolean {
  return STATUSES.some((status) => records[status] > 0) || (lane !== undefined && lane.cause?.code !== 'no_upstream');
}

function countOf(waiting: number): string {
  return waiting === 1 ? '1 record waits' : `${waiting} records wait`;
}

/**
 * Estimated seconds until no record waits, if the lane keeps its present rate. Null if no record waits, or if nothing is being
 * sent.
 */
function secondsUntilEmpty({ waiting, perSecond }: LaneStatus): number | null {
  return waiting === 0 || perSecond === 0 ? null : Math.ceil(waiting / perSecond);
}

function formatDuration(seconds: number | null): string {
  if (seconds === null) return '-';
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function describeLane(lane: LaneStatus | undefined, options: CommonOptions) {
  if (lane === undefined) return null;
  const text = (at: number | null): string | null => (at === null ? null : formatMilliseconds(at));
  const { state, cause, waiting, held, delivered, setAside, perSecond } = lane;
  return {
    state,
    cause: cause && causeWithCommand(cause, shownOptions(lane, options)),
    since: text(lane.since),
    waiting,
    held,
    delivered,
    setAside,
    oldestWaitingAt: text(lane.oldestWaitingAt),
    lastDeliveryAt: text(lane.deliveredAt),
    perSecond: Math.round(perSecond * 10) / 10,
    secondsUntilEmpty: secondsUntilEmpty(lane),
  };
}
