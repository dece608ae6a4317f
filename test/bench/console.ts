/**
 * The console benchmark: time to show a screen, time per filter, smooth scrolling, and the cost of an open window for the
 * machine and the tills. If a part cannot run, the result states the reason and the other parts still run.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { atLeast, atMost, type Bar, findClean, ratio } from './bars.ts';
import { measureIntake, type Pace } from './comparison.ts';
import { type ConsoleSession, enterConsole, type FilterCost, measureFilters } from './console-filters.ts';
import { type ConsoleStore, fillConsoleStore } from './console-store.ts';
import {
  type Chromium,
  measurePaint,
  measureScrolling,
  openWindow,
  records as recordsScreen,
  type Screen,
  type Scrolling,
  startChromium,
  today,
} from './console-window.ts';
import { startGateway } from './gateway.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import type { LoadReport } from './load.ts';
import { median } from './machine.ts';
import { asSubject, gatewayName } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export const consoleParts = ['paint', 'filters', 'scrolling', 'window', 'intake'] as const;

export type ConsoleOptions = {
  pace: Pace;
  /** Records in the store. */
  records: number;
  only: (typeof consoleParts)[number] | undefined;
  /** Folder that keeps the filled store for the next run. */
  store: string | undefined;
};

/** `rounds` has the milliseconds to show the screen, one number for each round. */
export type PaintReport = { screen: string; rounds: number[] };
/** The processor time of a window, as shares of one core. */
export type WindowReport = {
  screen: string;
  idle: number[];
  busy: number[];
  perSecond: number;
  errors: LoadReport['errors'];
};
export type IntakeBesideReport = {
  window: string;
  /** Records stored per second in every round, while 5,000 per second were sent. */
  paced: number[];
  /** Records stored per second in every round, at full load. */
  full: number[];
  /** Maximum share of the machine that other processes used, including the window. */
  others: number;
  errors: LoadReport['errors'];
}[];

export type ConsoleResult = Run & {
  options: ConsoleOptions;
  filled: ConsoleStore['filled'];
  paint: Part<PaintReport[]>;
  filters: Part<FilterCost[]>;
  scrolling: Part<Scrolling>;
  window: Part<WindowReport[]>;
  intake: Part<IntakeBesideReport>;
  bars: Bar[];
};

const screens: readonly Screen[] = [today, recordsScreen];
export const pacedPerSecond = 5000;
const connections = 64;
const settleMs = 1500;

/** Runs the selected parts within the workspace; writes progress to stderr. */
export async function runConsole(
  workspace: Workspace,
  options: ConsoleOptions,
  command: string,
): Promise<ConsoleResult> {
  const run = await describeRun(workspace, command);
  const runPart = createPartRunner(options.only);
  const { pace } = options;
  const { data, tokens, filled } = await fillConsoleStore(workspace, options.records, options.store);
  const gateway = await startGateway(workspace, data);
  const session = await enterConsole(gateway);
  const intake = asSubject(gatewayName, gateway, tokens);
  const load: Load = (seconds, perSecond) => measureIntake(workspace, intake, connections, seconds, perSecond);
  await load(1, pacedPerSecond); // creates sales of today

  let started: Promise<Chromium> | undefined;
  const inChromium = async <Value>(measure: (running: Chromium) => Promise<Value>): Promise<Value> =>
    measure(await (started ??= startChromium(workspace)));
  const filters = await runPart('filters', () => measureFilters(session));
  const paint = await runPart('paint', () => inChromium((running) => measurePaints(running, session, pace.rounds)));
  const scrolling = await runPart('scrolling', () =>
    inChromium((running) => measureScroll(running, session, pace.seconds * 2)),
  );
  const window = await runPart('window', () => inChromium((running) => measureWindows(running, session, pace, load)));
  const beside = await runPart('intake', () => inChromium((running) => compareWindows(running, session, pace, load)));
  await started?.then((running) => running.close()).catch(() => undefined);
  await gateway.stop();
  const measured = { paint, filters, scrolling, window, intake: beside };
  return { ...run, options, filled, ...measured, bars: judgeConsole(options, measured) };
}

/** Measures all screens several times in rounds, each screen once per round. The first round does not count. */
async function measurePaints(running: Chromium, session: ConsoleSession, rounds: number): Promise<PaintReport[]> {
  const reports = screens.map((screen) => ({ screen, rounds: [] as number[] }));
  for (let round = -1; round < rounds * 3; round += 1) {
    for (const { screen, rounds: measured } of reports) {
      const ms = await measurePaint(running, session, screen);
      if (round >= 0) measured.push(ms);
    }
  }
  return reports.map((report) => ({ ...report, screen: report.screen.name }));
}

async function measureScroll(running: Chromium, session: ConsoleSession, seconds: number): Promise<Scrolling> {
  const window = await openWindow(running, session);
  try {
    return await measureScrolling(window, seconds);
  } finally {
    await window.close();
  }
}

type Load = (seconds: number, perSecond?: number) => Promise<LoadReport>;

/** Processor time of a window, with and without incoming records. */
async function measureWindows(
  running: Chromium,
  session: ConsoleSession,
  { rounds, seconds }: Pace,
  load: Load,
): Promise<WindowReport[]> {
  const reports: WindowReport[] = [];
  for (const screen of screens) {
    const window = await openWindow(running, session);
    await window.open(screen);
    const report: WindowReport = { screen: screen.name, idle: [], busy: [], perSecond: 0, errors: {} };
    const rates: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await delay(settleMs);
      report.idle.push(await shareDuring(window, () => delay(seconds * 1000)));
      let measured: LoadReport | undefined;
      // The processor time includes the warm-up, because records arrive during the warm-up too.
      report.busy.push(
        await shareDuring(window, async () => {
          measured = await load(seconds, pacedPerSecond);
        }),
      );
      rates.push(measured?.perSecond ?? 0);
      Object.assign(report.errors, measured?.errors);
      process.stderr.write(
        `round ${round}, ${screen.name}: ${percentOf(report.busy)} of a core at ${Math.round(rates.at(-1) ?? 0)} records/s, ${percentOf(report.idle)} at rest\n`,
      );
    }
    await window.close();
    reports.push({ ...report, perSecond: median(rates) });
  }
  return reports;
}

const percentOf = (shares: number[]): string => `${((shares.at(-1) ?? 0) * 100).toFixed(0)} %`;

async function shareDuring(window: { readCpuSeconds(): number }, doing: () => Promise<unknown>): Promise<number> {
  const [startedAt, before] = [performance.now(), window.readCpuSeconds()];
  await doing();
  return (window.readCpuSeconds() - before) / ((performance.now() - startedAt) / 1000);
}

/**
 * Compares intake without a window to intake with a window on each screen. The cases alternate. Intake runs at the pace of a
 * busy chain and at full load.
 */
async function compareWindows(
  running: Chromium,
  session: ConsoleSession,
  { rounds, seconds }: Pace,
  load: Load,
): Promise<IntakeBesideReport> {
  const cases = [undefined, ...screens].map((screen) => ({
    screen,
    paced: [] as number[],
    full: [] as number[],
    others: [] as number[],
    errors: {},
  }));
  await load(1);
  for (let round = 0; round < rounds; round += 1) {
    for (const each of [...cases.slice(round % cases.length), ...cases.slice(0, round % cases.length)]) {
      const window = await openWindow(running, session);
      if (each.screen !== undefined) await window.open(each.screen);
      await delay(settleMs);
      const paced = await load(seconds, pacedPerSecond);
      const full = await load(seconds);
      each.paced.push(paced.perSecond);
      each.full.push(full.perSecond);
      each.others.push(full.others ?? 0);
      Object.assign(each.errors, paced.errors, full.errors);
      await window.close();
      const rates = `${Math.round(paced.perSecond)} of ${pacedPerSecond} records/s, ${Math.round(full.perSecond)} at full load`;
      process.stderr.write(`round ${round + 1}, ${each.screen?.name ?? 'no window'}: ${rates}\n`);
    }
  }
  return cases.map(({ screen, paced, full, others, errors }) => ({
    window: screen?.name ?? 'none',
    paced,
    full,
    others: Math.max(...others),
    errors,
  }));
}

/** True if the machine kept the intended pace. Otherwise, the processor time of a window is not valid. */
function isPaced({ perSecond }: WindowReport): boolean {
  return perSecond >= 0.9 * pacedPerSecond;
}

type Measured = Pick<ConsoleResult, 'paint' | 'filters' | 'scrolling' | 'window' | 'intake'>;

function judgeConsole({ records }: ConsoleOptions, measured: Measured): Bar[] {
  const at = `at ${(records / 1e6).toLocaleString('en-US')} million records`;
  const paints = valueOf(measured.paint);
  const windows = valueOf(measured.window);
  const slowest = valueOf(measured.filters)?.map(({ medianMs }) => medianMs);
  const besides = valueOf(measured.intake)?.map((each) => findClean({ ...each, perSecond: median(each.paced) }));
  const [alone] = besides ?? [];
  return [
    ...screens.map(({ name }) => {
      const rounds = paints?.find(({ screen }) => screen === name)?.rounds;
      return atMost(1000, `ms from navigating to ${name}, ${at}`, rounds && median(rounds));
    }),
    atMost(100, `ms, the first page of any filter, ${at}`, slowest && Math.max(...slowest)),
    atMost(0, 'frames with a blank row while scrolling', valueOf(measured.scrolling)?.blankFrames),
    ...screens.map(({ name }) => {
      const window = findClean(windows?.find((each) => each.screen === name && isPaced(each)));
      const share = window && median(window.busy) * 100;
      return atMost(30, `% of a core for a window on ${name} at ${pacedPerSecond} records/s`, share);
    }),
    ...screens.map(({ name }) => {
      const beside = besides?.find((each) => each?.window === name);
      return atLeast(
        0.95,
        `× without a window, intake of ${pacedPerSecond} records/s with one on ${name}`,
        ratio(beside?.perSecond, alone?.perSecond),
      );
    }),
  ];
}
