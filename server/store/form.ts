// What people may fill in, wherever they do: names, adopted keys, and what an administration is on the earlier interface.

import { type Status, STATUSES, TEST_HOST_PREFIX } from '../contract.ts';
import type { Resource } from './administration.ts';

/** Of an administration or a till, without spaces around it: 1 to 100 characters, none of them a control character. */
export function isName(text: string): boolean {
  return text.length >= 1 && text.length <= 100 && !/\p{Cc}/u.test(text) && text.isWellFormed() && text === text.trim();
}

/** A key that a till sends in a header already: long enough not to be guessed. Its prefix is another matter. */
export function isAdoptable(secret: string): boolean {
  return /^[\w.~+/=-]{13,255}$/.test(secret);
}

/** A label of a domain name in lower case (RFC 1123), as a customer's name or id. */
export function isHostPart(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text) && text !== TEST_HOST_PREFIX;
}

/** /c/ begins an address with the customer in it; . and .. are steps in a path. */
export function isVersion(text: string): boolean {
  return /^[\w.-]{1,32}$/.test(text) && !['c', '.', '..'].includes(text);
}

/** `raw_transactions` is a resource of the current interface, and `timestamp` has a meaning of its own. */
export function isResource({ name, idParameter }: Resource): boolean {
  return (
    /^[\w-]{1,64}$/.test(name) &&
    name !== 'raw_transactions' &&
    /^[\w.-]{1,64}$/.test(idParameter) &&
    idParameter !== 'timestamp'
  );
}

/** NEW is always among them: a duplicate without its original would be the original upstream. */
export function isForwardable(statuses: readonly string[]): statuses is readonly Status[] {
  const known = STATUSES.filter((status) => statuses.includes(status));
  return known.length === statuses.length && known.includes('NEW');
}
