/** The result of the benchmark of a noisy till as Markdown: the machine and the command first, then the bar, then the table behind it. */
import { loops, type NoisyResult, type NoisyRow, perSecond } from './noisy.ts';
import { formatErrors, formatPart, formatRun, ms, table } from './report.ts';

export function formatNoisy(result: NoisyResult): string {
  const { rounds, seconds } = result.options.pace;
  const sections = [
    '# A noisy till',
    ...formatRun(result, `median of ${rounds} rounds of ${seconds} s, alone and beside the noisy till in turns`),
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
  return [
    table(
      ['', 'p50 ms', 'p99 ms', 'p99 × alone', 'most ms', 'errors'],
      rows.flatMap(({ name, alone, noisy }) =>
        (
          [
            [`${name}, alone`, alone],
            [`${name}, beside the noisy till`, noisy],
          ] as const
        ).map(([label, { p50, p99, max, errors }]) => [
          label,
          ms(p50),
          ms(p99),
          (p99 / alone.p99).toFixed(2),
          ms(max),
          formatErrors(errors),
        ]),
      ),
    ),
    ...rows.map(
      ({ name, bytes, answers }) =>
        `${name}: one till sends ${perSecond} sales a second on one connection. The noisy one resends a sale of ${Math.round(bytes / 1000)} kB with other content in ${loops} loops, without waiting; it was answered ${formatAnswers(answers)}.`,
    ),
  ];
}

function formatAnswers(answers: Record<string, number>): string {
  const listed = Object.entries(answers).map(([status, count]) => `${status} ${count} times`);
  return listed.length === 0 ? 'nothing yet' : listed.join(', ');
}
