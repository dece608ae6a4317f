// What is wrong with the gateway or its machine, in one sentence or two each: what, since when, what is safe, what to do. A command,
// the log and standard output say the same. Pure.

import { join } from 'node:path';

import {
  type ClockFault,
  type DamagedRecordsView,
  type DiskView,
  type HealthView,
  MAX_TOLD_DISK_DAYS,
  type StoreTrouble,
  type WalDamageView,
} from './contract.ts';
import { assertNever } from './errors.ts';
import { PROGRAM } from './program.ts';
import { roomNeeded } from './store/reserve.ts';

export interface Problem {
  readonly code: StoreTrouble['code'] | 'log_damaged' | 'records_damaged' | 'clock_wrong' | 'disk_low';
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
  const { disk, clock, walDamage, damaged } = machine;
  const problems: Problem[] = [];
  if (trouble !== null) {
    const sentence = troubleSentence(trouble, unwrittenRefusals, disk, dataDir);
    problems.push({ code: trouble.code, sentence, isSerious: true });
  }
  if (walDamage !== null) {
    const isSerious = walDamage.kind === 'lost' || (walDamage.kind === 'salvaged' && walDamage.missingRecords !== 0);
    problems.push({ code: 'log_damaged', sentence: walDamageSentence(walDamage, dataDir), isSerious });
  }
  if (damaged !== null) problems.push({ code: 'records_damaged', sentence: damagedSentence(damaged), isSerious: true });
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

function walDamageSentence({ kind, foundAt, folder, missingRecords }: WalDamageView, dataDir: string): string {
  const place = join(dataDir, folder);
  const copies = `Copies of the log and the database are in ${place}`;
  const end = 'This notice ends when that folder is moved away.';
  const found = `At the start on ${formatForPeople(foundAt)} the write-ahead log, which holds the last sales, was damaged`;
  switch (kind) {
    case 'repaired':
      return `${found}. All of it could be repaired: no sale is missing. Check the disk. ${copies}. ${end}`;
    case 'salvaged': {
      if (missingRecords === 0) return `${found}. All its sales could be saved. Check the disk. ${copies}. ${end}`;
      const missing = missingRecords === null ? 'Some' : String(missingRecords);
      return `${found}. ${missing} sales that were answered could not be saved whole; the others were. Compare the last days with the tills. Replace the disk. ${copies}. ${end}`;
    }
    case 'lost':
      return `${found}. Sales that were answered after that place are missing here. Compare the last days with the tills. Replace the disk. ${copies}: keep them. ${end}`;
    case 'cut_off':
      return `At the start on ${formatForPeople(foundAt)} the last write to the disk was incomplete, as after a power cut. No till had an answer to it, unless the disk is damaged. A copy of the log is in ${place}. ${end}`;
  }
}

function damagedSentence({ count, foundAt, recordIds }: DamagedRecordsView): string {
  const named = recordIds.join(', ') + (count > recordIds.length ? ', …' : '');
  const [what, they] =
    count === 1
      ? ['1 record on the disk is damaged', 'It is']
      : [`${count} records on the disk are damaged`, 'They are'];
  return `${what} (${named}), found on ${formatForPeople(foundAt)}. ${they} not forwarded. Replace the disk, and restore a backup from before.`;
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
    case 'log_damaged':
      return machine.walDamage === null;
    case 'records_damaged':
      return machine.damaged === null;
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
    case 'records_damaged':
      return 'Every record on the disk is whole again.';
    case 'log_damaged':
      return 'The copies of the damaged log were moved away.';
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
