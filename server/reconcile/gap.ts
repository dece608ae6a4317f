// Gaps: numbers that were skipped among the ids of a day, for people to look after; no verdict depends on them.

import type { GapsView } from '../contract.ts';
import type { Range } from '../store/count.ts';
import type { Store } from '../store/store.ts';
import { idOf, learnSequences, viewSequence } from './sequence.ts';

/** Lists the gaps in the ids that were sold in a range. */
export async function listGaps({ days }: Pick<Store, 'days'>, journalId: number, range: Range): Promise<GapsView> {
  const { tills, isPartial } = await days.listSoldIds(journalId, range);
  const sequences = learnSequences(tills);
  const skipped = sequences.flatMap((sequence) => sequence.skipped.map((number) => idOf(sequence, number)));
  const elsewhere = await days.findOriginals(journalId, skipped);
  const here = new Set(elsewhere.map(({ externalId }) => externalId));
  return { sequences: sequences.map((sequence) => viewSequence(sequence, (id) => here.has(id))), isPartial };
}
