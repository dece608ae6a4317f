// What is loaded before anything is drawn. React shows what it has waited for no sooner than 0.3 s after it has said
// "Loading …", and the gateway answers sooner than that.

import type { QueryClient } from '@tanstack/react-query';

import { journalsQuery, overviewQuery, sessionQuery } from '../api/queries.ts';
import { parseJournalSearch, parseSearch } from '../model/search-parameters.ts';
import { findJournal, restoreJournal } from '../model/selected-journal.ts';

/** Then what there is so far is drawn, and says that the rest is loading. */
const MAX_MS = 1000;

/** Loads the screen that the address is of, and what every screen shows. Never rejects: a screen says itself what has failed. */
export async function loadFirstScreen(client: QueryClient, router: { load(): Promise<void> }): Promise<void> {
  restoreJournal();
  const tooLate = new Promise((resolve) => setTimeout(resolve, MAX_MS));
  const all = Promise.allSettled([askFirst(client), router.load()]);
  await Promise.race([all, tooLate]);
}

async function askFirst(client: QueryClient): Promise<void> {
  const session = await client.query(sessionQuery);
  if (session === null) return;
  const { journal: wanted } = parseJournalSearch(parseSearch(location.search));
  const journal = findJournal(await client.query(journalsQuery), wanted);
  if (journal !== undefined) await client.query(overviewQuery(journal.id));
}
