import { describe, expect, test } from 'vitest';

import { joinHints, joinState } from '../../../renderer/model/join-hint.ts';
import { type ErrorCode, ERROR_CODES } from '../../../server/contract/codes.ts';
import type { RecordSummary, RefusalGroup } from '../../../server/contract/records.ts';

const NOW = 1_800_000_000_000;
const KEY = { keyId: 7, createdAt: NOW, lastUsedAt: null };
const group = (code: ErrorCode, ago: number, keyId: number | null = null): RefusalGroup =>
  ({ code, keyId, lastAt: NOW + ago, address: '192.168.1.33' }) as RefusalGroup;
const kinds = (groups: readonly RefusalGroup[], more = {}) =>
  joinHints(groups, { ...KEY, ...more }).map(({ kind }) => kind);

describe('hints', () => {
  test.each<[ErrorCode, string]>([
    ['key_unknown', 'wrongKey'],
    ['key_missing', 'noKey'],
    ['certificate_untrusted', 'untrusted'],
    ['https_required', 'plainHttp'],
    ['handshake_failed', 'oldTls'],
    ['not_found', 'wrongPath'],
    ['method_not_allowed', 'wrongPath'],
    ['end_point_invalid', 'wrongPath'],
  ])('%s without a known key is %s', (code, kind) => {
    expect(kinds([group(code, 1)])).toEqual([kind]);
  });

  test('a key of the other interface is named', () => {
    expect(kinds([group('key_wrong_kind', 1, 7)])).toEqual(['otherInterface']);
  });

  test('every other refusal counts only with this key', () => {
    expect(kinds([group('field_invalid', 1)])).toEqual([]);
    expect(kinds([group('field_invalid', 1, 7)])).toEqual(['refused']);
  });

  test('refusals of another key are left out, whatever their code', () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) expect(kinds([group(code, 1, 8)])).toEqual([]);
  });

  test('refusals from before the key, or before its last use, are left out', () => {
    expect(kinds([group('key_unknown', -1)])).toEqual([]);
    expect(kinds([group('key_unknown', 1000)], { lastUsedAt: NOW + 2000 })).toEqual([]);
    expect(kinds([group('key_unknown', 3000)], { lastUsedAt: NOW + 2000 })).toEqual(['wrongKey']);
  });

  test('a device that calls several wrong paths gets one hint, about the latest', () => {
    const groups = [group('not_found', 1), group('end_point_invalid', 3), group('end_point_invalid', 2, 7)];
    expect(joinHints(groups, KEY)).toEqual([{ kind: 'wrongPath', group: groups[1] }]);
  });

  test('the latest three are given, latest first', () => {
    const groups = [
      group('key_unknown', 1),
      group('key_missing', 4),
      group('https_required', 3),
      group('certificate_untrusted', 2),
    ];
    expect(kinds(groups)).toEqual(['noKey', 'plainHttp', 'untrusted']);
  });
});

test('a wrong name is told apart from an untrusted certificate', () => {
  expect(kinds([group('name_not_certified', 1)])).toEqual(['wrongName']);
});

describe('the state', () => {
  const record = (recordId: number, keyId: number, clock?: RecordSummary['clock']): RecordSummary =>
    ({ recordId, keyId, clock }) as RecordSummary;

  test('waits, and is silent after a minute without any call', () => {
    expect(joinState(KEY, [], [], 59_999)).toEqual({ kind: 'waiting', isSilent: false });
    expect(joinState(KEY, [], [], 60_000)).toEqual({ kind: 'waiting', isSilent: true });
    const hints = joinHints([group('key_unknown', 1)], KEY);
    expect(joinState(KEY, [], hints, 60_000)).toEqual({ kind: 'waiting', isSilent: false });
  });

  test('knows a key that was used without a sale', () => {
    expect(joinState({ ...KEY, lastUsedAt: NOW + 5 }, [], [], 0)).toEqual({ kind: 'called', at: NOW + 5 });
  });

  test('has arrived with the first record of this key, whatever another key of the till sends, and keeps its clock flag', () => {
    const records = [record(9, 7), record(8, 7, 'ahead'), record(3, 6)];
    expect(joinState(KEY, records, [], 0)).toEqual({ kind: 'arrived', record: records[1], clock: 'ahead' });
    expect(joinState(KEY, [record(9, 6)], [], 0).kind).toBe('waiting');
  });
});
