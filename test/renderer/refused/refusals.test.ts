import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import {
  faultKeyOf,
  fieldOf,
  isContinuing,
  plainAddress,
  remedyOf,
  textKeyOf,
  whenOf,
} from '../../../renderer/refused/refusals.ts';
import { CALL_FAULTS, ERROR_CODES, type ErrorCode } from '../../../server/contract/codes.ts';
import type { RefusalGroup } from '../../../server/contract/records.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const group = (firstAgo: number, lastAgo: number, calls = 2): RefusalGroup =>
  ({ calls, firstAt: NOW - firstAgo * MINUTE, lastAt: NOW - lastAgo * MINUTE }) as RefusalGroup;
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('refused calls', () => {
  test.each([
    ['calls that continue', group(300, 1), 'since'],
    ['calls that have ended', group(300, 60), 'between'],
    ['one call', group(1, 1, 1), 'at'],
    ['calls within a minute', group(60.5, 60), 'at'],
  ] as const)('when: %s', (_, calls, when) => {
    expect(whenOf(calls, NOW)).toBe(when);
  });

  test('refusals no longer continue a quarter of an hour after the last call', () => {
    expect([isContinuing(group(20, 14), NOW), isContinuing(group(20, 15), NOW)]).toEqual([true, false]);
  });

  test.each(codes)('%s has a sentence, an explanation and a remedy', (code) => {
    const word = textKeyOf(code);
    expect(en.refusal[word]).toMatch(/\{\{who\}\}.*\{\{calls\}\}.*\{\{when\}\}/);
    expect([en.refusalMeans[word], en.refusalRemedy[word]]).not.toContain('');
    expect(word === 'other').toBe(['internal', 'store_busy', 'store_damaged'].includes(code));
  });

  test('problems with keys are fixed on the tills screen', () => {
    expect(codes.filter((code) => remedyOf(code) === 'keys')).toEqual([
      'key_missing',
      'key_unknown',
      'key_revoked',
      'key_wrong_kind',
      'address_mismatch',
    ]);
  });

  test('a fault has words and the name of its field', () => {
    for (const code of CALL_FAULTS) expect(en.refusalFault[faultKeyOf({ pointer: '', code }) ?? 'value']).not.toBe('');
    expect(faultKeyOf({ pointer: '', code: 'of_a_later_version' })).toBeUndefined();
    const fields = ['', '/timestamp', '/amounts/0/amount', '/a~1b~0c'].map((pointer) => fieldOf({ pointer, code: '' }));
    expect(fields).toEqual(['', 'timestamp', 'amounts.0.amount', 'a/b~c']);
  });

  test('an address is shown in its usual form', () => {
    expect([plainAddress('::ffff:192.168.1.20'), plainAddress('fe80::1')]).toEqual(['192.168.1.20', 'fe80::1']);
  });
});
