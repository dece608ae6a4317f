// What the search field of Records searches: the beginning or the end of ids, or amounts. The text says which, until somebody
// chooses. Pure.

import { readTypedAmount } from '../../server/contract/amounts.ts';
import type { RecordSearch } from './search-parameters.ts';

/** Names of the parameters in the address. */
export const SEARCH_KINDS = ['id', 'idEnd', 'amount'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** The search in the address; undefined if there is none. */
export function searchIn(filter: RecordSearch): { readonly kind: SearchKind; readonly text: string } | undefined {
  for (const kind of SEARCH_KINDS) {
    const text = filter[kind];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** `before` is the kind of the search before this text was typed. */
export function kindOf(text: string, before: SearchKind | undefined): SearchKind {
  if (before === 'idEnd') return 'idEnd';
  if (before === 'amount' && isAmount(text)) return 'amount';
  return looksLikeAmount(text) ? 'amount' : 'id';
}

/** Whether the text can be searched as an amount. */
export function isAmount(text: string): boolean {
  return readTypedAmount(text) !== undefined;
}

/** Ids often have digits only. A decimal sign or a currency sign makes an amount: 12,50, 12.5 and € 12. */
function looksLikeAmount(text: string): boolean {
  return isAmount(text) && (/\d[.,]\d{1,2}$/.test(text) || /\p{Sc}/u.test(text));
}

/** The change of the address that searches for a text; an empty text ends the search. */
export function searchFor(text: string, kind: SearchKind): { readonly [Name in SearchKind]: string | undefined } {
  const found = text === '' ? undefined : text;
  return { id: undefined, idEnd: undefined, amount: undefined, [kind]: found };
}

/** Whether the list is in the order of ids, not of the times of sale. */
export function isInOrderOfId({ id, idEnd, from, to }: RecordSearch): boolean {
  return id !== undefined || (idEnd !== undefined && (from === undefined || to === undefined));
}
