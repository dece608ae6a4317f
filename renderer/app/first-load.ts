// Loads the data of the first screen before rendering. Otherwise React shows "Loading …" for at least 0.3 s, although the
// gateway answers sooner.

import type { QueryClient } from '@tanstack/react-query';

import { journalsQuery, overviewQuery, sessionQuery } from '../api/queries.ts';
import { parseJournalSearch, parseSearch } from '../model/search-parameters.ts';
import { findJournal, restoreJournal } from '../model/selected-journal.ts';

/** After this time, the page renders with the data that have arrived. It shows "Loading …" for the data that have not. */
const MAX_WAIT_MS = 1000;

/** Loads the screen of the current address and the data of the frame. Never rejects: each screen shows its own error. */
export async function loadFirstScreen(client: QueryClient, router: { load(): Promise<void> }): Promise<void> {
  restoreJournal();
  const tooLate = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  const all = Promise.allSettled([fetchFrameData(client), router.load()]);
  await Promise.race([all, tooLate]);
}

async function fetchFrameData(client: QueryClient): Promise<void> {
  const session = await client.query(sessionQuery);
  if (session === null) return;
  const { journal: wanted } = parseJournalSearch(parseSearch(location.search));
  const journal = findJournal(await client.query(journalsQuery), wanted);
  if (journal !== undefined) await client.query(overviewQuery(journal.id));
}
