// Every question the console asks, with the key it is kept under. The first part of a key is the subject: when something
// of it changes, everything under it is asked again.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { Interface } from '../../server/contract/codes.ts';
import type { DaysView, DayView, GapsView, OverviewView } from '../../server/contract/days.ts';
import type { WaitingSample } from '../../server/contract/lanes.ts';
import type { RecordDetail, RecordPage, RecordQuery, RefusalGroup } from '../../server/contract/records.ts';
import type {
  ActView,
  EntranceView,
  JournalView,
  LiveSubject,
  SessionView,
  SettingsView,
  SignedInView,
  Till,
} from '../../server/contract/setup.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { get, type Parameters, Problem, SESSION_KEY } from './client.ts';

/** What is to be asked again when a subject has changed. */
export const KEYS_BY_SUBJECT: Record<LiveSubject, readonly string[]> = {
  records: ['overview', 'records', 'tills'],
  lanes: ['overview', 'records'],
  setup: ['journals', 'settings', 'overview', 'tills', 'acts', 'days'],
  refusals: ['refusals', 'overview'],
  trouble: ['overview'],
  days: ['days'],
};

/** Null where nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) =>
    get<SessionView>('session', {}, signal).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 401) return null;
      throw error;
    }),
  staleTime: Infinity,
  // A link may have been opened in another window of this browser.
  refetchOnWindowFocus: ({ state }) => (state.data === null ? 'always' : false),
});

export const entranceQuery = queryOptions({
  queryKey: ['entrance'],
  queryFn: ({ signal }) => get<EntranceView>('entrance', {}, signal),
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

/** The lanes of the same answer. */
export const lanesQuery = (journal: number) =>
  queryOptions({ ...overviewQuery(journal), select: ({ lanes }: OverviewView) => lanes });

export const waitingQuery = (laneId: number) =>
  queryOptions({
    queryKey: ['waiting', laneId],
    queryFn: ({ signal }) => get<readonly WaitingSample[]>(`lanes/${laneId}/waiting`, {}, signal),
    refetchInterval: 60_000,
  });

const PAGE = 100;

/** A page of records as it is now; without a cursor the first. */
export const recordPageQuery = (journal: number, filter: RecordQuery, cursor?: string) =>
  queryOptions({
    queryKey: ['records', 'page', journal, filter, cursor],
    // Not given up when one who asked goes away: the list may be waiting for the same answer.
    queryFn: () => get<RecordPage>('records', { journal, ...filter, limit: PAGE, cursor } satisfies Parameters),
  });

/**
 * Records page by page, as they were when they were asked for: a list that is read stays as it is, however long it is
 * and whatever arrives. What has changed since, `recordPageQuery` says.
 */
export const recordsQuery = (journal: number, filter: RecordQuery) =>
  infiniteQueryOptions({
    queryKey: ['record-list', journal, filter],
    queryFn: ({ client, pageParam }) => client.query(recordPageQuery(journal, filter, pageParam)),
    retry: false, // the page has been tried again already
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 'static',
    // Rows stay until those of another filter come; those of another store or mode are never shown.
    placeholderData: (previous, query) => (query?.queryKey[1] === journal ? previous : undefined),
  });

/** The held records of a lane page by page, the newest first: a work list, from which what is done goes. */
export const heldQuery = (journal: number, by: Interface) =>
  infiniteQueryOptions({
    queryKey: ['records', 'held', journal, by],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<RecordPage>(
        'records',
        { journal, delivery: 'held', interface: by, order: 'newest', limit: PAGE, cursor } satisfies Parameters,
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

/** Of the last thirty days, or from an instant on, in epoch seconds. */
export const refusalsQuery = (journal: number, from?: number) =>
  queryOptions({
    queryKey: ['refusals', journal, from],
    queryFn: ({ signal }) => get<readonly RefusalGroup[]>('refusals', { journal, from }, signal),
    refetchInterval: 60_000, // whether they go on changes with time
  });

export const tillsQuery = (journal: number) =>
  queryOptions({
    queryKey: ['tills', journal],
    queryFn: ({ signal }) => get<readonly Till[]>('tills', { journal }, signal),
  });

/** The newest so many. */
export const ACTS_SHOWN = 200;

export const actsQuery = queryOptions({
  queryKey: ['acts'],
  queryFn: ({ signal }) => get<readonly ActView[]>('acts', { limit: ACTS_SHOWN }, signal),
});

/** Polled: each call changes when its session was last used, so no live event tells of it. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<readonly SignedInView[]>('sessions', {}, signal),
  refetchInterval: 60_000,
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => get<SettingsView>('settings', {}, signal),
});

/** Every sale changes the number of its day: that is asked for now and then, and not with each of them. */
const DAYS_EVERY_MS = 30_000;

/** Days of the calendar (YYYY-MM-DD), both included; 400 at the most. */
export const daysQuery = (journal: number, from: string, to: string) =>
  queryOptions({
    queryKey: ['days', 'list', journal, from, to],
    queryFn: ({ signal }) => get<DaysView>('days', { journal, from, to }, signal),
    refetchInterval: DAYS_EVERY_MS,
  });

/** The days that somebody should have looked at by now; nothing is asked before it is known which is the present one. */
export const recentDaysQuery = (journal: number, today: string | undefined) =>
  queryOptions({
    ...daysQuery(journal, today === undefined ? '' : addDays(today, -30), today ?? ''),
    enabled: today !== undefined,
  });

export const dayQuery = (journal: number, date: string) =>
  queryOptions({
    queryKey: ['days', 'one', journal, date],
    queryFn: ({ signal }) => get<DayView>(`days/${date}`, { journal }, signal),
    refetchInterval: DAYS_EVERY_MS,
  });

/** It takes reading all ids of the day. */
export const gapsQuery = (journal: number, date: string) =>
  queryOptions({
    queryKey: ['gaps', journal, date],
    queryFn: ({ signal }) => get<GapsView>(`days/${date}/gaps`, { journal }, signal),
    staleTime: 60_000,
  });
