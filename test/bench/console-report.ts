/**
 * The result of the console benchmark as Markdown: the machine and the command, then the performance targets, then tables with
 * the measurements.
 */
import type { FilterCost } from './console-filters.ts';
import type { Scrolling } from './console-window.ts';
import {
  type ConsoleResult,
  type IntakeBesideReport,
  pacedPerSecond,
  type PaintReport,
  type WindowReport,
} from './console.ts';
import { median } from './machine.ts';
import { formatErrors, formatPart, formatRun, ms, percent, rate, table } from './report.ts';

export function formatConsole(result: ConsoleResult): string {
  const { pace, records } = result.options;
  const { added, seconds } = result.filled;
  const sections = [
    '# The console',
    ...formatRun(
      result,
      `median of ${pace.rounds} rounds of ${pace.seconds} s, in turns; paint in three times the number of rounds`,
    ),
    `${rate(records)} records in the store, of which this run filled ${rate(added)} in ${seconds.toFixed(0)} s.`,
    '## Bars',
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## Time to the first meaningful content',
    ...formatPart(result.paint, formatPaint),
    '## The first page of each filter',
    ...formatPart(result.filters, formatFilters),
    '## Scrolling',
    ...formatPart(result.scrolling, formatScrolling),
    '## Cost of an open window',
    ...formatPart(result.window, formatWindows),
    '## Intake beside a window',
    ...formatPart(result.intake, formatIntakeBeside),
  ];
  return `${sections.join('\n\n')}\n`;
}

function formatPaint(reports: PaintReport[]): string[] {
  const row = ({ screen, rounds }: PaintReport) => [screen, ms(median(rounds)), ms(Math.max(...rounds))];
  return [
    table(['Screen', 'ms', 'maximum'], reports.map(row)),
    'Time to the sentence of Today, or to the 16th row of Records, in a window with an empty cache.',
  ];
}

function formatFilters(costs: FilterCost[]): string[] {
  const row = ({ name, medianMs, mostMs, rows, total, isWhole }: FilterCost) => [
    name,
    ms(medianMs),
    ms(mostMs),
    isWhole ? String(rows) : `${rows}, more`,
    total === null ? '–' : rate(total),
  ];
  return [
    table(['Filter', 'ms', 'maximum', 'rows', 'total'], costs.map(row)),
    'Over HTTP on one open connection, pages of 100. "more": the search stopped at its time limit, and the next page continues.',
  ];
}

function formatScrolling({ frames, blankFrames, longestFrameMs, rows, seconds }: Scrolling): string[] {
  return [
    `${rate(rows)} rows in ${seconds} s, ${frames} frames, the longest ${longestFrameMs.toFixed(0)} ms: ${blankFrames} of them with a blank row.`,
  ];
}

function formatWindows(reports: WindowReport[]): string[] {
  const row = ({ screen, busy, idle, perSecond, errors }: WindowReport) => [
    screen,
    percent(median(busy)),
    busy.map(percent).join(', '),
    percent(median(idle)),
    rate(perSecond),
    formatErrors(errors),
  ];
  return [
    table(
      ['Screen', `share of a core, ${rate(pacedPerSecond)} records/s`, 'rounds', 'at rest', 'records/s', 'errors'],
      reports.map(row),
    ),
    'All processes of the browser together, from /proc. A bar counts only if intake reached nine tenths of the pace.',
  ];
}

function formatIntakeBeside(reports: IntakeBesideReport): string[] {
  const [alone] = reports;
  const row = ({ window, paced, full, others, errors }: IntakeBesideReport[number]) => [
    window,
    rate(median(paced)),
    (median(paced) / median(alone?.paced ?? [])).toFixed(2),
    rate(median(full)),
    (median(full) / median(alone?.full ?? [])).toFixed(2),
    full.map(rate).join(' / '),
    percent(others),
    formatErrors(errors),
  ];
  return [
    table(
      ['Window on', `of ${rate(pacedPerSecond)}/s`, '× none', 'at full load', '× none', 'rounds', 'others', 'errors'],
      reports.map(row),
    ),
    '"others": maximum share of the machine that neither gateway nor generator used at full load, including the browser. At full load no processor time is left, so a window takes its time from intake.',
  ];
}
