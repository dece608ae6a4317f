// The virtualised list. All rows have the same height, and only rows near the window are rendered. Pages that still load have
// placeholders. Keyboard: j and k or the arrows move, Enter opens, Esc leaves.

import { Button, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type Range, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordSummary } from '../../server/contract/records.ts';
import { isInOrderOfId } from '../model/search-kind.ts';
import type { RecordSearch } from '../model/search-parameters.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { FilterProps } from './filter-chip.tsx';
import { PlaceholderRow, RecordRow } from './record-row.tsx';
import { renderedRows } from './rendered-rows.ts';
import { useListKeys } from './use-list-keys.ts';
import type { RecordList } from './use-record-list.ts';

import classes from './records.module.css';

/** Row heights in pixels. The style sheet has the same numbers. */
const ROW_HEIGHT_PX = { wide: 36, narrow: 60 };
const HEAD_HEIGHT_PX = { wide: 32, narrow: 0 };
const NARROW_QUERY = '(max-width: 860px)';

const OVERSCAN = 20;
const PLACEHOLDERS = 60;
/** If fewer rows than this are left, the next page starts to load. At fast scrolling, these rows last nearly a second. */
const PREFETCH_ROWS = 150;

const NO_ROWS: readonly RecordSummary[] = [];

export interface RecordTableHandle {
  /** Moves the focus to the active row. */
  focus(): void;
  toTop(): void;
}

/**
 * How long the user still counts as reading after the pointer left the list. In this time the rows stay in place, so that the
 * user can reach the "new records" button.
 */
const LINGER_MS = 1500;

export function RecordTable({
  list,
  filter,
  change,
  openId,
  setReading,
  setRowInView,
  ref,
}: FilterProps & {
  readonly list: RecordList;
  readonly openId: number | undefined;
  readonly setReading: (isReading: boolean) => void;
  readonly setRowInView: (row: number | undefined) => void;
  readonly ref: Ref<RecordTableHandle>;
}) {
  const { t } = useTranslation('records');
  const formats = useStoreFormats();
  const width = useMediaQuery(NARROW_QUERY, undefined, { getInitialValueInEffect: false }) ? 'narrow' : 'wide';
  const { rows = NO_ROWS, hasMore, total, moreFailed, loadMore, isOld } = list;
  const isPending = list.rows === undefined;
  const toCome = isPending ? 30 : hasMore && !moreFailed ? placeholders(total, rows.length) : 0;
  const count = rows.length + toCome;

  const [wanted, setActive] = useState(0);
  const active = Math.min(wanted, Math.max(0, rows.length - 1));

  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX[width],
    getItemKey: (index) => rows[index]?.recordId ?? `to come ${index}`,
    overscan: OVERSCAN,
    rangeExtractor: useCallback((range: Range) => renderedRows(range, active), [active]),
    scrollMargin: HEAD_HEIGHT_PX[width],
    scrollPaddingStart: HEAD_HEIGHT_PX[width],
  });
  const items = virtualizer.getVirtualItems();
  useEffect(() => virtualizer.measure(), [virtualizer, width]);

  const lastSeen = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && !moreFailed && lastSeen >= rows.length - PREFETCH_ROWS) loadMore();
  }, [hasMore, moreFailed, lastSeen, rows.length, loadMore]);

  const firstSeen = Math.max(0, Math.floor((virtualizer.scrollOffset ?? 0) / ROW_HEIGHT_PX[width]));
  const isScrolling = virtualizer.isScrolling;
  useEffect(() => setRowInView(isScrolling ? undefined : firstSeen), [setRowInView, isScrolling, firstSeen]);

  // The user counts as reading while the list is scrolled down, is under the pointer, or has the focus.
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocused] = useState(false);
  const isReading = firstSeen > 0 || isPointedAt || hasFocus;
  useEffect(() => {
    if (isReading) return setReading(true);
    const timer = setTimeout(() => setReading(false), LINGER_MS);
    return () => clearTimeout(timer);
  }, [setReading, isReading]);
  useEffect(() => () => setReading(false), [setReading]);

  // With another filter, the list starts at its top.
  const place = JSON.stringify(filter);
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [place]);

  const goTo = useListKeys({
    rows,
    active,
    setActive,
    openId,
    scroller,
    page: Math.floor((scroller.current?.clientHeight ?? 360) / ROW_HEIGHT_PX[width]),
    scrollTo: virtualizer.scrollToIndex,
  });
  useImperativeHandle(ref, () => ({ focus: () => goTo(active), toTop: () => virtualizer.scrollToOffset(0) }), [
    goTo,
    active,
    virtualizer,
  ]);

  return (
    <div
      className={classes.frame}
      onPointerMove={({ pointerType }) => setPointedAt(pointerType === 'mouse')}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={({ target }) => setFocused(target.closest('[data-index]') !== null)}
      onBlur={({ currentTarget, relatedTarget }) => setFocused(currentTarget.contains(relatedTarget))}
    >
      <div
        ref={scroller}
        role="table"
        aria-label={t('list')}
        aria-rowcount={total === null ? -1 : total + 1}
        aria-busy={isPending || isOld}
        className={classes.scroller}
        data-old={isOld || undefined}
      >
        {width === 'wide' && <Head filter={filter} change={change} />}
        <div role="rowgroup" className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            const top = start - HEAD_HEIGHT_PX[width];
            return row === undefined ? (
              <PlaceholderRow key={key} top={top} />
            ) : (
              <RecordRow
                key={key}
                row={row}
                index={index}
                top={top}
                isOpen={row.recordId === openId}
                isActive={index === active}
                isNew={row.recordId > list.newestBefore}
                onActive={setActive}
                formats={formats}
              />
            );
          })}
        </div>
        {moreFailed && (
          <div className={classes.failed} role="alert">
            <Text fw={600}>{t('nextFailed')}</Text>
            <Button variant="light" size="sm" onClick={list.retry}>
              {t('tryAgain')}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function placeholders(total: number | null, rows: number): number {
  return total === null ? PLACEHOLDERS : Math.min(PLACEHOLDERS, Math.max(1, total - rows));
}

function Head({ filter, change }: FilterProps) {
  const { t } = useTranslation('records');
  const isOldest = filter.order === 'oldest';
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        <span role="columnheader" aria-sort={sortOf(filter)}>
          {!isInOrderOfId(filter) ? (
            <UnstyledButton
              className={classes.sort}
              onClick={() => change({ order: isOldest ? undefined : 'oldest' })}
              title={t(isOldest ? 'sortOldest' : 'sortNewest')}
            >
              {t('soldAt')}
              {isOldest ? <ArrowUp size={14} aria-hidden /> : <ArrowDown size={14} aria-hidden />}
            </UnstyledButton>
          ) : (
            t('soldAt')
          )}
        </span>
        {(['id', 'type', 'till', 'amount', 'status', 'delivery'] as const).map((name) => (
          <span
            key={name}
            role="columnheader"
            className={name === 'amount' ? classes.amount : undefined}
            {...(name === 'id' && isInOrderOfId(filter) && { 'aria-sort': 'ascending' as const })}
          >
            {t(name)}
          </span>
        ))}
      </div>
    </div>
  );
}

function sortOf(filter: RecordSearch): 'none' | 'ascending' | 'descending' {
  if (isInOrderOfId(filter)) return 'none';
  return filter.order === 'oldest' ? 'ascending' : 'descending';
}
