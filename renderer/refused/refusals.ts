// What to say about calls that were refused for one reason: when, whether the refusals continue, and where to fix the cause.
// Pure: other modules choose the words.

import { CALL_FAULTS, type CallFault, type ErrorCode, type FieldFault } from '../../server/contract/codes.ts';
import type { RefusalGroup } from '../../server/contract/records.ts';
import type { Catalogue } from '../locales/catalogue.ts';

/** Refusals count as continuing if the last one is at most this old. */
const CONTINUING_MS = 15 * 60_000;
/** If the first and the last call are closer than this, the screen shows one time instead of a period. */
const SAME_MOMENT_MS = 60_000;
export type When = 'since' | 'at' | 'between';

export function isContinuing({ lastAt }: RefusalGroup, now: number): boolean {
  return now - lastAt < CONTINUING_MS;
}

export function whenOf(group: RefusalGroup, now: number): When {
  if (group.calls === 1 || group.lastAt - group.firstAt < SAME_MOMENT_MS) return 'at';
  return isContinuing(group, now) ? 'since' : 'between';
}

/** The screen where a person can fix the cause. */
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

/** An address in its usual form: 192.168.1.20, not ::ffff:192.168.1.20. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * The text key of an error code. Three codes mean internal failures. Only the gateway's log has their details, so the three
 * codes share one text.
 */
export function textKeyOf(code: ErrorCode): keyof Catalogue['refusal'] {
  switch (code) {
    case 'internal':
    case 'store_busy':
    case 'store_damaged':
      return 'other';
    default:
      return code;
  }
}

/** The text key of a fault; undefined if the console has no words for its code. */
export function faultKeyOf({ code }: FieldFault): CallFault | undefined {
  return CALL_FAULTS.find((each) => each === code);
}

/** The name of the faulty field, such as `amounts.0.amount`. Empty if the fault is about the whole call. */
export function fieldOf({ pointer }: FieldFault): string {
  return pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}
