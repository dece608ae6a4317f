// What is wrong with the gateway or its machine, in one sentence or two each: what, since when, what is safe, what to do. A command,
// the log and standard output say the same. Pure.

import { type ClockFault, type DiskView, type HealthView, MAX_TOLD_DISK_DAYS, type StoreTrouble } from './contract.ts';
import { assertNever } from './errors.ts';
import { PROGRAM } from './program.ts';
import { roomNeeded } from './store/reserve.ts';

export interface Problem {
  readonly code: StoreTrouble['code'] | 'clock_wrong' | 'disk_low';
  readonly sentence: string;
  /** Whether sales or times are at stake now; else there is time. */
  readonly isSerious: boolean;
}

/** How things are as everybody is told: a disk that is full is not nearly full as well, whatever its free space is. */
export function healthOf(seen: HealthView): HealthView {
  const { disk } = seen.machine;
  if (disk === null || seen.trouble?.code !== 'store_full') return seen;
  return { ...seen, machine: { ...seen.machine, disk: { ...disk, isLow: false } } };
}

/** Worst first. Takes what `healthOf` gives. */
export function listProblems({ trouble, unwrittenRefusals, machine }: HealthView, dataDir: string): Problem[] {
  const { disk, clock } = machine;
  const problems: Problem[] = [];
  if (trouble !== null) {
    const sentence = troubleSentence(trouble, unwrittenRefusals, disk, dataDir);
    problems.push({ code: trouble.code, sentence, isSerious: true });
  }
  if (clock !== null) problems.push({ code: 'clock_wrong', sentence: clockSentence(clock), isSerious: true });
  if (disk?.isLow === true)
    problems.push({ code: 'disk_low', sentence: diskSentence(disk, dataDir), isSerious: false });
  return problems;
}

function troubleSentence(
  { code, since }: StoreTrouble,
  refused: number,
  disk: DiskView | null,
  dataDir: string,
): string {
  const what = code === 'store_full' ? 'The disk is full' : 'The disk or the database file cannot be written';
  const calls =
    refused === 0 ? '' : ` ${countOf(refused)} refused; tills must send ${refused === 1 ? 'it' : 'them'} again.`;
  const least = disk === null ? 'some space' : `at least ${formatBytes(roomNeeded(disk.totalBytes))}`;
  const todo = code === 'store_full' ? `Free ${least} on the disk of ${dataDir}` : `Check the disk of ${dataDir}`;
  return `${what}: no sale has been taken since ${formatForPeople(since)}.${calls} Every sale that was confirmed is safe. ${todo}; the gateway then goes on automatically.`;
}

function clockSentence({ code, now, earliest }: ClockFault): string {
  const wrong = `The clock of this machine is wrong: it shows ${formatForPeople(now)}`;
  const safe = 'Sales are taken as usual, and no till is blamed for their times.';
  return code === 'before_build'
    ? `${wrong}, but this program was built on ${formatForPeople(earliest).slice(0, 10)}. Set the clock. ${safe}`
    : `${wrong}, but the newest record arrived at ${formatForPeople(earliest)}. Set the clock. If it is right now, this message ends with the next answer from the upstream, or with three sales from a till on another machine. ${safe}`;
}

function diskSentence({ freeBytes, totalBytes, daysLeft }: DiskView, dataDir: string): string {
  return `The disk is nearly full: ${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free${lastsFor(daysLeft)}. Tills can still sell. Free some space on the disk of ${dataDir}.`;
}

function lastsFor(days: number | null): string {
  if (days === null || days > MAX_TOLD_DISK_DAYS) return '';
  if (days === 0) return ', enough for less than a day';
  return `, enough for about ${days === 1 ? '1 day' : `${days} days`}`;
}

/** Whether a problem has ended, rather than given way to a worse one. */
export function isOver(code: Problem['code'], { trouble, machine }: HealthView): boolean {
  switch (code) {
    case 'store_full':
    case 'store_unavailable':
      return trouble === null;
    case 'clock_wrong':
      return machine.clock === null;
    case 'disk_low':
      return machine.disk?.isLow !== true && trouble?.code !== 'store_full';
    default:
      return assertNever(code);
  }
}

/** What is said when a problem is over. */
export function overSentence(code: Problem['code'], refused: number): string {
  switch (code) {
    case 'store_full':
    case 'store_unavailable':
      return refused === 0
        ? 'Sales are taken again.'
        : `Sales are taken again. ${countOf(refused)} refused meanwhile: ${PROGRAM} refusals lists them.`;
    case 'clock_wrong':
      return 'The clock of this machine is right again.';
    case 'disk_low':
      return 'The disk has enough space again.';
    default:
      return assertNever(code);
  }
}

function countOf(refused: number): string {
  return refused === 1 ? '1 call was' : `${refused} calls were`;
}

/** In UTC, as people read it. */
function formatForPeople(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
