// The output of a replay for people: its progress while it runs, and a short summary at its end.

import type { Part, Sales } from './sales.ts';
import type { ReplaySummary, Tally } from './summary.ts';

/**
 * Shows progress on stderr. A terminal shows one line that changes; other outputs get a new line every few seconds. Returns a
 * function that ends the display.
 */
export function showProgress(tally: Tally, sales: Sales): () => void {
  const { isTTY } = process.stderr;
  const write = (): void => {
    const line = formatProgress(tally, sales.fractionRead());
    process.stderr.write(isTTY ? `\r\u001b[K${line.slice(0, process.stderr.columns - 1)}` : `${line}\n`);
  };
  const timer = setInterval(write, isTTY ? 200 : 5000);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r\u001b[K');
  };
}

function formatProgress(tally: Tally, fraction: number): string {
  const { sales, answers, retries, seconds, rate } = tally.summarize();
  const trouble = tally.trouble();
  const parts = [
    `${Math.floor(fraction * 100)} %`,
    `${count(sales)} sales`,
    formatCounts(answers),
    `${count(rate)}/s`,
    `${Math.round(seconds)} s`,
    ...(total(retries) === 0 ? [] : [`${count(total(retries))} retries`]),
    ...(trouble === undefined ? [] : [`trying again after ${trouble}`]),
  ];
  return parts.join(' · ');
}

/** The summary of a replay in words. `part` is the replayed part of the file, or undefined for the whole file. */
export function formatSummary(summary: ReplaySummary, part?: Part): string {
  const {
    sales,
    duplicates,
    changed,
    answers,
    refused,
    retries,
    repeated,
    unanswered,
    unexpected,
    faults,
    seconds,
    rate,
  } = summary;
  const lines = [
    `Sent      ${count(sales)} sales, ${count(duplicates)} of them again unchanged, ${count(changed)} again with one value changed`,
    `Answered  ${formatCounts(answers)}`,
    `Refused   ${formatCounts(refused)}`,
    `Retries   ${formatCounts(retries)}`,
    `Took      ${seconds.toFixed(1)} s, ${count(rate)} answers per second`,
  ];
  if (repeated > 0)
    lines.push(
      `${count(repeated)} sales were IGNORED because a retry repeated them after their answer was lost, which is right.`,
    );
  if (unanswered > 0) lines.push(`${count(unanswered)} calls were given up without an answer.`);
  if (faults.length > 0)
    lines.push(
      `Not as expected: ${count(unexpected)} answers, ${count(total(refused))} refusals, among them:`,
      ...faults.map((fault) => `  ${fault}`),
    );
  const isRight = unexpected === 0 && total(refused) === 0;
  const [whole, begun] =
    part === undefined
      ? ['The whole file', 'it']
      : [`Part ${part.nth}/${part.of} of the file`, `its part ${part.nth}/${part.of}`];
  lines.push(
    `${summary.complete ? whole : `Stopped before the end of the file; up to there ${begun}`} was replayed, and ${isRight ? 'everything' : 'NOT everything'} came out as expected.`,
  );
  return lines.join('\n');
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const names = Object.keys(counts);
  return names.length === 0 ? 'none' : names.map((name) => `${name} ${count(counts[name] ?? 0)}`).join(' · ');
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, value) => sum + value, 0);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
