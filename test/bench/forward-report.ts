/**
 * The result of the forwarding benchmark as Markdown: the machine and the command, then the performance targets, then tables
 * with the measurements.
 */
import type { BacklogReport } from './backlog.ts';
import type { DrainReport, DrainSummary } from './drain.ts';
import type { ForwardResult } from './forward.ts';
import type { BesideReport } from './intake-beside.ts';
import { formatErrors, formatPart, formatRun, megabytes, ms, percent, rate, table } from './report.ts';

export function formatForward(result: ForwardResult): string {
  const { pace } = result.options;
  const sections = [
    '# Forwarding',
    ...formatRun(
      result,
      `median of ${pace.rounds} rounds in turns, intake ${pace.seconds} s each; the large backlog once`,
    ),
    '## Bars',
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## Draining, compared with a bare client',
    ...formatPart(result.drain, formatDrain),
    '## Intake while draining',
    ...formatPart(result.beside, formatBeside),
    '## A large backlog',
    ...formatPart(result.backlog, formatBacklog),
  ];
  return `${sections.join('\n\n')}\n`;
}

function formatDrain({ records, tried, best, bare, gateway }: DrainReport): string[] {
  const row = (name: string, { perSecond, cpu, spread, repeated }: DrainSummary) => [
    name,
    rate(perSecond),
    (perSecond / bare.perSecond).toFixed(2),
    micro(cpu),
    percent(spread),
    String(repeated),
  ];
  return [
    table(
      ['Subject', 'records/s', '× bare', 'CPU µs', 'spread', 'repeated'],
      [row('Counterfoil', gateway), row(`bare undici, ${best} in flight`, bare)],
    ),
    `${records.toLocaleString('en-US')} records each. In a shorter run the bare client reached ${tried
      .map(({ underway, perSecond }) => `${rate(perSecond)}/s with ${underway} in flight`)
      .join(', ')}.`,
  ];
}

function formatBeside({ alone, draining, forwardedPerSecond }: BesideReport): string[] {
  return [
    table(
      ['Intake, 64 connections', 'records/s', 'p50 ms', 'p99 ms', 'errors'],
      (
        [
          ['lane paused', alone],
          ['lane draining', draining],
        ] as const
      ).map(([name, each]) => [name, rate(each.perSecond), ms(each.p50), ms(each.p99), formatErrors(each.errors)]),
    ),
    `Forwarded at the same time: ${rate(forwardedPerSecond)} records/s.`,
  ];
}

function formatBacklog(report: BacklogReport): string[] {
  const count = (records: number) => records.toLocaleString('en-US');
  return [
    table(
      ['Waiting', 'µs per record', 'CPU µs'],
      report.stretches.map(({ from, to, usPerRecord, cpu }) => [
        `${count(from)} to ${count(to)}`,
        usPerRecord.toFixed(0),
        micro(cpu),
      ]),
    ),
    table(
      ['', ''],
      [
        [`Start to first forwarded, ${count(report.records)} waiting`, `${report.firstForwardedMs.toFixed(0)} ms`],
        ['Start to ready', `${report.readyMs.toFixed(0)} ms`],
        ['Resident at rest, nothing waiting', megabytes(report.idleMb)],
        ['Of it file pages', megabytes(report.filePagesMb.idle)],
        ['Resident at rest, line down', megabytes(report.lineDownMb)],
        ['Resident while draining, maximum', megabytes(report.drainingMb)],
        ['Of it file pages', megabytes(report.filePagesMb.draining)],
        ['Repeated', String(report.repeated)],
      ],
    ),
  ];
}

function micro(value: number | null): string {
  return value === null ? '–' : value.toFixed(0);
}
