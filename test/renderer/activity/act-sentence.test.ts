import { describe, expect, test } from 'vitest';

import { actSentence, valueWords } from '../../../renderer/activity/act-sentence.ts';

describe('an act is told by its name and its detail', () => {
  test.each([
    ['pause', '', { kind: 'pause' }],
    ['try now', '', { kind: 'tryNow' }],
    ['set upstream', 'https://a.example', { kind: 'setUpstream', url: 'https://a.example' }],
    [
      'send again',
      '1 record: {"kind":"one","recordId":5}',
      { kind: 'sendAgain', records: { kind: 'one', recordId: 5 } },
    ],
    [
      'send again',
      '0 records so far: {"kind":"all"}, delivered ones too',
      { kind: 'sendAgain', records: { kind: 'all' } },
    ],
    ['send again', '412 records: {"kind":"held"}', { kind: 'sendAgain', records: { kind: 'held' } }],
    [
      'send again',
      '2 records: {"kind":"held at","version":"v1","resource":"transaction"}',
      { kind: 'sendAgain', records: { kind: 'held at', endPoint: '/v1/transaction' } },
    ],
    ['set aside', '2 records: {"kind":"all"} why', { kind: 'setAside', records: { kind: 'held' }, reason: 'why' }],
    ['send again', '{"kind":"some","recordIds":[1,2]}', { kind: 'sendAgain', records: { kind: 'some', count: 2 } }],
    ['send again', '{"kind":"some","recordIds":[9]}', { kind: 'sendAgain', records: { kind: 'one', recordId: 9 } }],
    [
      'set aside',
      '3 records: {"kind":"sold","from":1,"to":2} a {strange} reason',
      { kind: 'setAside', records: { kind: 'sold', from: 1, to: 2 }, reason: 'a {strange} reason' },
    ],
    ['create key', 'Till 1, by the door, key 7, for both', { kind: 'createKey', till: 'Till 1, by the door', id: 7 }],
    ['add user', 'Anna, the baker, clerk', { kind: 'addUser', name: 'Anna, the baker' }],
    ['remove user', 'Anna', { kind: 'removeUser', name: 'Anna' }],
    ['revoke key', 'Till 1, key 7, for both', { kind: 'revokeKey', till: 'Till 1', id: 7 }],
    [
      'rotate key',
      'Till 1, key 8, instead of key 7, which works until 2026-11-22T08:00:00.000Z',
      { kind: 'rotateKey', till: 'Till 1', id: 8, replaced: 7 },
    ],
    [
      'change administration',
      'timeZone: null → "Europe/Amsterdam", forwarded: ["NEW"] → ["NEW","ERROR"]',
      {
        kind: 'changeAdministration',
        changes: [
          { member: 'timeZone', was: 'null', is: '"Europe/Amsterdam"' },
          { member: 'forwarded', was: '["NEW"]', is: '["NEW","ERROR"]' },
        ],
      },
    ],
    [
      'send again',
      '2 records: {"kind":"missing","verdictId":12}, delivered ones too',
      { kind: 'sendMissing', count: 2 },
    ],
    ['declare totals', '2026-11-04: 412', { kind: 'declareTotal', date: '2026-11-04', total: 412, of: '' }],
    [
      'declare totals',
      '2026-11-04: 412 (sale, Till 1 (left))',
      { kind: 'declareTotal', date: '2026-11-04', total: 412, of: 'sale, Till 1 (left)' },
    ],
    [
      'declare totals',
      '2026-11-04: taken back (sale)',
      { kind: 'declareTotal', date: '2026-11-04', total: undefined, of: 'sale' },
    ],
    [
      'declare totals',
      '2026-11-01 … 2026-11-30: 30 totals',
      { kind: 'declareTotals', from: '2026-11-01', to: '2026-11-30', count: 30 },
    ],
    [
      'declare totals',
      '2026-11-04: 3 totals',
      { kind: 'declareTotals', from: '2026-11-04', to: '2026-11-04', count: 3 },
    ],
    ['sign off day', '2026-11-04: Mia', { kind: 'signOff', date: '2026-11-04', said: '' }],
    ['sign off day', '2026-11-04: Mia, counted', { kind: 'signOff', date: '2026-11-04', said: 'counted' }],
    ['sign off day', '2026-11-04: Miall, ok', { kind: 'signOff', date: '2026-11-04', said: 'Miall, ok' }],
    [
      'take back signature',
      '2026-11-04: Ann, counted: twice',
      { kind: 'takeBackSignature', date: '2026-11-04', said: 'Ann, counted: twice' },
    ],
  ])('%s %s', (act, detail, expected) => {
    expect(actSentence({ actor: 'Mia', act, detail })).toEqual(expected);
  });

  test.each([
    ['count the drawers', 'by hand'],
    ['send again', 'everything'],
    ['create key', 'who knows'],
    ['declare totals', 'many'],
    ['sign off day', 'yesterday'],
  ])('%s %s is told as it stands there', (act, detail) => {
    expect(actSentence({ actor: 'Mia', act, detail })).toEqual({ kind: 'other', act, detail });
  });
});

test.each([
  ['timeZone', '"Europe/Amsterdam"', { text: 'Europe/Amsterdam' }],
  ['timeZone', 'null', { is: 'nothing' }],
  ['dayStartsAt', '255', { text: '04:15' }],
  ['forwarded', '["NEW","ERROR"]', { text: 'NEW, ERROR' }],
  ['customer', '{"name":"bakery","id":"1207"}', { text: 'name: bakery, id: 1207' }],
  ['othersSend', 'true', { is: 'yes' }],
  ['othersSend', 'false', { is: 'no' }],
])('the value of %s, %s, is %j', (member, json, expected) => {
  expect(valueWords(member, json)).toEqual(expected);
});
