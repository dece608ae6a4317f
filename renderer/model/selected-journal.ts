// Whose records are looked at: the journal in the address, else the first in production. The one that this browser looked at
// last is put into the address when the console starts.

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';

import type { JournalView } from '../../server/contract/setup.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { journalsQuery, sessionQuery } from '../api/queries.ts';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { type Formats, useFormats } from '../locales/format.ts';
import { parseJournalSearch, parseSearch } from './search-parameters.ts';

const LAST = 'counterfoil.journal';

/** Puts the journal that was looked at last into an address that names none; before the router first reads it. */
export function restoreJournal(): void {
  const { journal: last } = parseJournalSearch({ journal: readStored(LAST) });
  if (last === undefined || parseJournalSearch(parseSearch(location.search)).journal !== undefined) return;
  const address = new URL(location.href);
  address.searchParams.set('journal', String(last));
  history.replaceState(history.state, '', address);
}

/** Remembers what the address names for the next start; one component does, for all. */
export function useRememberJournal(): void {
  const { journal } = useSearch({ from: '__root__' });
  useEffect(() => {
    if (journal !== undefined) keepStored(LAST, String(journal));
  }, [journal]);
}

export function findJournal(journals: readonly JournalView[], wanted: number | undefined): JournalView | undefined {
  return (
    journals.find(({ id }) => id === wanted) ?? journals.find(({ mode }) => mode === 'production') ?? journals.at(0)
  );
}

/** The journal that is looked at; undefined before the first store is set up. */
export function useSelectedJournal(): JournalView | undefined {
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const { journal } = useSearch({ from: '__root__' });
  return findJournal(journals, journal);
}

/** On screens that there are only with a store. */
export function useJournal(): JournalView {
  const journal = useSelectedJournal();
  if (journal === undefined) throw new Error('there is no store yet');
  return journal;
}

/** Looks at the records of another one on the same screen; from a record, which is of one only, at their list. */
export function useSwitchJournal(): (journal: number) => void {
  const { recordId } = useParams({ strict: false });
  const navigate = useNavigate();
  const to = recordId === undefined ? '.' : '/records';
  return useCallback((journal) => void navigate({ to, search: { journal } }), [navigate, to]);
}

/** Numbers and times as the store says them. */
export function useStoreFormats(): Formats {
  const journal = useSelectedJournal();
  return useFormats(journal?.timeZone ?? machineZone());
}

/** Whether the one who looks may change things. */
export function useIsManager(): boolean {
  return useQuery(sessionQuery).data?.role === 'manager';
}
