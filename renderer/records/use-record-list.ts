// The rows of the list, and what happens to them. While the list is read its rows stay where they are, and only what they
// say is kept up to date; while it isn't, what is new appears by itself.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';

import type { RecordSummary } from '../../server/contract/records.ts';
import { recordPageQuery, recordsQuery } from '../api/queries.ts';
import type { RecordSearch } from '../model/search-parameters.ts';
import { type News, newsOf } from './news.ts';

export interface RecordList {
  /** Undefined until there is an answer. */
  readonly rows: readonly RecordSummary[] | undefined;
  /** Whether the rows are still those of another filter. */
  readonly isOld: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
  /** Of the first page, and of the one that was asked for after it. */
  readonly error: Error | null;
  readonly moreFailed: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
  /** Undefined while there is nothing new. */
  readonly news: News | undefined;
  readonly showNews: () => void;
  /** Records above it have appeared while they were looked at. */
  readonly newestBefore: number;
}

/**
 * `rowInView` is the first row that is seen, from which the page is known that must be kept up to date; undefined while
 * that changes quickly.
 */
export function useRecordList(
  journal: number,
  filter: RecordSearch,
  { isRead, rowInView }: { readonly isRead: boolean; readonly rowInView: number | undefined },
): RecordList {
  const client = useQueryClient();
  const list = useInfiniteQuery(recordsQuery(journal, filter));
  const { data: first } = useQuery(recordPageQuery(journal, filter));
  const { data, isPlaceholderData, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage, refetch } = list;

  const cursor = data !== undefined && rowInView !== undefined ? cursorAt(data, rowInView) : undefined;
  const { data: inView } = useQuery({
    ...recordPageQuery(journal, filter, cursor),
    enabled: cursor !== undefined && !isPlaceholderData,
  });

  const rows = useMemo(() => {
    const fresh = new Map([...(inView?.records ?? []), ...(first?.records ?? [])].map((row) => [row.recordId, row]));
    return data?.pages.flatMap(({ records }) => records.map((row) => fresh.get(row.recordId) ?? row));
  }, [data, first, inView]);

  const [newestBefore, setNewestBefore] = useState(Infinity);
  const shown = data?.pages[0];
  const news = shown === undefined || first === undefined || isPlaceholderData ? undefined : newsOf(shown, first);
  const hasNews = news !== undefined;
  const showNews = useCallback(() => {
    if (first === undefined) return;
    setNewestBefore(Math.max(0, ...(shown?.records ?? []).map(({ recordId }) => recordId)));
    client.setQueryData(recordsQuery(journal, filter).queryKey, { pages: [first], pageParams: [undefined] });
  }, [client, journal, filter, first, shown]);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- reacts to new server data, and runs once: the new state makes the condition false
    if (hasNews && !isRead) showNews();
  }, [hasNews, isRead, showNews]);

  return {
    rows,
    isOld: isPlaceholderData,
    total: first?.total ?? shown?.total ?? null,
    hasMore: hasNextPage,
    error: data === undefined ? list.error : null,
    moreFailed: isFetchNextPageError,
    loadMore: useCallback(() => {
      if (!isFetching) void fetchNextPage();
    }, [isFetching, fetchNextPage]),
    retry: useCallback(
      () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
      [isFetchNextPageError, fetchNextPage, refetch],
    ),
    news: isRead ? news : undefined,
    showNews,
    newestBefore,
  };
}

interface Pages {
  readonly pages: readonly { readonly records: readonly unknown[] }[];
  readonly pageParams: readonly unknown[];
}

/** The cursor of the page that a row is on; undefined on the first. */
function cursorAt({ pages, pageParams }: Pages, row: number): string | undefined {
  let end = 0;
  const index = pages.findIndex(({ records }) => row < (end += records.length));
  const cursor = pageParams[index];
  return typeof cursor === 'string' ? cursor : undefined;
}
