/**
 * The result of the disk benchmark as Markdown: the machine and the command, then the performance targets, then tables with the
 * measurements.
 */
import { disturbedShare } from './comparison.ts';
import type { ArchiveReport, Times } from './disk-archive.ts';
import type { RestReport } from './disk-rest.ts';
import { describeLoad, type MeasuredSales, type SalesReport } from './disk-sale.ts';
import type { DiskResult } from './disk.ts';
import { formatErrors, formatPart, formatRun, ms, percent, table } from './report.ts';

export function formatDisk(result: DiskResult): string {
  const sections = [
    '# Disk',
    ...formatRun(result, `median of ${result.options.rounds} rounds, subjects in turns`),
    '## Bars',
    ...warnOfDisturbance(result),
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## One sale of half a kilobyte',
    ...formatPart(result.sales, formatSales),
    '## A delivered record at rest',
    ...formatPart(result.rest, formatRest),
    '## An archived record',
    ...formatPart(result.archive, formatArchive),
  ];
  return `${sections.join('\n\n')}\n`;
}

/**
 * Warns if other programs used the machine. Such programs make a till wait longer, so the performance target for that wait is
 * not reliable.
 */
function warnOfDisturbance({ sales }: DiskResult): string[] {
  const rows = sales.kind === 'measured' ? sales.value.rows : [];
  const most = Math.max(0, ...rows.map(({ summary }) => summary.others ?? 0));
  if (most <= disturbedShare) return [];
  return [
    `**Other programs used up to ${percent(most)} of the machine: do not trust p50. Repeat the run on a quiet machine.**`,
  ];
}

function formatSales({ rows, absent }: SalesReport): string[] {
  const loads = [...new Set(rows.map(({ load }) => load))];
  return [
    ...loads.flatMap((load) => [
      `### ${describeLoad(load)}, ${load.sales.toLocaleString('en-US')} sales in a round`,
      table(
        [
          'Subject',
          'kB to disk',
          'kB at the device',
          'pages',
          'commits',
          'pages in a commit',
          'p50 ms',
          'others',
          'errors',
        ],
        [
          ...rows.filter((row) => row.load === load).map(formatRow),
          ...absent.map(({ name, reason }) => [name, `not run: ${reason}`, ...Array<string>(7).fill('')]),
        ],
      ),
    ]),
    [
      'Bytes, pages and commits are per sale; "pages in a commit" is the median. "kB to disk" is `write_bytes` of all processes of',
      'the subject. Linux counts it when a page of its file cache becomes dirty, in whole folios, so it is too high for PostgreSQL.',
      '"kB at the device" is what anyone has written to the block device, so other programs and the journal of the file system',
      'count too. Pages are frames of the write-ahead log. Each figure includes the checkpoints in its time, and everything that the',
      'subject writes until it has been quiet for a second. PostgreSQL makes no checkpoint in this time, and speaks its own protocol',
      'without HTTP.',
    ].join('\n'),
  ];
}

function formatRow({ name, summary }: MeasuredSales): string[] {
  return [
    name,
    ...[summary.bytes, summary.deviceBytes].map((bytes) => number(bytes === null ? null : bytes / 1000)),
    ...[summary.pages, summary.commits, summary.typicalCommit].map(number),
    ms(summary.p50),
    percent(summary.others),
    formatErrors(summary.errors),
  ];
}

function number(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}

function formatRest(reports: RestReport[]): string[] {
  const [own] = reports;
  if (own === undefined) return [];
  const names = [...new Set(reports.flatMap(({ parts }) => parts.map((part) => `${part.kind} ${part.name}`)))];
  const bytes = (value: number | null | undefined) => (value == null ? '–' : value.toFixed(1));
  const line = (name: string, read: (report: RestReport) => number | null | undefined) => [
    name,
    ...reports.map((report) => bytes(read(report))),
  ];
  return [
    table(
      ['Bytes per record', ...reports.map(({ name }) => name)],
      [
        line('**database file**', ({ file }) => file),
        ...names.map((name) =>
          line(name, ({ parts }) => parts.find((part) => `${part.kind} ${part.name}` === name)?.bytes),
        ),
        line('pages of no table or index', ({ rest }) => rest),
        line('not in the file’s figure: the same file without records', ({ empty }) => empty),
        line('**a day later, packed, without free pages**', ({ packed }) => packed),
        line('written to disk until all were delivered', ({ written }) => written),
      ],
    ),
    `${own.records.toLocaleString('en-US')} sales of the bakery, received on 16 connections while they were forwarded. Growth of the database after its write-ahead log was emptied, by SQLite’s \`dbstat\`. New sales use the free pages.`,
  ];
}

function formatArchive(reports: ArchiveReport[]): string[] {
  const line = (name: string, read: (report: ArchiveReport) => number) => [
    name,
    ...reports.map((report) => read(report).toFixed(1)),
  ];
  return [
    table(
      ['Bytes per record', ...reports.map(({ name }) => name)],
      [
        line('database before', ({ before }) => before),
        line('packed, without free pages', ({ packed }) => packed),
        line('database after, without free pages', ({ after }) => after),
        line('archive files', ({ files }) => files),
        line('database and files', ({ after, files }) => after + files),
        line('database file, which does not shrink', ({ file }) => file),
        line('backup of the database after', ({ backup }) => backup),
      ],
    ),
    `${formatTimes('one pack', reports, ({ packMs }) => packMs)} ${formatTimes('one block of a file', reports, ({ blockMs }) => blockMs)}`,
  ];
}

function formatTimes(what: string, reports: ArchiveReport[], read: (report: ArchiveReport) => Times): string {
  const join = (kind: keyof Times) => reports.map((report) => ms(read(report)[kind])).join(' and ');
  return `Time of the writer for ${what}, in ms: median ${join('median')}, longest ${join('longest')}.`;
}
