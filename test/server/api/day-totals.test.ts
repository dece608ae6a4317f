// Declared totals that tills send: the answers, the stored totals, and the refusals.

import { afterAll, describe, expect, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../../server/contract/codes.ts';
import { MAX_LISTED } from '../../../server/contract/days.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { openDays } from '../../../server/reconcile/days.ts';
import { badTexts, goodTexts, LONE_SURROGATES } from '../../support/api/bad-values.ts';
import { expectRefused, type Refusal } from '../../support/api/refusal-table.ts';
import { type Answer, bodyOf, type Call, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';

const PATH = '/ext/v1/day_totals';
const DAY = '2026-11-20';
/** A day long past. */
const PAST = '2025-10-09';
const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { production, apiUrl, store } = gateway;
// The store day of Bakery begins at 04:00 in Amsterdam, which is 03:00 UTC.
await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }, 'test');

const post = (body: unknown, key: { secret: string } = production): Promise<Answer> =>
  postBody(apiUrl, key.secret, typeof body === 'string' ? body : JSON.stringify(body), PATH);
const sell = (key: TestKey, external_id: string, timestamp = `${DAY}T10:00:00Z`, type = 'sale'): Promise<Answer> =>
  postBody(apiUrl, key.secret, bodyOf({ external_id, timestamp, type }));
/** Makes a till in a new administration, so that its journal is empty. */
let made = 0;
const makeTill = async (label = 'Counter'): Promise<TestKey> => {
  const key = await gateway.makeKey({ administration: `Shop ${(made += 1)}`, label });
  await store.setup.changeAdministration(
    key.administration,
    { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 },
    'test',
  );
  return key;
};
const inForce = (key: TestKey) => store.declared.list({ journalId: key.journalId, from: DAY, to: DAY });

describe('a total is stored, and the answer says how many sales are here', () => {
  test('a count without ids', async () => {
    const till = await makeTill();
    await sell(till, 'a');
    await sell(till, 'a');
    await sell(till, 'b', `${DAY}T03:00:00Z`);
    await sell(till, 'the day before', `${DAY}T02:59:59Z`);
    const answer = await post({ day: DAY, count: 2 }, till);
    expect([answer.status, answer.json()]).toEqual([201, { day: DAY, type: null, till: 'Counter', count: 2, here: 2 }]);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(await inForce(till)).toMatchObject([
      { type: null, tillId: till.tillId, records: 2, hasIds: false, source: 'till', actor: 'Counter' },
    ]);
  });

  test('with ids: missing sales are listed by id, and undeclared sales as a number', async () => {
    const till = await makeTill();
    for (const id of ['a', 'b', 'c']) await sell(till, id);
    const answer = await post({ day: DAY, count: 3, external_ids: ['z', 'y', 'a'] }, till);
    expect(answer.json()).toMatchObject({ count: 3, here: 3, missing: ['y', 'z'], undeclared: 2 });
    const agreed = await post({ day: DAY, count: 3, external_ids: ['c', 'b', 'a'] }, till);
    expect([agreed.status, agreed.json()]).toMatchObject([201, { here: 3, missing: [], undeclared: 0 }]);
  });

  test('the total applies to one till only, and to one type if it names a type', async () => {
    const till = await makeTill();
    const beside = await gateway.makeKey({ administration: till.administration, label: 'Other till' });
    await sell(till, 'a');
    await sell(till, 'b', undefined, 'refund');
    await sell(beside, 'c');
    expect((await post({ day: DAY, count: 2, external_ids: ['a', 'c'] }, till)).json()).toMatchObject({
      here: 2,
      missing: ['c'],
      undeclared: 1,
    });
    expect((await post({ day: DAY, count: 1, type: 'refund' }, till)).json()).toMatchObject({
      type: 'refund',
      here: 1,
    });
    expect((await post({ day: DAY, count: 0, type: 'gift' }, beside)).json()).toMatchObject({
      till: 'Other till',
      here: 0,
    });
    expect((await inForce(till)).map(({ type, till: label }) => [type, label])).toEqual([
      [null, 'Counter'],
      ['gift', 'Other till'],
      ['refund', 'Counter'],
    ]);
  });

  test('the same total again is 200 and adds nothing; another is 201 and takes effect', async () => {
    const till = await makeTill();
    const total = { day: DAY, count: 2, external_ids: ['a', 'b'] };
    expect((await post(total, till)).status).toBe(201);
    await sell(till, 'a');
    const again = await post({ ...total, external_ids: ['b', 'a'] }, till);
    expect([again.status, again.json()]).toMatchObject([200, { here: 1, missing: ['b'], undeclared: 0 }]);
    expect((await post({ day: DAY, count: 5 }, till)).status).toBe(201);
    expect(await inForce(till)).toMatchObject([{ records: 5 }]);
  });

  test('the total of one of two tills does not complete a day that has no upstream to query', async () => {
    const till = await makeTill();
    const beside = await gateway.makeKey({ administration: till.administration, label: 'Other till' });
    await sell(till, 'a', `${PAST}T10:00:00Z`);
    await sell(beside, 'b', `${PAST}T10:00:00Z`);
    await post({ day: PAST, count: 1 }, till);
    const days = openDays({ store, clock: machineClock });
    expect((await days.get(till.journalId, PAST))?.day).toMatchObject({ verdict: 'cannot tell', declared: 1, here: 2 });
    await post({ day: PAST, count: 1 }, beside);
    expect((await days.get(till.journalId, PAST))?.day).toMatchObject({ verdict: 'complete', declared: 2, here: 2 });
  });

  test('with amounts: each currency with the sum here and the difference, exactly', async () => {
    const till = await makeTill();
    const rule = { type: 'sale', total: '/total', currency: '/currency', payment: null, sign: 'as sent' } as const;
    await store.amounts.setRule(till.administration, 'sale', rule, 'test');
    while (await store.amounts.fillSlice());
    for (const [external_id, total] of [
      ['a', '0.10'],
      ['b', '0.20'],
    ] as const)
      await postBody(
        apiUrl,
        till.secret,
        bodyOf({ external_id, timestamp: `${DAY}T10:00:00Z`, object: `{"total":${total},"currency":"EUR"}` }),
      );
    const amounts = '[{"currency":"EUR","amount":0.3},{"currency":"USD","amount":"-9007199254740993.25"}]';
    const answer = await post(`{"day":"${DAY}","count":2,"amounts":${amounts}}`, till);
    expect([answer.status, answer.json()]).toEqual([
      201,
      {
        day: DAY,
        type: null,
        till: 'Counter',
        count: 2,
        here: 2,
        amounts: [
          { currency: 'EUR', declared: '0.30', here: '0.30', difference: '0.00' },
          { currency: 'USD', declared: '-9007199254740993.25', here: '0.00', difference: '-9007199254740993.25' },
        ],
        without_amount: 0,
      },
    ]);
    expect((await post(`{"day":"${DAY}","count":2,"amounts":${amounts}}`, till)).status).toBe(200);
    expect((await post({ day: DAY, count: 2 }, till)).status).toBe(201);
    expect(await inForce(till)).toMatchObject([{ records: 2, amounts: [] }]);
  });

  test('equal numbers of sales with different amounts do not complete a day', async () => {
    const till = await makeTill();
    const rule = { type: 'sale', total: '/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;
    await store.amounts.setRule(till.administration, 'sale', rule, 'test');
    while (await store.amounts.fillSlice());
    const timestamp = `${PAST}T10:00:00Z`;
    await postBody(apiUrl, till.secret, bodyOf({ external_id: 'a', timestamp, object: '{"total":10}' }));
    const days = openDays({ store, clock: machineClock });
    const verdictOf = async (amount: string) => {
      await post({ day: PAST, count: 1, amounts: [{ currency: 'EUR', amount }] }, till);
      const view = await days.get(till.journalId, PAST);
      return [view?.day.verdict, view?.day.reasons];
    };
    expect(await verdictOf('12.50')).toEqual([
      'differs',
      [{ code: 'amount_more', amounts: [{ currency: 'EUR', value: '2.50' }] }],
    ]);
    expect(await verdictOf('10')).toEqual(['complete', []]);
    await postBody(apiUrl, till.secret, bodyOf({ external_id: 'b', timestamp, object: '{}' }));
    await post({ day: PAST, count: 2, amounts: [{ currency: 'EUR', amount: '10' }] }, till);
    expect((await days.get(till.journalId, PAST))?.day).toMatchObject({
      verdict: 'cannot tell',
      reasons: [{ code: 'amount_unreadable', count: 1 }, {}],
    });
  });

  test('without a rule that says where amounts stand, the sum is unknown', async () => {
    const till = await makeTill();
    await sell(till, 'a');
    const amounts = [{ currency: 'EUR', amount: '12.50' }];
    expect((await post({ day: DAY, count: 1, amounts }, till)).json()).toMatchObject({
      amounts: [{ currency: 'EUR', declared: '12.50', here: null, difference: null }],
      without_amount: 1,
    });
  });

  test.each(['0001-01-01', '1850-06-01', '9999-12-31'])('a day of any year: %s', async (day) => {
    const till = await makeTill();
    const answer = await post({ day, count: 0, external_ids: [] }, till);
    expect([answer.status, answer.json()]).toMatchObject([201, { day, count: 0, here: 0, missing: [] }]);
  });

  test('the last value of a repeated member counts', async () => {
    const answer = await post(`{"day":"x","day":"${DAY}","count":1}`, await makeTill());
    expect([answer.status, answer.json()]).toMatchObject([201, { day: DAY, count: 1 }]);
  });

  test.each([
    ['amount', { amount: 25 }],
    ['amounts.0.total', { amounts: [{ currency: 'EUR', amount: '25.00', total: 1 }] }],
  ])('an unknown member is refused by name, and the earlier total stays in force: %s', async (name, more) => {
    const till = await makeTill();
    const good = { day: DAY, count: 2, amounts: [{ currency: 'EUR', amount: '20.00' }] };
    expect((await post(good, till)).status).toBe(201);
    const answer = await post({ day: DAY, count: 2, ...more }, till);
    expect([answer.status, answer.json()]).toMatchObject([400, { detail: `${name} is not known here.` }]);
    expect((await post(good, till)).status).toBe(200);
  });

  test(`of very many missing ids the first ${MAX_LISTED} are named`, async () => {
    const ids = Array.from({ length: 60_000 }, (_, i) => `T1-${String(i).padStart(6, '0')}`);
    const till = await makeTill();
    const answer = await post({ day: DAY, count: ids.length, external_ids: ids }, till);
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({ here: 0, missing: ids.slice(0, MAX_LISTED), undeclared: 0 });
  });

  test.each([...goodTexts(1024)])('an id may be %s', async (_name, id) => {
    expect((await post({ day: DAY, count: 1, external_ids: [id] }, await makeTill())).json()).toMatchObject({
      missing: [id],
    });
  });

  test('a total is neither a record nor an act of a person', async () => {
    const before = await gateway.countRecords();
    await post({ day: DAY, count: 77 });
    expect(await gateway.countRecords()).toEqual(before);
    expect((await store.setup.listActs({ limit: 500 })).map(({ act }) => act.kind.split(' ')[0])).not.toContain(
      'declare',
    );
  });
});

describe('a refused total is logged as a refusal and not stored', () => {
  const invalid = (...pointers: string[]): Refusal => ({ status: 400, code: 'field_invalid', pointers });
  const total = (more: object): string => JSON.stringify({ day: DAY, count: 1, ...more });
  const HUGE = JSON.stringify({ day: DAY, count: 1, external_ids: ['x'.repeat(MAX_BODY_BYTES)] });

  test.each<[name: string, sent: Call, refusal: Refusal]>([
    ['nothing', { body: '' }, { status: 400, code: 'json_malformed', pointers: [''] }],
    ['no JSON', { body: 'day=2026-11-20' }, { status: 400, code: 'json_malformed', pointers: [''] }],
    ['a list', { body: '[]' }, { status: 400, code: 'bulk_unsupported' }],
    ['null', { body: 'null' }, invalid('')],
    ['no members', { body: '{}' }, invalid('/day', '/count')],
    ...['2026-02-30', '20-11-2026', '2026-11-20T00:00:00Z', '', ' 2026-11-20', '2026-1-2', '٢٠٢٦-11-20'].map(
      (day): [string, Call, Refusal] => [`day ${JSON.stringify(day)}`, { body: total({ day }) }, invalid('/day')],
    ),
    ...[20_261_120, null, {}].map((day): [string, Call, Refusal] => [
      `day ${JSON.stringify(day)}`,
      { body: total({ day }) },
      invalid('/day'),
    ]),
    ...[-1, 1.5, '1', null, 2 ** 53, [1]].map((count): [string, Call, Refusal] => [
      `count ${JSON.stringify(count)}`,
      { body: total({ count }) },
      invalid('/count'),
    ]),
    ...[...badTexts(100), ...LONE_SURROGATES].map(([name, type]): [string, Call, Refusal] => [
      `type: ${name}`,
      { body: total({ type }) },
      invalid('/type'),
    ]),
    ['type null', { body: total({ type: null }) }, invalid('/type')],
    ...[...badTexts(1024), ...LONE_SURROGATES].map(([name, id]): [string, Call, Refusal] => [
      `an id: ${name}`,
      { body: total({ count: 2, external_ids: ['a', id] }) },
      invalid('/external_ids/1'),
    ]),
    ['an id that is a number', { body: total({ external_ids: [1] }) }, invalid('/external_ids/0')],
    ['a repeated id', { body: total({ count: 2, external_ids: ['a', 'a'] }) }, invalid('/external_ids/1')],
    ['ids that are not a list', { body: total({ external_ids: 'a' }) }, invalid('/external_ids')],
    ['more ids than the count', { body: total({ external_ids: ['a', 'b'] }) }, invalid('/count')],
    ['fewer ids than the count', { body: total({ external_ids: [] }) }, invalid('/count')],
    [
      'very many bad ids; the first is named',
      { body: total({ external_ids: Array(100_000).fill(0) }) },
      invalid('/external_ids/0'),
    ],
    ...(
      [
        ['not a list', {}, '/amounts'],
        ['a number', [1], '/amounts/0'],
        ['without an amount', [{ currency: 'EUR' }], '/amounts/0/amount'],
        ['null', [{ currency: 'EUR', amount: null }], '/amounts/0/amount'],
        ['an empty text', [{ currency: 'EUR', amount: '' }], '/amounts/0/amount'],
        ['a decimal comma', [{ amount: '1' }, { currency: 'EUR', amount: '12,50' }], '/amounts/1/amount'],
        ['too many digits', [{ currency: 'EUR', amount: '1'.repeat(19) }], '/amounts/0/amount'],
        ['a currency in words', [{ currency: 'euro', amount: '1' }], '/amounts/0/currency'],
        ['a currency in small letters', [{ currency: 'eur', amount: '1' }], '/amounts/0/currency'],
        ['a currency twice', [1, 2].map((amount) => ({ currency: 'EUR', amount })), '/amounts'],
        ['no currency twice', [{ amount: 1 }, { currency: null, amount: 1 }], '/amounts'],
        [
          '21 currencies',
          Array.from({ length: 21 }, (_, n) => ({ currency: `AA${String.fromCharCode(65 + n)}`, amount: 1 })),
          '/amounts',
        ],
      ] as const
    ).map(([name, amounts, pointer]): [string, Call, Refusal] => [
      `amounts: ${name}`,
      { body: total({ amounts }) },
      invalid(pointer),
    ]),
    ['a body that is too large', { body: HUGE }, { status: 413, code: 'body_too_large' }],
    ['a body nested too deep', { body: `{"x":${'['.repeat(1000)}` }, invalid('/x')],
    [
      'another content type',
      { headers: { 'content-type': 'text/plain' } },
      { status: 415, code: 'media_type_unsupported' },
    ],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, { status: 415, code: 'encoding_unsupported' }],
    ['no key', { headers: { token: undefined } }, { status: 401, code: 'key_missing', label: null }],
    [
      'an unknown key',
      { headers: { token: 'prod_nobody-has-this' } },
      { status: 401, code: 'key_unknown', label: null },
    ],
    [
      'a key in the wrong header',
      { headers: { token: undefined, authorization: `Bearer ${production.secret}` } },
      { status: 401, code: 'key_missing', label: null },
    ],
  ])('%s', async (_name, { headers, body = total({}) }, refusal) => {
    const before = await inForce(production);
    await expectRefused(gateway, refusal, { method: 'POST', path: PATH }, () =>
      call(apiUrl + PATH, {
        method: 'POST',
        headers: { token: production.secret, 'content-type': 'application/json', ...headers },
        body,
      }),
    );
    expect(await inForce(production)).toEqual(before);
  });

  test('a key of the earlier interface, and a revoked key', async () => {
    const earlier = await gateway.makeKey({ interface: 'earlier', label: 'Old till' });
    const revoked = await gateway.makeKey({ label: 'Lost till' });
    await store.setup.revokeKey(revoked.id, 'test');
    for (const [key, refusal] of [
      [earlier, { status: 403, code: 'key_wrong_kind', label: 'Old till' }],
      [revoked, { status: 401, code: 'key_revoked', label: 'Lost till' }],
    ] as const)
      await expectRefused(gateway, refusal, { method: 'POST', path: PATH }, () => post(total({}), key));
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const refusal = { status: 405, code: 'method_not_allowed', label: null, headers: { allow: 'POST' } } as const;
    await expectRefused(gateway, refusal, { method, path: PATH }, () =>
      call(apiUrl + PATH, { method, headers: { token: production.secret } }),
    );
  });
});
