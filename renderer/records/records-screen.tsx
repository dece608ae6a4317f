// Records: all, or those that match the filter in the address. An open record lies over the list, which keeps its place.

import { Anchor, Button, Center, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { JournalView } from '../../server/contract/setup.ts';
import { overviewQuery } from '../api/queries.ts';
import { CsvExport } from '../components/csv-export.tsx';
import { FailedScreen } from '../components/screen-fallbacks.tsx';
import { isAmount, isInOrderOfId, searchFor, searchIn } from '../model/search-kind.ts';
import { parseRecordSearch, type RecordSearch } from '../model/search-parameters.ts';
import { useIsManager, useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { FilterBar, RecordSearchField } from './filter-bar.tsx';
import { type Change, type FilterProps, NO_FILTER } from './filter-chip.tsx';
import type { ListChange } from './list-change.ts';
import { NeighboursContext, useNeighbours } from './neighbours.tsx';
import { RecordTable, type RecordTableHandle } from './record-table.tsx';
import { useRecordList } from './use-record-list.ts';

import classes from './records.module.css';

export function RecordsScreen(): ReactNode {
  const journal = useSelectedJournal();
  return journal === undefined ? <NothingYet /> : <Records key={journal.id} journal={journal} />;
}

function Records({ journal }: { readonly journal: JournalView }) {
  const { t } = useTranslation('records');
  const search = useSearch({ from: '/records' });
  const filter = useMemo(() => parseRecordSearch({ ...search }), [search]);
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Change) =>
      void navigate({
        to: '/records',
        search: (before) => parseRecordSearch({ ...before, ...changed }),
        replace: true,
      }),
    [navigate],
  );
  const openId = useOpenRecord();
  const [isReading, setReading] = useState(false);
  const [rowInView, setRowInView] = useState<number>();
  const list = useRecordList(journal.id, filter, { isRead: isReading || openId !== undefined, rowInView });

  const input = useRef<HTMLInputElement>(null);
  const table = useRef<RecordTableHandle>(null);
  useSearchShortcut(input);
  const { rows, error } = list;
  const neighbours = useNeighbours(rows, openId);
  const types = useMemo(() => [...new Set(rows?.map(({ type }) => type))].toSorted().slice(0, 8), [rows]);
  // A slow search may return an empty page before it finds something.
  const isEmpty = rows?.length === 0 && !list.hasMore && !list.isOld;
  const { data: overview } = useQuery(overviewQuery(journal.id));
  const isNothingYet = isEmpty && overview?.lastRecord === null;

  return (
    <section className={classes.screen}>
      <div className={classes.top}>
        <Sentence filter={filter} total={isEmpty ? 0 : list.total} isSearching={rows?.length === 0 && list.hasMore} />
        <ListChangeButton
          change={list.change}
          onShow={() => {
            list.showLatest();
            table.current?.toTop();
          }}
        />
        {!isEmpty && <RecordExport journalId={journal.id} filter={filter} />}
      </div>
      {!isNothingYet && (
        <div className={classes.bar}>
          <RecordSearchField filter={filter} change={change} inputRef={input} onLeave={() => table.current?.focus()} />
          <FilterBar filter={filter} change={change} journal={journal} types={types} />
        </div>
      )}
      {list.isFilling && <Text size="sm">{t('amountsFilling')}</Text>}
      <NeighboursContext value={neighbours}>
        {error !== null ? (
          <FailedScreen error={error} reset={list.retry} />
        ) : isNothingYet ? (
          <NothingYet />
        ) : isEmpty ? (
          <NoMatch filter={filter} change={change} />
        ) : (
          <RecordTable
            ref={table}
            list={list}
            filter={filter}
            change={change}
            openId={openId}
            setReading={setReading}
            setRowInView={setRowInView}
          />
        )}
        <Outlet />
      </NeighboursContext>
    </section>
  );
}

/** If the user has chosen no status, the file contains only sales. Then the menu also offers a file with all records. */
function RecordExport({ journalId, filter }: { readonly journalId: number; readonly filter: RecordSearch }) {
  const { t } = useTranslation('export');
  const file = { path: 'records.csv', parameters: { journal: journalId, ...filter } };
  if (filter.status !== undefined) return <CsvExport file={{ ...file, name: t('shown') }} ml="auto" />;
  const all = { ...file, parameters: { ...file.parameters, status: 'all' }, name: t('all') };
  return <CsvExport file={{ ...file, name: t('sales'), hint: t('salesHint') }} others={[all]} ml="auto" />;
}

/** The open record over the list. */
function useOpenRecord(): number | undefined {
  const { recordId } = useParams({ strict: false });
  return recordId === undefined ? undefined : Number(recordId);
}

/** Focuses the search field when the address gets the hash `#search`. The keyboard shortcut `/` opens that address. */
function useSearchShortcut(input: React.RefObject<HTMLInputElement | null>): void {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  useEffect(() => {
    if (hash !== 'search') return;
    input.current?.focus();
    input.current?.select();
    // Removes the hash. Otherwise pressing `/` again would change nothing.
    void navigate({ to: '.', search: (before) => before, hash: '', replace: true });
  }, [hash, input, navigate]);
}

function Sentence({
  filter,
  total,
  isSearching,
}: {
  readonly filter: RecordSearch;
  readonly total: number | null;
  readonly isSearching: boolean;
}) {
  const { t } = useTranslation('records');
  const formats = useStoreFormats();
  const order = isInOrderOfId(filter) ? 'byId' : (filter.order ?? 'newest');
  const countText = (): string => {
    if (isSearching) return t('searching');
    if (total === 0) return t('none');
    return total === null ? t(`${order}All`) : t(order, { count: total, n: formats.number(total) });
  };
  return (
    <Title order={2} size="md" aria-live="polite">
      {countText()}
    </Title>
  );
}

/** Announces new records instead of moving the rows that the user reads. */
function ListChangeButton({
  change,
  onShow,
}: {
  readonly change: ListChange | undefined;
  readonly onShow: () => void;
}) {
  const { t } = useTranslation('records');
  const formats = useStoreFormats();
  return (
    <div role="status">
      {change !== undefined && (
        <Button size="sm" radius="xl" leftSection={<ArrowUp size={14} aria-hidden />} onClick={onShow}>
          {change.arrived === 0
            ? t('changed')
            : t(change.isMore ? 'arrivedMore' : 'arrivedNew', {
                count: change.arrived,
                n: formats.number(change.arrived),
              })}
        </Button>
      )}
    </div>
  );
}

function NoMatch({ filter, change }: FilterProps) {
  const { t } = useTranslation('records');
  const search = searchIn(filter);
  const others = search === undefined ? [] : (['idEnd', 'amount'] as const).filter((kind) => kind !== search.kind);
  return (
    <Center mih={240}>
      <Stack align="center" gap="xs" role="status">
        <Text fw={600}>{t('noMatch')}</Text>
        <Text c="dimmed">{t('noMatchHint')}</Text>
        {search !== undefined &&
          others
            .filter((kind) => kind === 'idEnd' || isAmount(search.text))
            .map((kind) => (
              <Button key={kind} variant="light" onClick={() => change(searchFor(search.text, kind))}>
                {t(kind === 'idEnd' ? 'endInstead' : 'amountInstead', { text: search.text })}
              </Button>
            ))}
        <Button variant="light" onClick={() => change(NO_FILTER)}>
          {t('removeAll')}
        </Button>
      </Stack>
    </Center>
  );
}

function NothingYet() {
  const { t } = useTranslation('records');
  const isManager = useIsManager();
  return (
    <Center mih={240}>
      <Stack align="center" gap="xs" role="status">
        <Text fw={600} ta="center">
          {t('nothingYetHint')}
        </Text>
        {isManager && (
          <Anchor component={Link} to="/tills">
            {t('setUpTill')}
          </Anchor>
        )}
      </Stack>
    </Center>
  );
}
