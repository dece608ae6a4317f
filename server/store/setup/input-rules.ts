// The rules for the values that people enter: names, adopted keys, and the settings of the earlier interface.

import {
  ACTORS,
  ADOPTED_KEY,
  MAX_NAME_LENGTH,
  MAX_EXTERNAL_ID,
  type Status,
  STATUSES,
  TEST_HOST_PREFIX,
} from '../../contract/codes.ts';
import type { Resource } from '../../contract/setup.ts';

/** The stored form of a name: no spaces around it, and one spelling of each accent (NFC). */
export function tidyName(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * Whether a tidy text can name an administration, a till or a user. Invisible characters could make two names look the same.
 */
export function isName(text: string): boolean {
  return (
    text === tidyName(text) &&
    text.isWellFormed() &&
    text.length <= MAX_NAME_LENGTH &&
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) &&
    !/\p{Cc}/u.test(text) &&
    !INVISIBLE.test(text) &&
    !['.', '..'].includes(text) // these are steps in a path
  );
}

/** The rule of `isName` as the end of an error message. The caller puts the subject before it. */
export const NAME_FORM = `must have 1 to ${MAX_NAME_LENGTH} characters, without invisible ones, and must not be . or ..`;

/**
 * Soft hyphens, zero-width spaces, and characters that reverse the writing direction. Joiners are allowed, because some scripts
 * need them.
 */
const INVISIBLE = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/;

/** Returns the same text for names that differ only in capitals, spaces or the encoding of a letter. */
export function foldName(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Whether the log of acts uses this name for an actor that is not a user, such as the gateway. No user can have this name. */
export function isReservedName(name: string): boolean {
  return (Object.values(ACTORS) as readonly string[]).includes(foldName(name));
}

/** In characters. */
export const MAX_TYPE_LENGTH = 100;

/** Whether a text has 1 to `max` characters (code points). */
export function isWithin(text: string, max: number): boolean {
  if (text.length <= max) return text.length > 0;
  return text.length <= 2 * max && [...text].length <= max;
}

/** Whether a text is well-formed Unicode without control characters. */
export function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

export function isRecordType(text: string): boolean {
  return isWithin(text, MAX_TYPE_LENGTH) && isPlain(text);
}

export function isExternalId(text: string): boolean {
  return isWithin(text, MAX_EXTERNAL_ID) && isPlain(text);
}

/** Whether a key that a till already uses has a valid form. `adoptionOf` checks its prefix. */
export function isAdoptable(secret: string): boolean {
  return secret.length >= ADOPTED_KEY.min && secret.length <= ADOPTED_KEY.max && /^[\w.~+/=-]+$/.test(secret);
}

/** The rule of `isAdoptable` as the end of an error message. The caller puts the beginning before it. */
export const ADOPTABLE_FORM = `${ADOPTED_KEY.min} to ${ADOPTED_KEY.max} characters: letters, digits and . _ ~ + / = -`;

/** Whether a text can be a customer's name or id: one label of a domain name (RFC 1123), in lower case. */
export function isHostPart(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text) && text !== TEST_HOST_PREFIX;
}

/**
 * Whether a text can be a version in a path. `c` is not allowed, because `/c/` begins an address with the customer. Also
 * excludes `.` and `..`, which are path steps.
 */
export function isVersion(text: string): boolean {
  return /^[\w.-]{1,32}$/.test(text) && !['c', '.', '..'].includes(text);
}

/**
 * Whether the name and the id parameter of a resource are allowed. The name `raw_transactions` belongs to the current
 * interface. The parameter `timestamp` is never an id.
 */
export function isResource({ name, idParameter }: Resource): boolean {
  return (
    /^[\w-]{1,64}$/.test(name) &&
    name !== 'raw_transactions' &&
    /^[\w.-]{1,64}$/.test(idParameter) &&
    idParameter !== 'timestamp'
  );
}

/**
 * Whether records of these statuses can be forwarded. NEW must be among them. Without the original, the upstream would accept a
 * duplicate as the original.
 */
export function isForwardable(statuses: readonly string[]): statuses is readonly Status[] {
  const known = STATUSES.filter((status) => statuses.includes(status));
  return known.length === statuses.length && known.includes('NEW');
}
