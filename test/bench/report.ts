/**
 * The result of the intake benchmark as Markdown: the machine and the command, then the performance targets, then tables with
 * the measurements.
 */
import { disturbedShare, type Summary } from './comparison.ts';
import type { Footprint } from './footprint.ts';
import type { Comparison, IntakeResult, Part } from './intake.ts';
import type { Cost } from './query-cost.ts';
import type { ComparedQueries, SizesReport } from './store-size.ts';
import { bareExpressName, ceilingName } from './subjects.ts';

export function formatIntake(result: IntakeResult): string {
  const { options } = result;
  const sections = [
    '# Intake',
    ...formatRun(result, `median of ${options.pace.rounds} rounds of ${options.pace.seconds} s, subjects in turns`),
    '## Bars',
    ...warnOfDisturbance(result),
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## Compared with alternatives',
    ...formatPart(result.comparison, formatComparison),
    '## Start and memory',
    ...formatPart(result.footprint, formatFootprint),
    '## As the store grows',
    ...formatPart(result.sizes, formatSizes),
    ...(options.before === undefined ? [] : formatPart(result.queriesBefore, formatComparedQueries)),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The part of a report that says what was run, where and how. */
export function formatRun(
  { command, startedAt, gateway, machine }: Pick<IntakeResult, 'command' | 'startedAt' | 'gateway' | 'machine'>,
  eachFigure: string,
): string[] {
  const { cpu, cores, memoryGb, kernel, node, busyBefore, fileSystem, fsync } = machine;
  return [
    table(
      ['', ''],
      [
        ['Command', `\`${command}\``],
        ['Started', startedAt],
        ['Gateway', gateway],
        ['Machine', `${cpu}, ${cores} cores, ${memoryGb} GB; ${kernel}; Node ${node}`],
        ['In use before the run', percent(busyBefore)],
        ['Data folder', `${fileSystem}, append + fsync ${ms(fsync.p50)} ms (p99 ${ms(fsync.p99)})`],
        ['Each figure', eachFigure],
      ],
    ),
    ...(fileSystem === 'tmpfs'
      ? ['**The data folder is in memory: syncs cost nothing here. Set TMPDIR to a disk.**']
      : []),
  ];
}

function warnOfDisturbance({ comparison, sizes }: IntakeResult): string[] {
  const rows = [
    ...(comparison.kind === 'measured' ? comparison.value.rows : []),
    ...(sizes.kind === 'measured' ? [sizes.value.empty, sizes.value.largest] : []),
  ];
  const most = Math.max(0, ...rows.map((row) => row.summary.others ?? 0));
  if (most <= disturbedShare) return [];
  return [`**Other programs used up to ${percent(most)} of the machine. Repeat the run on a quiet machine.**`];
}

export function formatPart<Value>(part: Part<Value>, format: (value: Value) => string[]): string[] {
  return part.kind === 'measured' ? format(part.value) : [`not run: ${part.reason}`];
}

function formatComparison({ rows, absent }: Comparison): string[] {
  const counts = [...new Set(rows.map((row) => row.connections))];
  const tables = counts.flatMap((connections) => {
    const group = rows.filter((row) => row.connections === connections);
    const base = group.find((row) => row.name === bareExpressName)?.summary;
    return [
      `### ${connections} connection${connections === 1 ? '' : 's'}`,
      table(
        [
          'Subject',
          'records/s',
          '× Express',
          'p50 ms',
          'p99 ms',
          'p99 × Express',
          'CPU µs',
          'generator busy',
          'others',
          'spread',
          'errors',
        ],
        [
          ...group.map(({ name, summary }) => formatRow(name, summary, base)),
          ...absent.map(({ name, reason }) => [name, `not run: ${reason}`, ...Array<string>(9).fill('')]),
        ],
      ),
    ];
  });
  return [...tables, ...formatNotes(rows.filter((row) => row.name === ceilingName))];
}

function formatRow(name: string, summary: Summary, base: Summary | undefined): string[] {
  return [
    name,
    rate(summary.perSecond),
    base === undefined ? '–' : (summary.perSecond / base.perSecond).toFixed(2),
    ms(summary.p50),
    ms(summary.p99),
    base === undefined ? '–' : (summary.p99 / base.p99).toFixed(2),
    summary.subjectCpu === null ? '–' : summary.subjectCpu.toFixed(0),
    percent(summary.generatorBusy),
    percent(summary.others),
    percent(summary.spread),
    formatErrors(summary.errors),
  ];
}

function formatNotes(ceiling: Comparison['rows']): string[] {
  const most = ceiling.toSorted((a, b) => b.summary.perSecond - a.summary.perSecond)[0];
  const reached = most === undefined ? '' : ` Its maximum here is ${rate(most.summary.perSecond)} records/s.`;
  return [
    [
      `The generator is a separate process with one request in flight per connection, the same for every row.${reached} If it is busy`,
      'close to 100 %, the row measures the generator and not the subject. "CPU µs" is processor time of the subject per record, all',
      'threads; "others" is the share of the machine that other programs used in the worst round (a few per cent are the',
      'system itself; a round above 10 % is repeated at most twice, and the least disturbed round counts); "spread" is (largest − smallest) ÷ median of the rounds. Redis (`SET id body NX`, `appendfsync always`) and PostgreSQL (one prepared',
      '`INSERT … ON CONFLICT DO NOTHING` per transaction, fsync and synchronous_commit on, checkpoints outside the run) speak',
      'their own protocols over loopback, with the same generator: no HTTP, no JSON, no key to check. Bare Express uses its default settings with express.json().',
    ].join('\n'),
  ];
}

function formatFootprint(footprint: Footprint): string[] {
  return [
    table(
      ['', ''],
      [
        ['Start to ready, new data folder', `${footprint.firstStartMs.toFixed(0)} ms`],
        ['Start to ready, empty store', `${footprint.emptyStartMs.toFixed(0)} ms`],
        ['Resident at rest, 2 s after ready', megabytes(footprint.restMb)],
        ['Resident under load, 64 connections, maximum', megabytes(footprint.loadMb)],
        ['Records/s of that load', `${rate(footprint.load.perSecond)}, errors: ${formatErrors(footprint.load.errors)}`],
      ],
    ),
  ];
}

function formatSizes({ sizes, empty, largest, loadMb }: SizesReport): string[] {
  const line = (name: string, cell: (size: SizesReport['sizes'][number]) => string) => [name, ...sizes.map(cell)];
  const pages = (name: string) => (cost: Cost & { page: number }) => `${name} ${cost.page}: ${formatCost(cost)}`;
  return [
    table(
      ['', ...sizes.map((size) => `${size.records / 1e6} million`)],
      [
        line('Count over 1 day', ({ queries }) => formatCost(queries.countDay)),
        line('Count over 32 days', ({ queries }) => formatCost(queries.countMonth)),
        line('First page of 500 over 32 days', ({ queries }) => formatCost(queries.firstPage)),
        line('Deep page', ({ queries }) => pages('page')(queries.deepPage)),
        line('Last full page', ({ queries }) => pages('page')(queries.lastPage)),
        line('Walking to the deep page', ({ queries }) => formatCost(queries.walk)),
        line('Records counted, day / 32 days', ({ queries }) => `${queries.counted.day} / ${queries.counted.month}`),
        line('Start to ready', (size) => `${size.startMs.toFixed(0)} ms`),
        line('Resident at rest', (size) => megabytes(size.restMb)),
        line('Filled by this run', ({ filled }) => `${filled.added} in ${filled.seconds.toFixed(0)} s`),
      ],
    ),
    'Milliseconds over HTTP on one open connection, median of the calls. The time that the gateway measures in its store is in brackets.',
    table(
      ['Intake, 64 connections', 'records/s', 'p50 ms', 'p99 ms', 'spread', 'errors'],
      [empty, largest].map(({ name, summary }) => [
        name,
        rate(summary.perSecond),
        ms(summary.p50),
        ms(summary.p99),
        percent(summary.spread),
        formatErrors(summary.errors),
      ]),
    ),
    `Maximum resident memory under that load on the largest store: ${megabytes(loadMb)}.`,
  ];
}

function formatComparedQueries({ records, queries }: ComparedQueries): string[] {
  return [
    table(
      [`${records / 1e6} million records`, 'ms', 'ms before', '×', 'lowest and highest × of a round'],
      queries.map(({ name, ms: own, beforeMs, ...query }) => [
        name,
        ...[own, beforeMs, query.ratio].map((value) => value.toFixed(3)),
        `${query.lowest.toFixed(3)}–${query.highest.toFixed(3)}`,
      ]),
    ),
  ];
}

function formatCost(cost: Cost): string {
  return cost.storeMs === null ? ms(cost.ms) : `${ms(cost.ms)} (${ms(cost.storeMs)})`;
}

export function formatErrors(errors: Record<string, number>): string {
  const listed = Object.entries(errors).map(([reason, count]) => `**${count} × ${reason.replaceAll('|', '/')}**`);
  return listed.length === 0 ? '0' : listed.join(', ');
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

export function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US');
}

export function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(0)} %`;
}

export function megabytes(value: number | null): string {
  return value === null ? 'not run: there is no /proc' : `${value.toFixed(0)} MB`;
}
