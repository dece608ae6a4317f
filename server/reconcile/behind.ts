// The records behind the numbers of a day: the findings of its newest verdict, and the ids behind its declared totals. Reads one
// page at a time, because a till may declare more ids than the store's reader thread can hold.

import { type Finding, FINDING_KINDS, MAX_LISTED } from '../contract/days.ts';
import type { DeclaredComparison } from '../contract/declared-totals.ts';
import type { DeclaredDay, DeclaredLedger, UndeclaredId } from '../store/declared/ledger.ts';
import type { Store } from '../store/store.ts';
import type { VerdictLedger } from '../store/verdicts/ledger.ts';

export type RecordBehind = Finding | DeclaredDifference;

/** An id that differs from a declared total. */
export interface DeclaredDifference extends Pick<DeclaredComparison, 'type' | 'till'> {
  readonly kind: 'declared, not here' | 'here, not declared';
  readonly externalId: string;
}

type ReadDay = Pick<DeclaredDay, 'journalId' | 'date' | 'range'>;

/** Lists the findings by kind, then the ids behind each total: first its missing ids, then its undeclared ids. */
export async function* readBehind(
  { verdicts, declared }: Pick<Store, 'verdicts' | 'declared'>,
  { verdictId, ...day }: ReadDay & { readonly verdictId: number | undefined },
): AsyncGenerator<RecordBehind, void> {
  if (verdictId !== undefined) yield* readFindings(verdicts, verdictId);
  for (const total of await declared.compareDay({ ...day, maxListed: 0 })) yield* readDifferences(declared, day, total);
}

async function* readFindings(ledger: VerdictLedger, verdictId: number): AsyncGenerator<Finding, void> {
  for (const kind of FINDING_KINDS)
    yield* readPages<Finding>((limit, last) =>
      ledger.listFindings({ verdictId, kind, limit, after: last?.externalId }),
    );
}

async function* readDifferences(
  ledger: DeclaredLedger,
  { journalId, range }: ReadDay,
  { id: declaredId, type, till, ids }: DeclaredComparison,
): AsyncGenerator<DeclaredDifference, void> {
  if (ids === null) return;
  const total = { journalId, range, declaredId };
  if (ids.missingCount > 0)
    for await (const externalId of readPages<string>((limit, after) => ledger.listMissing({ ...total, limit, after })))
      yield { kind: 'declared, not here', externalId, type, till };
  if (ids.undeclaredCount > 0)
    for await (const { externalId } of readPages<UndeclaredId>((limit, after) =>
      ledger.listUndeclared({ ...total, limit, after }),
    ))
      yield { kind: 'here, not declared', externalId, type, till };
}

/** Yields the rows of all pages. `read` gets the last row of the page before. */
async function* readPages<Row>(
  read: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void> {
  let page = await read(MAX_LISTED, undefined);
  while (page.length > 0) {
    yield* page;
    if (page.length < MAX_LISTED) return;
    page = await read(MAX_LISTED, page.at(-1));
  }
}
