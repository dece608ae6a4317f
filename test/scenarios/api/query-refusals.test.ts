// Faults in a query: the refusal names the parameter. The answer to a valid query repeats its parameters.

import { afterAll, describe, expect, test } from 'vitest';

import { BAD_INSTANTS, badTexts, goodTexts } from '../../support/api/bad-values.ts';
import { type RefusalCase, testRefusals } from '../../support/api/refusal-table.ts';
import { bodyOf, call, getRange, postBody, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { apiUrl, production } = gateway;

const ONLY_GET = 'a POST has no query';
const DAY = 'timestamp_gte=2026-11-20T00:00:00&timestamp_lt=2026-11-21T00:00:00';

const invalid = (name: string, query: string, pointers: readonly string[]): RefusalCase => ({
  name,
  POST: ONLY_GET,
  GET: { query },
  status: 400,
  code: 'query_invalid',
  pointers,
});
const outOfRange = (name: string, from: string, to: string): RefusalCase => ({
  name,
  POST: ONLY_GET,
  GET: { query: rangeParameters({ timestamp_gte: from, timestamp_lt: to }) },
  status: 400,
  code: 'range_invalid',
  pointers: ['/timestamp_lt'],
});
const badCursor = (name: string, query: string): RefusalCase => ({
  name,
  POST: ONLY_GET,
  GET: { query },
  status: 400,
  code: 'cursor_invalid',
  pointers: ['/cursor'],
});

describe('parameters', () => {
  testRefusals(gateway, [
    invalid('no parameters at all', '', ['/timestamp_gte', '/timestamp_lt']),
    invalid('timestamp_gte missing', 'timestamp_lt=2026-11-21T00:00:00', ['/timestamp_gte']),
    invalid('timestamp_lt missing', 'timestamp_gte=2026-11-20T00:00:00', ['/timestamp_lt']),
    ...['timestamp_gte', 'timestamp_lt', 'expand', 'limit'].map((name) =>
      invalid(
        `${name} empty`,
        new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(DAY)), [name]: '' }).toString(),
        [`/${name}`],
      ),
    ),
    ...[
      ['timestamp_gte', '2026-11-20T00:00:00'],
      ['timestamp_lt', '2026-11-21T00:00:00'],
      ['type', 'sale'],
      ['expand', 'none'],
      ['limit', '10'],
      ['cursor', 'abc'],
    ].map(([name = '', value = '']) =>
      invalid(`${name} repeated`, `${DAY}&${name}=${value}&${name}=${value}`, [`/${name}`]),
    ),
    invalid('a name repeated in two spellings', `${DAY}&type=a&t%79pe=a`, ['/type']),
    invalid('a name that is badly encoded', `${DAY}&%zz=1`, ['/']),
    ...['%', '%4', '%zz', '%ff', '%c3', '%ed%a0%80', '%c0%af'].map((text) =>
      invalid(`type badly encoded: ${text}`, `${DAY}&type=${text}`, ['/type']),
    ),
    invalid('timestamp_gte badly encoded', 'timestamp_gte=%zz&timestamp_lt=2026-11-21T00:00:00', ['/timestamp_gte']),
    invalid('parameters split by a semicolon', DAY.replace('&', ';'), ['/timestamp_gte', '/timestamp_lt']),
    ...['0', '501', '-1', '1.5', '05', '1e2', '0x10', '+5', ' 5', '5 ', '99999999999999999999', 'all', '１'].map(
      (limit) => invalid(`limit ${JSON.stringify(limit)}`, `${DAY}&limit=${encodeURIComponent(limit)}`, ['/limit']),
    ),
    ...['all', 'None', 'RAW_TRANSACTIONS', 'raw_transactions,none', 'raw_transactions '].map((expand) =>
      invalid(`expand ${JSON.stringify(expand)}`, `${DAY}&expand=${encodeURIComponent(expand)}`, ['/expand']),
    ),
    ...badTexts(100)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => invalid(`type: ${name}`, rangeParameters({ type: text }), ['/type'])),
    invalid('the key as a parameter is not repeated', `${DAY}&token=${production.secret}&limit=0`, ['/limit']),
  ]);
});

describe('bounds', () => {
  testRefusals(gateway, [
    ...BAD_INSTANTS.flatMap(([name, instant]) => [
      invalid(`timestamp_gte: ${name}`, rangeParameters({ timestamp_gte: instant }), ['/timestamp_gte']),
      invalid(`timestamp_lt: ${name}`, rangeParameters({ timestamp_lt: instant }), ['/timestamp_lt']),
      ...(instant.endsWith('Z')
        ? [
            invalid(`timestamp_gte without Z: ${name}`, rangeParameters({ timestamp_gte: instant.slice(0, -1) }), [
              '/timestamp_gte',
            ]),
          ]
        : []),
    ]).filter(
      ({ name }) => !['two Zs', 'an offset and a Z'].some((each) => name === `timestamp_gte without Z: ${each}`),
    ),
    outOfRange('an empty range', '2026-11-20T00:00:00', '2026-11-20T00:00:00'),
    outOfRange('an empty range, once with Z', '2026-11-20T00:00:00Z', '2026-11-20T00:00:00'),
    outOfRange('a reversed range', '2026-11-21T00:00:00', '2026-11-20T00:00:00'),
    outOfRange('32 days and a second', '2026-11-20T00:00:00', '2026-12-22T00:00:01'),
    outOfRange('32 days and a second over a leap day', '2024-02-01T00:00:00', '2024-03-04T00:00:01'),
    outOfRange('the whole calendar', '0000-01-01T00:00:00', '9999-12-31T23:59:59'),
  ]);

  test.each([
    ['a second', '2026-11-20T00:00:00', '2026-11-20T00:00:01'],
    ['32 days', '2026-11-20T00:00:00', '2026-12-22T00:00:00'],
    ['32 days with Z', '2026-11-20T00:00:00Z', '2026-12-22T00:00:00Z'],
    ['one bound with Z, the other without', '2026-11-20T00:00:00', '2026-11-21T00:00:00Z'],
    ['32 days over a leap day', '2024-02-01T00:00:00', '2024-03-04T00:00:00'],
    ['the beginning of the calendar', '0000-01-01T00:00:00', '0000-01-02T00:00:00'],
    ['the end of the calendar', '9999-12-31T00:00:00', '9999-12-31T23:59:59'],
    ['the end of 1969', '1969-12-31T23:59:59', '1970-01-01T00:00:00'],
  ])('a range of %s is accepted, and its bounds are echoed as sent', async (_name, from, to) => {
    const answer = await getRange(apiUrl, production.secret, { timestamp_gte: from, timestamp_lt: to });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ timestamp_gte: from, timestamp_lt: to });
  });

  test('a bound may be sent with raw or with encoded colons', async () => {
    for (const query of [DAY, DAY.replaceAll(':', '%3A'), `${DAY}&&`]) {
      expect(
        (await call(`${apiUrl}/v1/raw_transactions?${query}`, { headers: { token: production.secret } })).status,
      ).toBe(200);
    }
  });

  test('the start is inclusive, the end exclusive', async () => {
    for (const timestamp of ['2026-05-01T10:00:00Z', '2026-05-01T10:00:01Z'])
      await postBody(apiUrl, production.secret, bodyOf({ timestamp }));
    const count = async (from: string, to: string): Promise<unknown> =>
      (
        await getRange(apiUrl, production.secret, {
          timestamp_gte: `2026-05-01T${from}`,
          timestamp_lt: `2026-05-01T${to}`,
        })
      ).json()['raw_transaction_count'];
    expect(await count('10:00:00', '10:00:01')).toBe(1);
    expect(await count('09:59:59', '10:00:00')).toBe(0);
    expect(await count('10:00:01', '10:00:02')).toBe(1);
  });
});

describe('limit, type and expand', () => {
  test.each(['1', '500'])('limit %s is accepted', async (limit) => {
    expect((await getRange(apiUrl, production.secret, { limit })).json()['limit']).toBe(Number(limit));
  });

  test('limit is 500 by default', async () => {
    expect((await getRange(apiUrl, production.secret)).json()['limit']).toBe(500);
  });

  test.each(goodTexts(100))('type may be %s, and only its records are counted', async (_name, type) => {
    expect((await postBody(apiUrl, production.secret, bodyOf({ type }))).status).toBe(201);
    expect((await getRange(apiUrl, production.secret, { type })).json()['raw_transaction_count']).toBe(1);
  });
});

describe('cursors', async () => {
  for (let i = 0; i < 3; i++) await postBody(apiUrl, production.secret, bodyOf({ timestamp: '2026-11-20T10:00:00Z' }));
  const paged = { expand: 'raw_transactions', limit: '1' };
  const cursor = String((await getRange(apiUrl, production.secret, paged)).json()['next_cursor']);
  const typed = String((await getRange(apiUrl, production.secret, { ...paged, type: 'sale' })).json()['next_cursor']);
  for (const key of [gateway.test]) for (let i = 0; i < 2; i++) await postBody(apiUrl, key.secret, bodyOf());
  const ofTestMode = String((await getRange(apiUrl, gateway.test.secret, paged)).json()['next_cursor']);
  const flip = (at: number): string => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  const withCursor = (text: string, more: Record<string, string> = {}): string =>
    rangeParameters({ ...paged, cursor: text, ...more });

  testRefusals(gateway, [
    ...[0, 10, 20, 30, 42, 50, cursor.length - 1].map((at) => badCursor(`tampered at ${at}`, withCursor(flip(at)))),
    badCursor('truncated by one character', withCursor(cursor.slice(0, -1))),
    badCursor('truncated to half', withCursor(cursor.slice(0, 32))),
    badCursor('one character more', withCursor(`${cursor}A`)),
    badCursor('padded', withCursor(`${cursor}=`)),
    badCursor('followed by a space', withCursor(`${cursor} `)),
    badCursor('twice in one', withCursor(cursor + cursor)),
    badCursor(
      'in the other base64 alphabet',
      withCursor(
        Buffer.from(cursor, 'base64url')
          .toString('base64')
          .replace(/^(.{60})./, '$1+'),
      ),
    ),
    badCursor('made up', withCursor('next')),
    badCursor('of zeros', withCursor(Buffer.alloc(48).toString('base64url'))),
    badCursor('a megabyte is too long for a request line, 8,000 characters are not', withCursor('A'.repeat(8000))),
    badCursor('of a query with a type, used without', withCursor(typed)),
    badCursor('of a query without type, used with one', withCursor(cursor, { type: 'sale' })),
    badCursor('of a query with another type', withCursor(typed, { type: 'refund' })),
    badCursor('of another start', withCursor(cursor, { timestamp_gte: '2026-11-20T00:00:01' })),
    badCursor('of another end', withCursor(cursor, { timestamp_lt: '2026-11-20T23:59:59' })),
    badCursor('of the other mode', withCursor(ofTestMode)),
    invalid('with expand=none', rangeParameters({ cursor, expand: 'none' }), ['/cursor']),
    invalid('without expand', rangeParameters({ cursor }), ['/cursor']),
  ]);

  test('a cursor of another administration is refused', async () => {
    const stranger = await gateway.makeKey({ administration: 'Butcher', mode: 'production' });
    expect((await getRange(apiUrl, stranger.secret, { ...paged, cursor })).json()).toMatchObject({
      status: 400,
      code: 'cursor_invalid',
    });
  });

  test('a cursor is accepted from every till of the journal, on both paths, with bounds in the other spelling and another limit', async () => {
    const sibling = await gateway.makeKey({ mode: 'production', label: 'Second counter' });
    for (const more of [{}, { timestamp_gte: '2026-11-20T00:00:00Z' }, { limit: '500' }]) {
      const answer = await getRange(apiUrl, sibling.secret, { ...paged, cursor, ...more }, '/api/v1/raw_transactions');
      expect(answer.status).toBe(200);
    }
  });

  test('a cursor never expires: it still works after the same page was read', async () => {
    const pages = [];
    for (let i = 0; i < 2; i++) pages.push((await getRange(apiUrl, production.secret, { ...paged, cursor })).json());
    expect(pages[1]).toEqual(pages[0]);
  });
});
