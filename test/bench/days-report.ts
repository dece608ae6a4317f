/**
 * The result of the benchmark of store days as Markdown: the machine and the command, then the performance targets, then tables
 * with the measurements.
 */
import type { Asked, FindingReport } from './days-finding.ts';
import type { Cost, OverviewReport } from './days-overview.ts';
import type { DaysResult } from './days.ts';
import { formatPart, formatRun, ms, rate, table } from './report.ts';

export function formatDays(result: DaysResult): string {
  const sections = [
    '# Store days',
    ...formatRun(result, 'requests of one run; milliseconds of 20 calls after one warm-up call'),
    '## Bars',
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## Finding one missing sale',
    ...formatPart(result.finding, formatFinding),
    '## Reading store days',
    ...formatPart(result.overview, formatOverview),
  ];
  return `${sections.join('\n\n')}\n`;
}

function formatFinding({ records, byNumber, byId }: FindingReport): string[] {
  const row = (name: string, { counts, pages, bytes, seconds }: Asked) => [
    name,
    rate(counts),
    rate(pages),
    (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1),
    seconds.toFixed(1),
  ];
  return [
    table(
      ['', 'counts', 'pages', 'MB read', 'seconds'],
      [row('by counts, until it is found', byNumber), row('by ids, until it is found', byId)],
    ),
    `${rate(records)} records in a month of 31 store days, one of them missing upstream. To list them all would be at least ${rate(Math.ceil(records / 500))} pages; a comparison of ids does that day by day. The upstream is a separate process on loopback. Its own time is part of the seconds.`,
  ];
}

function formatOverview({ records, filled, counted, costs }: OverviewReport): string[] {
  const row = ({ name, days, medianMs, mostMs }: Cost) => [name, rate(days), ms(medianMs), ms(mostMs)];
  return [
    table(['', 'days', 'ms', 'maximum'], costs.map(row)),
    `${rate(records)} records in the store, of which this run filled ${rate(filled.added)} in ${filled.seconds.toFixed(0)} s; the days count ${rate(counted)} of them. Each day begins at 04:00 in Europe/Amsterdam, was compared twice and is signed.`,
  ];
}
