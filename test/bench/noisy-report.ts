/**
 * The result of the benchmark of a noisy till as Markdown: the machine and the command, then the performance target, then a
 * table with the measurements.
 */
import { loops, type NoisyResult, type NoisyRow, perSecond, phases, type QuietSummary } from './noisy.ts';
import { formatErrors, formatPart, formatRun, ms, table } from './report.ts';

export function formatNoisy(result: NoisyResult): string {
  const { rounds, seconds } = result.options.pace;
  const sections = [
    '# Noisy tills',
    ...formatRun(result, `median of ${rounds} rounds of ${seconds} s, alone and beside noisy tills in turns`),
    '## Bar',
    table(
      ['Bar', 'Measured', ''],
      result.bars.map(({ text, measured, verdict }) => [text, measured, verdict]),
    ),
    '## Changed resends',
    ...formatPart(result.resends, formatRows),
  ];
  return `${sections.join('\n\n')}\n`;
}

function formatRows(rows: NoisyRow[]): string[] {
  const cellsOf = (name: string, till: string, summaries: QuietSummary[]): string[][] =>
    summaries.map(({ p50, p99, max, errors }, i) => [
      `${name}, ${till}, ${phases[i] === 0 ? 'alone' : `beside ${phases[i]}`}`,
      ms(p50),
      ms(p99),
      (p99 / (summaries[0]?.p99 ?? Number.NaN)).toFixed(2),
      ms(max),
      formatErrors(errors),
    ]);
  return [
    table(
      ['', 'p50 ms', 'p99 ms', 'p99 × alone', 'maximum ms', 'errors'],
      rows.flatMap(({ name, sales, resends }) => [
        ...cellsOf(name, 'sales', sales),
        ...cellsOf(name, 'small changed resends', resends),
      ]),
    ),
    ...rows.map(
      ({ name, bytes, answers }) =>
        `${name}: one till sends ${perSecond} sales a second on one connection; another resends a small sale with other content twenty times a second. Each noisy till resends a sale of ${Math.round(bytes / 1000)} kB with other content in ${loops} loops, without a pause. Their answers: ${formatAnswers(answers)}.`,
    ),
  ];
}

function formatAnswers(answers: Record<string, number>): string {
  const listed = Object.entries(answers).map(([status, count]) => `${status} ${count} times`);
  return listed.length === 0 ? 'none' : listed.join(', ');
}
