// All queries of the console with their keys. The first part of a key is its subject; a live event for a subject refetches
// all its queries.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { ActEntry } from '../../server/contract/acts.ts';
import type { AlertNamesView, AlertsView } from '../../server/contract/alerts.ts';
import type { AmountsView } from '../../server/contract/amounts.ts';
import type { ArchiveSummary } from '../../server/contract/archive.ts';
import type { BackupsView } from '../../server/contract/backups.ts';
import type { CertificationSummary, CertificationView } from '../../server/contract/certify.ts';
import type { Interface } from '../../server/contract/codes.ts';
import type { DaysView, DayView } from '../../server/contract/days.ts';
import type { GapsView } from '../../server/contract/gaps.ts';
import type { WaitingSample } from '../../server/contract/lanes.ts';
import type { NetworkView } from '../../server/contract/network.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import type { RecordDetail, RecordPage, RecordQuery, RefusalGroup } from '../../server/contract/records.ts';
import type { RestorableView, RestoreState, RestoreView } from '../../server/contract/restores.ts';
import type {
  EntranceView,
  JournalView,
  LinkedUserRequest,
  LinkedUserView,
  LiveSubject,
  SessionView,
  ReadTokenView,
  SettingsView,
  SignedInView,
  Till,
} from '../../server/contract/setup.ts';
import type { TodoView } from '../../server/contract/todo.ts';
import type { TrendsView } from '../../server/contract/trends.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { get, isRestarting, type Parameters, Problem, send, SESSION_KEY } from './client.ts';

/** The query keys to refetch when a subject changes. */
export const KEYS_BY_SUBJECT: Record<LiveSubject, readonly string[]> = {
  records: ['overview', 'records', 'tills'],
  lanes: ['overview', 'records'],
  setup: [
    'backups',
    'session',
    'journals',
    'settings',
    'network',
    'overview',
    'tills',
    'acts',
    'days',
    'todo',
    'amounts',
    'alerts',
    'readTokens',
  ],
  refusals: ['refusals', 'overview'],
  trouble: ['overview', 'archive', 'backups'],
  days: ['days'],
  certify: ['certifications'],
  todo: ['todo', 'acts', 'alerts'],
};

/** The session of this browser; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) =>
    get<SessionView>('session', {}, signal).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 401 && !isRestarting()) return null;
      throw error;
    }),
  staleTime: Infinity,
  // Another window of this browser may have signed in.
  refetchOnWindowFocus: ({ state }) => (state.data === null ? 'always' : false),
});

export const entranceQuery = queryOptions({
  queryKey: ['entrance'],
  queryFn: ({ signal }) => get<EntranceView>('entrance', {}, signal),
});

/** The user for whom a password link was made. */
export const linkedUserQuery = (code: string) =>
  queryOptions({
    queryKey: ['password-link', code],
    queryFn: () => send<LinkedUserView>('POST', 'password-link/user', { code } satisfies LinkedUserRequest),
    staleTime: Infinity,
  });

export const journalsQuery = queryOptions({
  queryKey: ['journals'],
  queryFn: ({ signal }) => get<readonly JournalView[]>('journals', {}, signal),
});

export const overviewQuery = (journal: number) =>
  queryOptions({
    queryKey: ['overview', journal],
    queryFn: ({ signal }) => get<OverviewView>('overview', { journal }, signal),
    refetchInterval: 30_000,
  });

/** The tasks of one journal, and the tasks of the gateway itself. */
export const todoQuery = (journal: number) =>
  queryOptions({
    queryKey: ['todo', journal],
    queryFn: ({ signal }) => get<TodoView>('todo', { journal }, signal),
    refetchInterval: 30_000,
  });

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => get<AlertsView | AlertNamesView>('alerts', {}, signal),
  refetchInterval: 30_000,
});

/** The state of backups. Refetched often while one runs. */
export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => get<BackupsView>('backups', {}, signal),
  refetchInterval: ({ state }) => (state.data?.progress == null ? false : 500),
});

/** The state of a restore. Polled while the gateway works on it. */
export const restoreQuery = queryOptions({
  queryKey: ['restore'],
  queryFn: ({ signal }) => get<RestoreView>('restore', {}, signal),
  refetchInterval: ({ state: { data } }) => (isUnderway(data?.state) ? 500 : false),
});

function isUnderway(state: RestoreState | undefined): boolean {
  return state?.kind === 'checking' || (state?.kind === 'checked' && state.upstreams === null);
}

export const restorableQuery = queryOptions({
  queryKey: ['restorable'],
  queryFn: ({ signal }) => get<RestorableView>('restore/backups', {}, signal),
});

/** The state of the archive. */
export const archiveQuery = queryOptions({
  queryKey: ['archive'],
  queryFn: ({ signal }) => get<ArchiveSummary>('archive', {}, signal),
});

/** The lanes of a journal, taken from the answer of the overview query. */
export const lanesQuery = (journal: number) =>
  queryOptions({ ...overviewQuery(journal), select: ({ lanes }: OverviewView) => lanes });

export const waitingQuery = (laneId: number) =>
  queryOptions({
    queryKey: ['waiting', laneId],
    queryFn: ({ signal }) => get<readonly WaitingSample[]>(`lanes/${laneId}/waiting`, {}, signal),
    refetchInterval: 60_000,
  });

const PAGE_SIZE = 100;

/** The current content of the page of records at `cursor`. Without a cursor, the first page. */
export const recordPageQuery = (journal: number, filter: RecordQuery, cursor?: string) =>
  queryOptions({
    queryKey: ['records', 'page', journal, filter, cursor],
    // Passes no abort signal: the list shares this request, and may still need the answer when this query is cancelled.
    queryFn: () => get<RecordPage>('records', { journal, ...filter, limit: PAGE_SIZE, cursor } satisfies Parameters),
  });

/**
 * Records page by page. The list stays as it was first loaded: rows do not move while the user reads, and new records do not
 * appear. `recordPageQuery` has the current state.
 */
export const recordsQuery = (journal: number, filter: RecordQuery) =>
  infiniteQueryOptions({
    queryKey: ['record-list', journal, filter],
    queryFn: ({ client, pageParam }) => client.query(recordPageQuery(journal, filter, pageParam)),
    retry: false, // recordPageQuery retries already
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 'static',
    // The old rows stay on the screen until the answer to a new filter arrives. Rows of another journal do not stay.
    placeholderData: (previous, query) => (query?.queryKey[1] === journal ? previous : undefined),
  });

/** The held records of a lane page by page, newest first. It is a work list: settled records disappear. */
export const heldQuery = (journal: number, by: Interface) =>
  infiniteQueryOptions({
    queryKey: ['records', 'held', journal, by],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<RecordPage>(
        'records',
        { journal, delivery: 'held', interface: by, order: 'newest', limit: PAGE_SIZE, cursor } satisfies Parameters,
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

export const recordQuery = (recordId: number) =>
  queryOptions({
    queryKey: ['records', 'one', recordId],
    queryFn: ({ signal }) => get<RecordDetail>(`records/${recordId}`, {}, signal),
  });

/** Refusals of the last thirty days, or since `from` in epoch seconds. */
export const refusalsQuery = (journal: number, from?: number) =>
  queryOptions({
    queryKey: ['refusals', journal, from],
    queryFn: ({ signal }) => get<readonly RefusalGroup[]>('refusals', { journal, from }, signal),
    refetchInterval: 60_000, // "still happening" depends on the current time, so it can change without an event
  });

export const certificationQuery = (id: number) =>
  queryOptions({
    queryKey: ['certifications', 'one', id],
    queryFn: ({ signal }) => get<CertificationView>(`certifications/${id}`, {}, signal),
  });

export const certificationsQuery = (journal: number) =>
  queryOptions({
    queryKey: ['certifications', 'of', journal],
    queryFn: ({ signal }) => get<readonly CertificationSummary[]>('certifications', { journal }, signal),
  });

export const tillsQuery = (journal: number) =>
  queryOptions({
    queryKey: ['tills', journal],
    queryFn: ({ signal }) => get<readonly Till[]>('tills', { journal }, signal),
  });

/** The number of newest acts that are shown. */
export const MAX_ACTS_SHOWN = 200;

export const actsQuery = queryOptions({
  queryKey: ['acts'],
  queryFn: ({ signal }) => get<readonly ActEntry[]>('acts', { limit: MAX_ACTS_SHOWN }, signal),
});

/** Polled: each call changes the time of its session's last use, and no live event reports that. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<readonly SignedInView[]>('sessions', {}, signal),
  refetchInterval: 60_000,
});

export const readTokensQuery = queryOptions({
  queryKey: ['readTokens'],
  queryFn: ({ signal }) => get<readonly ReadTokenView[]>('read-tokens', {}, signal),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => get<SettingsView>('settings', {}, signal),
});

/** Polled: a call of a till can change the addresses that tills use, but it causes no live event. */
export const networkQuery = queryOptions({
  queryKey: ['network'],
  queryFn: ({ signal }) => get<NetworkView>('network', {}, signal),
  refetchInterval: 30_000,
});

/** Polling interval. There are no live events for days, because every sale changes the count of its day. */
const DAYS_POLL_MS = 30_000;

/** The days from `from` to `to` (YYYY-MM-DD), both included. At most 400 days. */
export const daysQuery = (journal: number, from: string, to: string) =>
  queryOptions({
    queryKey: ['days', 'list', journal, from, to],
    queryFn: ({ signal }) => get<DaysView>('days', { journal, from, to }, signal),
    refetchInterval: DAYS_POLL_MS,
  });

/** The days of the last month. Disabled until today's date is known. */
export const recentDaysQuery = (journal: number, today: string | undefined) =>
  queryOptions({
    ...daysQuery(journal, today === undefined ? '' : addDays(today, -30), today ?? ''),
    enabled: today !== undefined,
  });

export const dayQuery = (journal: number, date: string) =>
  queryOptions({
    queryKey: ['days', 'one', journal, date],
    queryFn: ({ signal }) => get<DayView>(`days/${date}`, { journal }, signal),
    refetchInterval: DAYS_POLL_MS,
  });

/** Polled for two reasons: the gateway may still be reading old amounts, and new records may lead to new suggestions. */
export const amountsQuery = (journal: number) =>
  queryOptions({
    queryKey: ['amounts', journal],
    queryFn: ({ signal }) => get<AmountsView>('amounts', { journal }, signal),
    refetchInterval: 10_000,
  });

/** The trends from `from` to `to` (YYYY-MM-DD), both included. At most two months. */
export const trendsQuery = (journal: number, from: string, to: string) =>
  queryOptions({
    queryKey: ['trends', journal, from, to],
    queryFn: ({ signal }) => get<TrendsView>('trends', { journal, from, to }, signal),
    refetchInterval: DAYS_POLL_MS,
  });

/** The numbers that the ids of a day skip. Expensive: the gateway reads all ids of the day. */
export const gapsQuery = (journal: number, date: string) =>
  queryOptions({
    queryKey: ['gaps', journal, date],
    queryFn: ({ signal }) => get<GapsView>(`days/${date}/gaps`, { journal }, signal),
    staleTime: 60_000,
  });
