// Reads the facts of the to-do list from the store. If a source cannot be read, the tasks that it found earlier stay in the
// list.

import { type DaySummary, FINDING_KINDS } from '../contract/days.ts';
import type { HealthView } from '../contract/machine.ts';
import type { NetworkView } from '../contract/network.ts';
import type { TaskKind } from '../contract/todo.ts';
import { addDays } from '../lib/calendar.ts';
import type { Days } from '../reconcile/days.ts';
import { findAdministration, findJudgedDate } from '../reconcile/facts.ts';
import { storeDayAt, storeDayOf } from '../store-day.ts';
import type { Store } from '../store/store.ts';
import type { FoundTask } from '../store/tasks/ledger.ts';
import {
  archiveFacts,
  backupFacts,
  backupFailureFacts,
  type BackupState,
  certificateFacts,
  conflictFacts,
  dayFacts,
  digestOf,
  type DifferingDay,
  finalDifferences,
  isDeclared,
  isDiffering,
  isUndecided,
  laneFacts,
  machineFacts,
  refusalFacts,
  silenceFacts,
} from './facts.ts';
import type { GapSearch } from './gap-search.ts';
import type { Finding } from './plan.ts';

/** Maximum days in one query. */
const DAYS_PER_QUERY = 366;
/** Number of recent days that are always read. Older days are read only if one of them may have changed. */
const RECENT_DAYS = 62;
const MAX_REFUSAL_GROUPS = 200;
/** Maximum ids of each kind in the evidence of a day. */
const MAX_EVIDENCE = 500;

export interface SourceParts {
  readonly store: Store;
  readonly days: Pick<Days, 'list' | 'listGaps'>;
  /** The result of `healthOf`. */
  readonly health: () => HealthView;
  /** The gateway's certificate and its authority. Undefined while the gateway has not opened its network yet. */
  readonly network: () => Pick<NetworkView, 'certificate' | 'authority'> | undefined;
  /** The state of scheduled backups. Absent in a command, which makes none. */
  readonly backups?: (() => BackupState | undefined) | undefined;
  readonly gaps: Pick<GapSearch, 'found' | 'isSearched'>;
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

interface DaysRead {
  readonly differing: readonly DifferingDay[];
  /** Dates. */
  readonly undecided: readonly string[];
}

const NO_DAYS: DaysRead = { differing: [], undecided: [] };

interface Source {
  readonly kinds: readonly TaskKind[];
  readonly journalId: number | null;
  readonly read: () => FoundTask[] | Promise<FoundTask[]>;
}

export interface Sources {
  /** Reads every source. `hasOldChanged` is true if days of any age may have changed since the last call. */
  read(hasOldChanged: boolean): Promise<Finding>;
}

export function openSources({ store, days, health, network, backups, gaps, now, onFault }: SourceParts): Sources {
  /** By journal: what the last reading of the older days found. These are the days before the last `RECENT_DAYS` days. */
  const oldDays = new Map<number, { readonly until: string; readonly read: DaysRead }>();
  /** By journal: the dates of the days that may differ, but for which this cannot be decided now. */
  const undecided = new Map<number, ReadonlySet<string>>();

  async function readDays(journalId: number, hasOldChanged: boolean): Promise<FoundTask[]> {
    const administration = findAdministration(store, journalId);
    if (administration === undefined) return [];
    const today = storeDayAt(now(), administration.dayRules).date;
    const recentFrom = addDays(today, -RECENT_DAYS);
    const known = oldDays.get(journalId);
    let old = known?.read ?? NO_DAYS;
    if (known === undefined || hasOldChanged || known.until !== recentFrom) {
      old = await listDiffering(journalId, '', addDays(recentFrom, -1));
      oldDays.set(journalId, { until: recentFrom, read: old });
    }
    const recent = await listDiffering(journalId, recentFrom, today);
    undecided.set(journalId, new Set([...old.undecided, ...recent.undecided]));
    return dayFacts(journalId, [...old.differing, ...recent.differing]);
  }

  async function listDiffering(journalId: number, from: string, to: string): Promise<DaysRead> {
    const differing: DifferingDay[] = [];
    const open: string[] = [];
    let start = await findJudgedDate(store, journalId, from);
    while (start !== undefined && start <= to) {
      const end = addDays(start, DAYS_PER_QUERY - 1);
      const view = await days.list(journalId, start, end < to ? end : to);
      for (const summary of view?.days ?? [])
        if (isDiffering(summary)) differing.push({ summary, ...(await readEvidence(journalId, summary)) });
        else if (isUndecided(summary)) open.push(summary.date);
      start = await findJudgedDate(store, journalId, addDays(end, 1));
    }
    return { differing, undecided: open };
  }

  /** Reads the ids behind a difference. So a mark for one missing sale does not hide another missing sale. */
  async function readEvidence(journalId: number, summary: DaySummary): Promise<Omit<DifferingDay, 'summary'>> {
    const { date, isProvisional } = summary;
    const known = await store.verdicts.listKnown({ journalId, from: date, to: date });
    const verdictId = known.get(date)?.verdict?.id;
    const findings =
      // A provisional check also finds sales that are still on the way to the upstream, so its findings are left out.
      verdictId === undefined || isProvisional
        ? []
        : await Promise.all(
            FINDING_KINDS.map((kind) => store.verdicts.listFindings({ verdictId, kind, limit: MAX_EVIDENCE })),
          );
    const isCompared = finalDifferences(summary).some(isDeclared);
    const administration = isCompared ? findAdministration(store, journalId) : undefined;
    const range = administration && storeDayOf(date, administration.dayRules);
    const declared =
      range === undefined ? [] : await store.declared.compareDay({ journalId, date, range, maxListed: MAX_EVIDENCE });
    const found = findings.flat();
    return {
      evidence: digestOf([found.map(({ kind, externalId }) => [kind, externalId]), declared]),
      missing: found.filter(({ kind }) => kind === 'missing upstream').map(({ externalId }) => externalId),
    };
  }

  async function readSilence(journalId: number): Promise<FoundTask[]> {
    if (health().machine.clock !== null) return []; // a wrong clock would make every till look silent
    const administration = findAdministration(store, journalId);
    if (administration === undefined) return [];
    const { dayRules, timeZone } = administration;
    const at = now();
    const day = storeDayAt(at, dayRules);
    const { tills } = await store.glance.getOverview({ journalId, day, timeZone, now: at });
    const present = new Set<string>();
    for (const { id, lastAt } of tills) present.add(`silent_till ${id} ${lastAt}`);
    stillSilent.set(journalId, present);
    return silenceFacts(journalId, tills);
  }
  /**
   * By journal: each till, with the time of its last call. The task of a silent till stays until the till calls again, even
   * after closing time.
   */
  const stillSilent = new Map<number, ReadonlySet<string>>();

  async function readRefusals(journalIds: readonly number[]): Promise<FoundTask[]> {
    const groups = await Promise.all(
      journalIds.map(async (journalId, i) => {
        const all = await store.records.groupRefusals({ journalId, since: 0, limit: MAX_REFUSAL_GROUPS });
        // Calls without a known key are in the list of every journal, so only the first list counts them.
        return all.filter(({ keyId }) => keyId !== null || i === 0).map((group) => ({ ...group, journalId }));
      }),
    );
    return refusalFacts(groups.flat());
  }

  async function firstKeyAt(): Promise<number | undefined> {
    const keys = await store.setup.listKeys();
    return keys.length === 0 ? undefined : Math.min(...keys.map(({ createdAt }) => createdAt));
  }

  return {
    async read(hasOldChanged) {
      const journalIds = listJournals(store);
      const sources = store.tasks.readSources();
      sources.catch(() => {}); // each source that awaits this reports the error
      const certificates = network();
      const all: Source[] = [
        {
          kinds: [
            'store_full',
            'store_unavailable',
            'records_damaged',
            'wal_damaged',
            'index_damaged',
            'clock_wrong',
            'disk_low',
          ],
          journalId: null,
          read: () => machineFacts(health()),
        },
        {
          kinds: ['backup_old'],
          journalId: null,
          read: async () => backupFacts(await store.health.lastBackupAt(), await firstKeyAt(), now()),
        },
        {
          kinds: ['archive_failed'],
          journalId: null,
          read: async () => archiveFacts(await store.archive.readSummary()),
        },
        ...(backups === undefined
          ? []
          : [{ kinds: ['backup_failed'], journalId: null, read: () => backupFailureFacts(backups()) } as const]),
        ...(certificates === undefined
          ? []
          : [
              {
                kinds: ['certificate_ends'],
                journalId: null,
                read: () => certificateFacts(certificates, now()),
              } as const,
            ]),
        { kinds: ['refusals'], journalId: null, read: () => readRefusals(journalIds) },
        {
          kinds: ['upstream_stopped', 'held'],
          journalId: null,
          read: async () => laneFacts(await store.outbox.listLaneStatus(), await sources, now()),
        },
        ...journalIds.flatMap((journalId): Source[] => [
          { kinds: ['day_differs'], journalId, read: () => readDays(journalId, hasOldChanged) },
          { kinds: ['silent_till'], journalId, read: () => readSilence(journalId) },
          {
            kinds: ['conflicts'],
            journalId,
            async read() {
              const quarters = (await sources).conflicts.filter((each) => each.journalId === journalId);
              return conflictFacts(journalId, quarters, findAdministration(store, journalId)?.dayRules ?? []);
            },
          },
        ]),
      ];
      const read = new Set<string>();
      const found: FoundTask[] = [];
      // One source after the other, so that tills and health checks have their turn in between on a slow processor.
      for (const source of all)
        try {
          found.push(...(await source.read()));
          for (const kind of source.kinds) read.add(`${kind} ${source.journalId}`);
        } catch (error) {
          onFault(error);
        }
      return {
        found: [...found, ...gaps.found()],
        isKept(task) {
          const { fact, journalId } = task;
          if (fact.kind === 'numbers_skipped') return !gaps.isSearched(journalId, fact.date);
          // the refusal log deletes old entries, so only a person's mark ends the task
          if (fact.kind === 'refusals') return !task.isClosed;
          const isLane = fact.kind === 'upstream_stopped' || fact.kind === 'held';
          if (!read.has(`${fact.kind} ${isLane ? null : journalId}`)) return true;
          if (fact.kind === 'day_differs') return undecided.get(journalId ?? 0)?.has(fact.date) === true;
          if (fact.kind !== 'silent_till') return false;
          return stillSilent.get(journalId ?? 0)?.has(`silent_till ${fact.tillId} ${fact.since}`) === true;
        },
      };
    },
  };
}

/** Lists the ids of all journals. */
export function listJournals({ outbox }: Pick<Store, 'outbox'>): number[] {
  return [...new Set(outbox.lanes().map(({ journalId }) => journalId))];
}
