// What people may fill in, wherever they do: names, adopted keys, and what an administration is on the earlier interface.

import {
  ADOPTED_KEY,
  MAX_NAME_LENGTH,
  MAX_EXTERNAL_ID,
  type Status,
  STATUSES,
  TEST_HOST_PREFIX,
} from '../../contract/codes.ts';
import type { Resource } from './ledger.ts';

/** A name as it is kept: without spaces around it, and each accent written in one way. */
export function tidyName(text: string): string {
  return text.trim().normalize('NFC');
}

/** Of an administration, a till or a user, tidy: what is not to be seen could pass one for another. */
export function isName(text: string): boolean {
  return (
    text === tidyName(text) &&
    text.isWellFormed() &&
    text.length <= MAX_NAME_LENGTH &&
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) &&
    !/\p{Cc}/u.test(text) &&
    !INVISIBLE.test(text) &&
    !['.', '..'].includes(text) // steps in a path
  );
}

/** What `isName` asks for, as a sentence without its subject. */
export const NAME_FORM = `must have 1 to ${MAX_NAME_LENGTH} characters, none of them invisible, and be more than . or ..`;

/** Soft hyphens, zero-width spaces, and what turns the direction of writing round. Joiners are part of some scripts. */
const INVISIBLE = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/;

/** Two names are taken for the same when they differ in capitals, or in how a letter or a space is written. */
export function foldName(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Characters of a record's type. */
export const MAX_TYPE_LENGTH = 100;

/** Whether a text has 1 to `most` characters (code points). */
export function isWithin(text: string, most: number): boolean {
  if (text.length <= most) return text.length > 0;
  return text.length <= 2 * most && [...text].length <= most;
}

/** Well-formed and without control characters. */
export function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

export function isRecordType(text: string): boolean {
  return isWithin(text, MAX_TYPE_LENGTH) && isPlain(text);
}

export function isExternalId(text: string): boolean {
  return isWithin(text, MAX_EXTERNAL_ID) && isPlain(text);
}

/** A key that a till sends in a header already. Its prefix is another matter. */
export function isAdoptable(secret: string): boolean {
  return secret.length >= ADOPTED_KEY.min && secret.length <= ADOPTED_KEY.max && /^[\w.~+/=-]+$/.test(secret);
}

/** What `isAdoptable` asks for, as a sentence without its subject and verb. */
export const ADOPTABLE_FORM = `${ADOPTED_KEY.min} to ${ADOPTED_KEY.max.toLocaleString('en')} characters: letters, digits and . _ ~ + / = -`;

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
