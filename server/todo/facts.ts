// Makes the facts of the to-do list from data that `sources.ts` reads from the store. Pure.

import { createHash } from 'node:crypto';

import type { ArchiveSummary } from '../contract/archive.ts';
import type { BackupFault } from '../contract/backups.ts';
import type { DayRules, DaySummary } from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import type { HealthView } from '../contract/machine.ts';
import { hasLostSales } from '../contract/machine.ts';
import type { NetworkView } from '../contract/network.ts';
import type { TillToday } from '../contract/overview.ts';
import type { RefusalGroup } from '../contract/records.ts';
import { MAX_MISSING_IDS } from '../contract/todo.ts';
import { DECLARED_CODES, DIFFERENCE_CODES, type Reason, type ReasonCode } from '../contract/verdicts.ts';
import { storeDayAt } from '../store-day.ts';
import type { LaneStatus } from '../store/outbox/ledger.ts';
import type { FoundTask, TaskSources } from '../store/tasks/ledger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A line that has been down for this time becomes a task. Shorter outages usually end without a person's help. */
export const LINE_DOWN_MS = 30 * MINUTE_MS;
/** A lane that has been paused for this time becomes a task, because somebody may have forgotten the pause. */
const PAUSED_MS = 8 * HOUR_MS;
/** A backup becomes a task when it is this old. After a mark, the task opens again each time the age has doubled. */
const BACKUP_DAYS = 7;
/**
 * Days before the expiry of a certificate. The task begins when the first number is reached. When the second number is reached,
 * a marked task opens again.
 */
const CERTIFICATE_DAYS = { files: [14, 3], own: [14, 3], authority: [180, 30] } as const;

/** Lists the facts about the store and the machine. Takes the result of `healthOf`. */
export function machineFacts({ trouble, machine }: HealthView): FoundTask[] {
  const { disk, clock, walDamage, damaged, indexFault } = machine;
  const facts: FoundTask[] = [];
  const add = (name: string, fact: FoundTask['fact'], digest = '', size: readonly number[] = []): void =>
    void facts.push({ name, journalId: null, fact, digest, size });
  if (trouble !== null) add(trouble.code, { kind: trouble.code, since: trouble.since }, String(trouble.since));
  if (damaged !== null) {
    const { count, lastFoundAt } = damaged;
    // One more damaged record makes the fact worse, even if the total number is the same because other records were repaired.
    add('records_damaged', { kind: 'records_damaged', records: count }, '', [count, lastFoundAt]);
  }
  if (walDamage !== null) {
    const { foundAt, folder } = walDamage;
    add(`wal_damaged ${folder}`, { kind: 'wal_damaged', foundAt, hasLostSales: hasLostSales(walDamage) }, folder);
  }
  if (indexFault !== null)
    add('index_damaged', { kind: 'index_damaged', foundAt: indexFault.foundAt }, String(indexFault.foundAt));
  if (clock !== null) add('clock_wrong', { kind: 'clock_wrong' }, clock.code);
  if (disk?.isLow === true) {
    // The fact counts as worse each time the free space has halved.
    const halvings = Math.floor(Math.log2(disk.totalBytes / Math.max(disk.freeBytes, 1)));
    add('disk_low', { kind: 'disk_low', freeBytes: disk.freeBytes }, '', [halvings]);
  }
  return facts;
}

/**
 * Lists the fact that a backup is missing or too old. `lastAt` is the time of the last backup; null if there is none. `since`
 * is when the data began; undefined if no data need a backup. Times are epoch milliseconds.
 */
export function backupFacts(lastAt: number | null, since: number | undefined, now: number): FoundTask[] {
  const from = lastAt ?? since;
  if (from === undefined) return [];
  const weeks = (now - from) / (BACKUP_DAYS * DAY_MS);
  if (weeks < 1) return [];
  const size = [Math.floor(Math.log2(weeks))];
  return [{ name: 'backup_old', journalId: null, fact: { kind: 'backup_old', lastAt }, digest: String(lastAt), size }];
}

/** Lists the fact that the scheduled backup fails. */
export function backupFailureFacts(state: BackupState | undefined): FoundTask[] {
  const { folder = '', failure = null } = state ?? {};
  if (failure === null) return [];
  const { fault, since } = failure;
  const fact = { kind: 'backup_failed', fault, folder, since } as const;
  return [{ name: 'backup_failed', journalId: null, fact, digest: digestOf([fault, folder, since]), size: [] }];
}

/** Lists the facts that files of the archive cannot be read, and that no bodies can be archived. */
export function archiveFacts({
  folder,
  fault,
  failure,
}: Pick<ArchiveSummary, 'folder' | 'fault' | 'failure'>): FoundTask[] {
  const facts = [
    ...(fault === null ? [] : [{ folder, ...fault }]),
    ...(failure === null ? [] : [{ folder, files: 0, records: 0, ...failure }]),
  ];
  return facts.map(({ fault: what, files, records, since }) => ({
    name: `archive_failed ${files === 0 ? 'unwritten' : 'files'}`,
    journalId: null,
    fact: { kind: 'archive_failed', fault: what, folder, files, records, since },
    digest: digestOf([what, folder, since]),
    size: [files],
  }));
}

/** The part of the state of scheduled backups that may become a task. */
export interface BackupState {
  readonly folder: string;
  readonly failure: { readonly fault: BackupFault; readonly since: number } | null;
}

export function certificateFacts(
  { certificate, authority }: Pick<NetworkView, 'certificate' | 'authority'>,
  now: number,
): FoundTask[] {
  const ends = [
    ...(certificate === null ? [] : [{ of: certificate.source, ...certificate }]),
    ...(authority === null || certificate?.source === 'files' ? [] : [{ of: 'authority' as const, ...authority }]),
  ];
  return ends.flatMap(({ of, expiresAt, fingerprint }): FoundTask[] => {
    const passed = CERTIFICATE_DAYS[of].filter((days) => expiresAt - now <= days * DAY_MS).length;
    const isOver = expiresAt <= now;
    if (passed === 0) return [];
    const fact = { kind: 'certificate_ends', of, expiresAt, isOver } as const;
    return [
      { name: `certificate_ends ${of}`, journalId: null, fact, digest: fingerprint, size: [passed, Number(isOver)] },
    ];
  });
}

/**
 * Lists the facts about lanes. A lane without an upstream is a task only if the journal's other lane has one: then somebody forgot to
 * set this one. If neither has one, the shop stores its sales only here, on purpose.
 */
export function laneFacts(lanes: readonly LaneStatus[], { held }: TaskSources, now: number): FoundTask[] {
  const forwarding = new Set(lanes.filter(({ url }) => url !== null).map(({ journalId }) => journalId));
  return lanes.flatMap((lane): FoundTask[] => {
    const { id, journalId, interface: by, state, cause, waiting } = lane;
    const facts: FoundTask[] = [];
    const add = (kind: string, fact: FoundTask['fact'], digest: string, size: readonly number[]): void =>
      void facts.push({ name: `${kind} ${id}`, journalId, fact, digest, size });
    const code = cause === null || cause.code === 'paused' ? null : cause.code;
    const isRestored = code === 'restored' || code === 'asking';
    const since = code === 'no_upstream' ? lane.oldestWaitingAt : lane.since;
    if (
      forwarding.has(journalId) &&
      state !== 'running' &&
      since !== null &&
      (isRestored || isLasting(state, now - since, waiting))
    ) {
      const fact = { kind: 'upstream_stopped', interface: by, state, cause: code, since, waiting } as const;
      add('upstream_stopped', fact, JSON.stringify([state, code, since]), []);
    }
    if (lane.held > 0) {
      const lastAt = held.find(({ laneId }) => laneId === id)?.lastAt ?? 0;
      // A new rejection makes the fact worse, even if the number of held records is the same.
      add('held', { kind: 'held', interface: by, records: lane.held }, '', [lane.held, lastAt]);
    }
    return facts;
  });
}

function isLasting(state: LaneStatus['state'], ms: number, waiting: number): boolean {
  if (state === 'refused') return true;
  return state === 'paused' ? ms >= PAUSED_MS && waiting > 0 : ms >= LINE_DOWN_MS;
}

/** A store day with the verdict `differs`, and the records that cause the difference. */
export interface DifferingDay {
  readonly summary: DaySummary;
  /** A text that changes when other records cause the difference. */
  readonly evidence: string;
  /** The ids of sales that are missing upstream. */
  readonly missing: readonly string[];
}

const DIFFERENCES: ReadonlySet<ReasonCode> = new Set(DIFFERENCE_CODES);
const DECLARED: ReadonlySet<ReasonCode> = new Set(DECLARED_CODES);

/** Whether a reason comes from a declared total. */
export const isDeclared = ({ code }: Reason): boolean => DECLARED.has(code);

/**
 * The final differences of a day. A difference from a declared total is final immediately, because it needs no answer of the
 * upstream.
 */
export function finalDifferences({ verdict, isProvisional, reasons }: DaySummary): readonly Reason[] {
  if (verdict !== 'differs') return [];
  return reasons.filter((reason) => (isProvisional ? isDeclared(reason) : DIFFERENCES.has(reason.code)));
}

/** Whether a day has a final difference and is not signed off. */
export function isDiffering(summary: DaySummary): boolean {
  return finalDifferences(summary).length > 0 && !isSigned(summary);
}

/** Whether the day may differ, but this cannot be decided now. A difference that was found earlier may still exist. */
export function isUndecided(summary: DaySummary): boolean {
  const { verdict, reasons } = summary;
  if (verdict === 'complete' || isSigned(summary)) return false;
  return verdict !== 'cannot tell' || reasons.some(({ code }) => !code.endsWith('no_upstream'));
}

function isSigned({ signOff }: DaySummary): boolean {
  return signOff !== null && !signOff.isReopened;
}

export function dayFacts(journalId: number, days: readonly DifferingDay[]): FoundTask[] {
  return days.map(({ summary, evidence, missing }): FoundTask => {
    const { date, here, declared } = summary;
    const differences = finalDifferences(summary);
    const reasons = differences.map(({ code, count = 0 }) => ({ code, count }));
    // Leaves out reasons such as waiting records. A mark must stay valid when these records are delivered.
    const digest = digestOf([here, declared, differences, evidence]);
    return {
      name: `day_differs ${journalId} ${date}`,
      journalId,
      fact: { kind: 'day_differs', date, reasons, missing: missing.slice(0, MAX_MISSING_IDS) },
      digest,
      size: [],
    };
  });
}

export function silenceFacts(journalId: number, tills: readonly TillToday[]): FoundTask[] {
  return tills.flatMap(({ id, label, silence }): FoundTask[] => {
    if (silence === null) return [];
    const { since, sureness } = silence;
    const fact = { kind: 'silent_till', till: label, tillId: id, since, sureness } as const;
    return [
      {
        name: `silent_till ${id}`,
        journalId,
        fact,
        digest: String(since),
        size: [Number(sureness === 'almost certain')],
      },
    ];
  });
}

/** Lists the skipped numbers of a store day. A gap between two days belongs to the later day. */
export function gapFacts(journalId: number, date: string, { sequences }: GapsView): FoundTask[] {
  return sequences.flatMap(({ prefix, tills, gaps, sureness, skipped }): FoundTask[] => {
    const own = gaps.filter(({ between }) => between === null || between[1] === date);
    if (own.length === 0) return [];
    const ranges = own.map(({ from, to }) => [from, to] as const);
    const numbers = own.length === gaps.length ? skipped : own.reduce((sum, gap) => sum + sizeOf(gap, prefix), 0);
    const fact = { kind: 'numbers_skipped', date, tills, numbers, ranges, sureness } as const;
    const digest = digestOf(ranges.map(([from, to]) => `${from} ${to}`));
    return [{ name: `numbers_skipped ${journalId} ${date} ${prefix}`, journalId, fact, digest, size: [] }];
  });
}

function sizeOf({ from, to }: { readonly from: string; readonly to: string }, prefix: string): number {
  return Number(to.slice(prefix.length)) - Number(from.slice(prefix.length)) + 1;
}

/** Groups changed resends by store day. `quarters` must be in order of time. */
export function conflictFacts(journalId: number, quarters: TaskSources['conflicts'], rules: DayRules): FoundTask[] {
  const days: { date: string; from: number; to: number; records: number; tills: Set<string> }[] = [];
  for (const { startsAt, till, records } of quarters) {
    let day = days.at(-1);
    if (day === undefined || startsAt >= day.to)
      days.push((day = { ...storeDayAt(startsAt * 1000, rules), records: 0, tills: new Set() }));
    day.records += records;
    day.tills.add(till);
  }
  return days.map(({ tills, ...day }): FoundTask => {
    const fact = { kind: 'conflicts', ...day, tills: [...tills].toSorted() } as const;
    return { name: `conflicts ${journalId} ${day.date}`, journalId, fact, digest: '', size: [day.records] };
  });
}

/**
 * Groups refused calls by till and code. Calls without a known key belong to no journal and no till, so they are grouped only
 * by code.
 */
export function refusalFacts(groups: readonly (RefusalGroup & { readonly journalId: number })[]): FoundTask[] {
  const tasks = new Map<string, FoundTask>();
  for (const { code, keyId, till, calls, lastAt, journalId } of groups) {
    const isKnown = keyId !== null && till !== null;
    const name = isKnown ? `refusals ${journalId} ${code} ${till}` : `refusals ${code}`;
    const before = tasks.get(name)?.fact;
    const known = before?.kind === 'refusals' ? before : { calls: 0, lastAt: 0 };
    const fact = {
      kind: 'refusals',
      code,
      till: isKnown ? till : null,
      calls: known.calls + calls,
      lastAt: Math.max(known.lastAt, lastAt),
    } as const;
    // A later call makes the fact worse, because the sale of that call may be missing.
    tasks.set(name, { name, journalId: isKnown ? journalId : null, fact, digest: '', size: [fact.lastAt] });
  }
  return [...tasks.values()];
}

/** A short text that is equal only for equal values. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
