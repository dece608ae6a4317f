// The selected journal: the journal in the address, otherwise the first production journal. When the console starts, the
// address gets the journal that was selected last in this browser.

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';

import type { JournalView } from '../../server/contract/setup.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { journalsQuery, sessionQuery } from '../api/queries.ts';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { type Formats, useFormats } from '../locales/format.ts';
import { parseJournalSearch, parseSearch } from './search-parameters.ts';

const STORAGE_NAME = 'counterfoil.journal';

/** Puts the last selected journal into an address that names no journal. Call before the router reads the address. */
export function restoreJournal(): void {
  const { journal: last } = parseJournalSearch({ journal: readStored(STORAGE_NAME) });
  if (last === undefined || parseJournalSearch(parseSearch(location.search)).journal !== undefined) return;
  const address = new URL(location.href);
  address.searchParams.set('journal', String(last));
  history.replaceState(history.state, '', address);
}

/** Stores the journal in the address for the next start of the console. Use this hook in only one component. */
export function useRememberJournal(): void {
  const { journal } = useSearch({ from: '__root__' });
  useEffect(() => {
    if (journal !== undefined) keepStored(STORAGE_NAME, String(journal));
  }, [journal]);
}

export function findJournal(journals: readonly JournalView[], wanted: number | undefined): JournalView | undefined {
  return (
    journals.find(({ id }) => id === wanted) ?? journals.find(({ mode }) => mode === 'production') ?? journals.at(0)
  );
}

/** The selected journal; undefined before the first store exists. */
export function useSelectedJournal(): JournalView | undefined {
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const { journal } = useSearch({ from: '__root__' });
  return findJournal(journals, journal);
}

/** The selected journal, for screens that need a store. Throws before the first store exists. */
export function useJournal(): JournalView {
  const journal = useSelectedJournal();
  if (journal === undefined) throw new Error('there is no store yet');
  return journal;
}

/** Selects another journal on the same screen. An open record closes, because it belongs to one journal. */
export function useSwitchJournal(): (journal: number) => void {
  const { recordId } = useParams({ strict: false });
  const navigate = useNavigate();
  const to = recordId === undefined ? '.' : '/records';
  return useCallback((journal) => void navigate({ to, search: { journal } }), [navigate, to]);
}

/** Number and time formats in the store's zone. */
export function useStoreFormats(): Formats {
  const journal = useSelectedJournal();
  return useFormats(journal?.timeZone ?? machineZone());
}

/** True if the signed-in user is a manager. */
export function useIsManager(): boolean {
  return useQuery(sessionQuery).data?.role === 'manager';
}
