// The kind of search on the screen Records: by the beginning of an id, by its end, or by amount. The typed text decides the
// kind until the user chooses one. Pure.

import { readTypedAmount } from '../../server/contract/amounts.ts';
import type { RecordSearch } from './search-parameters.ts';

/** The kinds of search. They are also the names of URL parameters. */
export const SEARCH_KINDS = ['id', 'idEnd', 'amount'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Returns the search that the URL parameters contain; undefined if there is none. */
export function searchIn(filter: RecordSearch): { readonly kind: SearchKind; readonly text: string } | undefined {
  for (const kind of SEARCH_KINDS) {
    const text = filter[kind];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** Returns the kind of search for a text. `before` is the kind before the user typed this text. */
export function kindOf(text: string, before: SearchKind | undefined): SearchKind {
  if (before === 'idEnd') return 'idEnd';
  if (before === 'amount' && isAmount(text)) return 'amount';
  return looksLikeAmount(text) ? 'amount' : 'id';
}

/** Whether the text is a valid amount. */
export function isAmount(text: string): boolean {
  return readTypedAmount(text) !== undefined;
}

/** Many ids are only digits. So an amount needs decimals or a currency sign: 12,50, 12.5 or € 12. */
function looksLikeAmount(text: string): boolean {
  return isAmount(text) && (/\d[.,]\d{1,2}$/.test(text) || /\p{Sc}/u.test(text));
}

/** The change of the URL parameters that starts a search for a text. An empty text ends the search. */
export function searchFor(text: string, kind: SearchKind): { readonly [Name in SearchKind]: string | undefined } {
  const found = text === '' ? undefined : text;
  return { id: undefined, idEnd: undefined, amount: undefined, [kind]: found };
}

/** Whether the list is sorted by id. Otherwise it is sorted by time of sale. */
export function isInOrderOfId({ id, idEnd, from, to }: RecordSearch): boolean {
  return id !== undefined || (idEnd !== undefined && (from === undefined || to === undefined));
}
