import { describe, expect, test } from 'vitest';

import { formatResources, parseItems, parseResources } from '../../../renderer/settings/item-list.ts';

describe('a list', () => {
  test('contains the items between commas', () => {
    expect(parseItems(' v1 ,, v2,')).toEqual(['v1', 'v2']);
    expect(parseItems('')).toEqual([]);
  });

  test('of resources names the id parameter only if it is not the default', () => {
    const resources = [
      { name: 'transaction', idParameter: 'transactionid' },
      { name: 'refund', idParameter: 'refundid' },
    ];
    expect(formatResources(resources)).toBe('transaction, refund:refundid');
    expect(parseResources('transaction , refund: refundid')).toEqual(resources);
  });
});
