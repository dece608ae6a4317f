import { describe, expect, test } from 'vitest';

import { isFound } from '../../../renderer/components/find-words.ts';
import { clockOfMinutes, DAY_STARTS } from '../../../renderer/settings/day-start.ts';
import { formatResources, parseItems, parseResources } from '../../../renderer/settings/item-list.ts';
import { flagOf, variableOf } from '../../../renderer/settings/setting-name.ts';

test('a day starts on a quarter hour', () => {
  expect(clockOfMinutes(0)).toBe('00:00');
  expect(clockOfMinutes(245)).toBe('04:05');
  expect(DAY_STARTS).toHaveLength(96);
  expect(DAY_STARTS.at(-1)).toEqual({ value: '1425', label: '23:45' });
});

test('a setting is found by every word that is typed, in any order and case', () => {
  const texts = ['Time zone', 'For everybody'];
  expect(isFound(texts, '')).toBe(true);
  expect(isFound(texts, ' EVERYBODY  time ')).toBe(true);
  expect(isFound(texts, 'time port')).toBe(false);
});

describe('a list', () => {
  test('is what stands between commas', () => {
    expect(parseItems(' v1 ,, v2,')).toEqual(['v1', 'v2']);
    expect(parseItems('')).toEqual([]);
  });

  test('of resources names an id only where it is not the usual one', () => {
    const resources = [
      { name: 'transaction', idParameter: 'transactionid' },
      { name: 'refund', idParameter: 'refundid' },
    ];
    expect(formatResources(resources)).toBe('transaction, refund:refundid');
    expect(parseResources('transaction , refund: refundid')).toEqual(resources);
  });
});

test('a setting of the gateway is a flag and a variable, too', () => {
  expect(flagOf('consolePort')).toBe('--console-port');
  expect(variableOf('consolePort')).toBe('COUNTERFOIL_CONSOLE_PORT');
});
