import { describe, expect, test } from 'vitest';

import { groupHeld } from '../../../renderer/upstream/held-group.ts';
import type { RecordSummary } from '../../../server/contract/records.ts';

function held(recordId: number, answerStatus: number | null, answer: string | null): RecordSummary {
  return {
    recordId,
    administration: 'Bakery',
    mode: 'production',
    till: 'Till 1',
    keyId: 1,
    interface: 'current',
    version: null,
    method: null,
    status: 'NEW',
    originalId: null,
    externalId: `T1-${recordId}`,
    type: 'sale',
    soldAt: 0,
    receivedAt: 0,
    bytes: 1,
    amount: null,
    clock: undefined,
    delivery: {
      state: 'held',
      attempts: 1,
      answeredAt: 0,
      answerStatus,
      answer,
      cause: answerStatus === null ? { code: 'damaged', detail: null } : null,
      upstreamStatus: null,
      reason: null,
    },
  };
}

describe('held records', () => {
  test('form one group if their answers differ only in ids and numbers, largest group first', () => {
    const groups = groupHeld([
      held(1, 413, 'Too large'),
      held(2, 422, 'T1-2 has no vat'),
      held(3, 422, 'T1-3 has no vat'),
    ]);
    expect(
      groups.map(({ reason, answer, records }) => [reason, answer, records.map(({ recordId }) => recordId)]),
    ).toEqual([
      ['wrongField', 'T1-2 has no vat', [2, 3]],
      ['tooLarge', 'Too large', [1]],
    ]);
  });

  test('form separate groups if the upstream answered something else', () => {
    expect(groupHeld([held(1, 422, 'no vat'), held(2, 422, 'no total'), held(3, 400, 'no vat')])).toHaveLength(3);
  });
});
