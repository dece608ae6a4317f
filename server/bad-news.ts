// The sentences for problems of the gateway and its machine. Each says what is wrong, since when, what is safe and what to do.
// The commands, the log file and standard output all use these sentences. Pure.

import { join } from 'node:path';

import {
  type ClockFault,
  type RecordDamage,
  type DiskState,
  hasLostSales,
  type HealthView,
  type IndexDamage,
  MAX_TOLD_DISK_DAYS,
  type StoreTrouble,
  type WalDamage,
} from './contract/machine.ts';
import { assertNever } from './errors.ts';
import { PROGRAM } from './program.ts';
import { roomNeeded } from './store/data-directory.ts';

export interface Problem {
  readonly code:
    | StoreTrouble['code']
    | 'wal_damaged'
    | 'records_damaged'
    | 'index_damaged'
    | 'clock_wrong'
    | 'disk_low';
  /** The thing that has the problem, such as a folder. Two problems with the same code are both reported if this differs. */
  readonly about: string;
  readonly sentence: string;
  /** Whether sales, or the times of sales, are at risk now. */
  readonly isSerious: boolean;
}

/** Leaves out a finding if a worse finding includes it. For example, a full disk is not also reported as nearly full. */
export function healthOf(seen: HealthView): HealthView {
  const { disk } = seen.machine;
  if (disk === null || seen.trouble?.code !== 'store_full') return seen;
  return { ...seen, machine: { ...seen.machine, disk: { ...disk, isLow: false } } };
}

/** Lists the problems, serious ones first. Needs the result of `healthOf`. */
export function listProblems({ trouble, unwrittenRefusals, machine }: HealthView, dataDir: string): Problem[] {
  const { disk, clock, walDamage, damaged, indexFault } = machine;
  const problems: Problem[] = [];
  const add = (code: Problem['code'], sentence: string, isSerious = true, about = ''): void =>
    void problems.push({ code, about, sentence, isSerious });
  if (trouble !== null) add(trouble.code, troubleSentence(trouble, unwrittenRefusals, disk, dataDir));
  if (walDamage !== null)
    add('wal_damaged', walDamageSentence(walDamage, dataDir), hasLostSales(walDamage), walDamage.folder);
  if (damaged !== null) add('records_damaged', damagedSentence(damaged), true, String(damaged.count));
  if (indexFault !== null) add('index_damaged', indexSentence(indexFault));
  if (clock !== null) add('clock_wrong', clockSentence(clock));
  if (disk?.isLow === true) add('disk_low', diskSentence(disk, dataDir), false);
  return problems.toSorted((a, b) => Number(b.isSerious) - Number(a.isSerious));
}

function troubleSentence(
  { code, since }: StoreTrouble,
  refused: number,
  disk: DiskState | null,
  dataDir: string,
): string {
  const what = code === 'store_full' ? 'The disk is full' : 'The disk or the database file cannot be written';
  const calls =
    refused === 0 ? '' : ` ${countOf(refused)} refused; tills must send ${refused === 1 ? 'it' : 'them'} again.`;
  const least = disk === null ? 'some space' : `at least ${formatBytes(roomNeeded(disk.totalBytes))}`;
  const todo = code === 'store_full' ? `Free ${least} on the disk of ${dataDir}` : `Check the disk of ${dataDir}`;
  return `${what}: no sale has been accepted since ${formatForPeople(since)}.${calls} Every sale that was confirmed is safe. ${todo}; the gateway then continues automatically.`;
}

function walDamageSentence({ kind, foundAt, folder, missingRecords }: WalDamage, dataDir: string): string {
  const place = join(dataDir, folder);
  const copies = `Copies of the log and the database are in ${place}`;
  const end = 'This notice ends when that folder is moved away.';
  const found = `At the start on ${formatForPeople(foundAt)} the write-ahead log, which holds the last sales, was damaged`;
  switch (kind) {
    case 'repaired':
      return `${found}. It is fully repaired: no sale is missing. Check the disk. ${copies}. ${end}`;
    case 'salvaged': {
      if (missingRecords === 0) return `${found}. All its sales are saved. Check the disk. ${copies}. ${end}`;
      const missing = missingRecords === null ? 'Some' : String(missingRecords);
      const sales = missingRecords === 1 ? 'confirmed sale' : 'confirmed sales';
      return `${found}. ${missing} ${sales} in it are incomplete; the others are saved. Compare the last days with the tills. Replace the disk. ${copies}. ${end}`;
    }
    case 'lost':
      return `${found}. Confirmed sales after the damaged place are missing here. Compare the last days with the tills. Replace the disk. ${copies}: keep them. ${end}`;
    case 'cut_off':
      return `At the start on ${formatForPeople(foundAt)} the last write to the disk was incomplete, as after a power cut. The gateway had not confirmed these sales to the tills. If the disk is damaged, the gateway may have confirmed some of them. A copy of the log is in ${place}. ${end}`;
  }
}

function damagedSentence({ count, foundAt, recordIds }: RecordDamage): string {
  const named = recordIds.join(', ') + (count > recordIds.length ? ', …' : '');
  const [what, they] =
    count === 1
      ? ['1 record on the disk is damaged', 'It is']
      : [`${count} records on the disk are damaged`, 'They are'];
  return `${what} (${named}), found on ${formatForPeople(foundAt)}. ${they} not forwarded. Do not delete the data: copy the data directory to a new disk. An earlier backup may still have ${count === 1 ? 'it' : 'them'} undamaged.`;
}

function indexSentence({ foundAt, detail }: IndexDamage): string {
  return `An index of the database is damaged (${detail}), found on ${formatForPeople(foundAt)}: a sale that is sent again may be counted twice. Restart the gateway to rebuild the index, then run ${PROGRAM} check. Replace the disk.`;
}

function clockSentence({ code, now, earliest }: ClockFault): string {
  const wrong = `The clock of this machine is wrong: it shows ${formatForPeople(now)}`;
  const safe = 'Sales are accepted as usual, and no till clock is reported as wrong.';
  return code === 'before_build'
    ? `${wrong}, but this program was built on ${formatForPeople(earliest).slice(0, 10)}. Set the clock. ${safe}`
    : `${wrong}, but the newest record arrived at ${formatForPeople(earliest)}. Set the clock. If it is right now, this message ends with the next answer from the upstream, or with three sales from a till on another machine. ${safe}`;
}

function diskSentence({ freeBytes, totalBytes, daysLeft }: DiskState, dataDir: string): string {
  return `The disk is nearly full: ${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free${lastsFor(daysLeft)}. Tills can still sell. Free some space on the disk of ${dataDir}.`;
}

function lastsFor(days: number | null): string {
  if (days === null || days > MAX_TOLD_DISK_DAYS) return '';
  if (days === 0) return ', enough for less than a day';
  return `, enough for about ${days === 1 ? '1 day' : `${days} days`}`;
}

/** Whether a problem has ended. If `disk_low` became worse, so that the disk is now full, it has not ended. */
export function isOver(code: Problem['code'], { trouble, machine }: HealthView): boolean {
  switch (code) {
    case 'store_full':
    case 'store_unavailable':
      return trouble === null;
    case 'index_damaged':
      return machine.indexFault === null;
    case 'wal_damaged':
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

/** The sentence that says that a problem has ended. */
export function overSentence(code: Problem['code'], refused: number): string {
  switch (code) {
    case 'store_full':
    case 'store_unavailable':
      return refused === 0
        ? 'Sales are accepted again.'
        : `Sales are accepted again. ${countOf(refused)} refused meanwhile: ${PROGRAM} refusals lists them.`;
    case 'records_damaged':
      return 'No record on the disk is damaged any more.';
    case 'index_damaged':
      return 'No index of the database is damaged any more.';
    case 'wal_damaged':
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

/** Formats a time in UTC, so that people can read it. */
function formatForPeople(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
}
