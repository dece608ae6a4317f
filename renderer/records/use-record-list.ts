// The rows of the records list. While the user reads, rows keep their places and only their content is refreshed. Otherwise
// new records appear automatically.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';

import type { RecordSummary } from '../../server/contract/records.ts';
import { recordPageQuery, recordsQuery } from '../api/queries.ts';
import type { RecordSearch } from '../model/search-parameters.ts';
import { type ListChange, findListChange } from './list-change.ts';

export interface RecordList {
  /** The loaded rows; undefined until the first answer. */
  readonly rows: readonly RecordSummary[] | undefined;
  /** Whether the rows still belong to the previous filter. */
  readonly isOld: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
  /** Whether a search by amount may miss records, because the gateway is still reading old amounts. */
  readonly isFilling: boolean;
  /** The error of loading the first page. `moreFailed` is about the next page. */
  readonly error: Error | null;
  readonly moreFailed: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
  /** What changed in the list since the user began to read; undefined if nothing did, or if the user is not reading. */
  readonly change: ListChange | undefined;
  readonly showLatest: () => void;
  /** The highest record id before the latest records were added. The list shows records with higher ids as new. */
  readonly newestBefore: number;
}

/**
 * Loads the list and keeps it current. `rowInView` is the first visible row, whose page is refreshed. It is undefined during
 * fast scrolling.
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
  const change =
    shown === undefined || first === undefined || isPlaceholderData ? undefined : findListChange(shown, first);
  const hasChange = change !== undefined;
  const showLatest = useCallback(() => {
    if (first === undefined) return;
    setNewestBefore(Math.max(0, ...(shown?.records ?? []).map(({ recordId }) => recordId)));
    client.setQueryData(recordsQuery(journal, filter).queryKey, { pages: [first], pageParams: [undefined] });
  }, [client, journal, filter, first, shown]);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- reacts to new server data, and runs once: the new state makes the condition false
    if (hasChange && !isRead) showLatest();
  }, [hasChange, isRead, showLatest]);

  const isWhole = data !== undefined && !isPlaceholderData && !hasNextPage;
  return {
    rows,
    isOld: isPlaceholderData,
    // Some filters give no total: a time range in minutes, or an amount. Then the number of rows is the total when all pages
    // are loaded.
    total: first?.total ?? shown?.total ?? (isWhole ? (rows?.length ?? null) : null),
    hasMore: hasNextPage,
    isFilling: first?.isFilling ?? false,
    error: data === undefined ? list.error : null,
    moreFailed: isFetchNextPageError,
    loadMore: useCallback(() => {
      if (!isFetching) void fetchNextPage();
    }, [isFetching, fetchNextPage]),
    retry: useCallback(
      () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
      [isFetchNextPageError, fetchNextPage, refetch],
    ),
    change: isRead ? change : undefined,
    showLatest,
    newestBefore,
  };
}

interface Pages {
  readonly pages: readonly { readonly records: readonly unknown[] }[];
  readonly pageParams: readonly unknown[];
}

/** The cursor of the page with this row; undefined for the first page. */
function cursorAt({ pages, pageParams }: Pages, row: number): string | undefined {
  let end = 0;
  const index = pages.findIndex(({ records }) => row < (end += records.length));
  const cursor = pageParams[index];
  return typeof cursor === 'string' ? cursor : undefined;
}
