// What is to be said of calls that were refused for one reason: when, whether it goes on, and where it is mended. Pure: the
// words are said elsewhere.

import type { ErrorCode } from '../../server/contract/codes.ts';
import type { RefusalGroup } from '../../server/contract/records.ts';
import type { Catalogue } from '../locales/catalogue.ts';

/** It goes on while the last one is no longer ago. */
const GOES_ON_MS = 15 * 60_000;
/** Calls so close together came at one time. */
const AT_ONCE_MS = 60_000;
export type When = 'since' | 'at' | 'between';

export function goesOn({ lastAt }: RefusalGroup, now: number): boolean {
  return now - lastAt < GOES_ON_MS;
}

export function whenOf(group: RefusalGroup, now: number): When {
  if (group.calls === 1 || group.lastAt - group.firstAt < AT_ONCE_MS) return 'at';
  return goesOn(group, now) ? 'since' : 'between';
}

/** What a person can do something with at once. */
export type Remedy = 'keys' | 'address' | 'field' | 'upstream' | undefined;

export function remedyOf(code: ErrorCode): Remedy {
  switch (code) {
    case 'key_missing':
    case 'key_unknown':
    case 'key_revoked':
    case 'key_wrong_kind':
    case 'address_mismatch':
      return 'keys';
    case 'not_found':
    case 'method_not_allowed':
      return 'address';
    case 'field_invalid':
    case 'query_invalid':
    case 'end_point_invalid':
      return 'field';
    case 'forwarding_loop':
      return 'upstream';
    default:
      return undefined;
  }
}

/** An address as people know it: 192.168.1.20, not ::ffff:192.168.1.20. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** The name under which the catalogue speaks of a code. Failures of one call are no fault of a sender's, and are in the log. */
export function wordOf(code: ErrorCode): keyof Catalogue['refusal'] {
  switch (code) {
    case 'internal':
    case 'store_busy':
    case 'store_damaged':
      return 'other';
    default:
      return code;
  }
}
