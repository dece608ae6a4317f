// Tests the stand-in upstream over HTTP. Every test of the forwarder relies on its answers.

import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { Pool } from 'undici';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { type BodyParts, bodyOf, call, getRange, postBody } from '../http-call.ts';
import { startVirtualTime } from '../virtual-time.ts';
import { openStandIn, type StandIn, type StandInOptions } from './stand-in.ts';

const KEY = 'prod_one';
const PATH = '/v1/raw_transactions';

async function open(options: StandInOptions = {}): Promise<StandIn> {
  const standIn = await openStandIn(options);
  onTestFinished(() => standIn.close());
  return standIn;
}

function requestOf(body: string, headers = 'Connection: close'): string {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: upstream\r\ntoken: ${KEY}\r\nContent-Type: application/json\r\n${headers}\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

interface Exchange {
  readonly text: string;
  readonly slices: number;
  readonly ending: 'closed' | 'ECONNRESET' | 'ECONNREFUSED';
}

/** Sends a request and reads all bytes until the connection ends. */
function exchange(socket: Socket, request: string): Promise<Exchange> {
  return new Promise((resolve) => {
    let text = '';
    let slices = 0;
    let ending: Exchange['ending'] = 'closed';
    socket.setEncoding('utf8').on('data', (slice: string) => {
      text += slice;
      slices += 1;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (ending = error.code as Exchange['ending']));
    socket.on('close', () => resolve({ text, slices, ending }));
    socket.write(request);
  });
}

function send(standIn: StandIn, parts: BodyParts = {}): Promise<Exchange> {
  return exchange(connect(standIn.port, '127.0.0.1'), requestOf(bodyOf(parts)));
}

describe('the answer on the wire follows the script:', () => {
  const ONE = { external_id: 'S1', timestamp: '2026-11-20T10:00:00Z' };

  test.each<[script: string, text: RegExp, ending: Exchange['ending'], isTaken: boolean]>([
    [
      'accept',
      /^HTTP\/1\.1 201 Created\r\n(.|\r\n)*Content-Type: application\/json(.|\r\n)*"status":"NEW"/,
      'closed',
      true,
    ],
    ['accept untaken', /^HTTP\/1\.1 201 (.|\r\n)*"status":"NEW"/, 'closed', false],
    ['202 body ""', /^HTTP\/1\.1 202 (.|\r\n)*\r\n\r\n$/, 'closed', true],
    ['400', /^HTTP\/1\.1 400 Bad Request\r\n(.|\r\n)*\{"status":400,/, 'closed', false],
    ['409 body "no"', /^HTTP\/1\.1 409 (.|\r\n)*\r\n\r\nno$/, 'closed', false],
    ['413', /^HTTP\/1\.1 413 /, 'closed', false],
    ['415', /^HTTP\/1\.1 415 /, 'closed', false],
    ['422', /^HTTP\/1\.1 422 /, 'closed', false],
    ['401', /^HTTP\/1\.1 401 /, 'closed', false],
    ['403', /^HTTP\/1\.1 403 /, 'closed', false],
    ['404', /^HTTP\/1\.1 404 /, 'closed', false],
    ['405', /^HTTP\/1\.1 405 /, 'closed', false],
    ['redirect', /^HTTP\/1\.1 302 Found\r\n(.|\r\n)*Location: \/elsewhere\r\n/, 'closed', false],
    ['308 to "http://a/b"', /^HTTP\/1\.1 308 (.|\r\n)*Location: http:\/\/a\/b\r\n/, 'closed', false],
    ['429 retry-after 3s', /^HTTP\/1\.1 429 (.|\r\n)*Retry-After: 3\r\n/, 'closed', false],
    [
      '503 retry-after-date 90s',
      /^HTTP\/1\.1 503 (.|\r\n)*Retry-After: Fri, 20 Nov 2026 10:01:30 GMT\r\n/,
      'closed',
      false,
    ],
    ['429 retry-after "soon"', /Retry-After: soon\r\n/, 'closed', false],
    ['500', /^HTTP\/1\.1 500 /, 'closed', false],
    ['500 taken', /^HTTP\/1\.1 500 /, 'closed', true],
    ['close', /^$/, 'closed', false],
    ['close taken', /^$/, 'closed', true],
    ['reset', /^$/, 'ECONNRESET', false],
    ['reset taken', /^$/, 'ECONNRESET', true],
    ['cut', /^HTTP\/1\.1 201 (.|\r\n)*\r\n\r\n\{"record_id":1[^}]*$/, 'closed', true],
    ['cut untaken', /^HTTP\/1\.1 201 (.|\r\n)*\r\n\r\n\{"record_id":1[^}]*$/, 'closed', false],
    ['twice', /^(HTTP\/1\.1 201 (.|\r\n)*?\r\n\r\n\{"record_id":1[^}]*\}){2}$/, 'closed', true],
    // oxlint-disable-next-line no-control-regex -- the stand-in sends these bytes
    ['garbage', /^\u0000\u0016\u0003 this is not HTTP/, 'closed', true],
    ['wrong-type', /^HTTP\/1\.1 201 (.|\r\n)*Content-Type: text\/html(.|\r\n)*<!doctype html>/, 'closed', true],
    ['wrong-type untaken', /^HTTP\/1\.1 201 (.|\r\n)*<!doctype html>/, 'closed', false],
  ])('%s', async (script, text, ending, isTaken) => {
    const standIn = await open({ script, clock: startVirtualTime() });
    const came = await send(standIn, ONE);
    expect(came.text).toMatch(text);
    expect(came.ending).toBe(ending);
    expect(standIn.effects.map(({ id }) => id)).toEqual(isTaken ? ['S1'] : []);
    expect(standIn.attempts).toMatchObject([{ id: 'S1', taken: isTaken ? 'NEW' : undefined }]);
    expect(standIn.summary()).toMatchObject({ attempts: 1, records: isTaken ? 1 : 0 });
  });

  test('after a duplicated answer the connection stays usable', async () => {
    const standIn = await open({ script: 'twice, accept' });
    const [first, second] = [bodyOf(ONE), bodyOf({ ...ONE, external_id: 'S2' })];
    const { text } = await exchange(connect(standIn.port, '127.0.0.1'), requestOf(first, 'X-Y: z') + requestOf(second));
    expect(text.match(/"external_id":"S\d"/g)).toEqual(['S1', 'S1', 'S2'].map((id) => `"external_id":"${id}"`));
  });

  test('a hanging call gets no byte, whether the record is accepted or not', async () => {
    const standIn = await open({ script: 'hang, hang taken' });
    const [first, second] = [
      send(standIn, ONE),
      standIn.waitUntil(({ attempts }) => attempts === 1).then(() => send(standIn, ONE)),
    ];
    await standIn.waitUntil(({ attempts }) => attempts === 2);
    expect(standIn.summary()).toMatchObject({ records: 1, behaviours: { hang: 1, 'hang taken': 1 } });
    await standIn.close();
    expect(await first).toMatchObject({ text: '' });
    expect(await second).toMatchObject({ text: '' });
  });

  test('a slow answer comes after its delay plus the latency; the record is accepted at once', async () => {
    const clock = startVirtualTime();
    const standIn = await open({ script: 'slow 300ms, accept', latencyMs: 50, clock });
    const slow = send(standIn, ONE);
    await clock.waitForTimers(1);
    expect(standIn.summary().records).toBe(1);
    let isAnswered = false;
    void slow.then(() => (isAnswered = true));
    const fast = send(standIn);
    await clock.waitForTimers(2);
    clock.jump(349);
    expect((await fast).text).toMatch(/^HTTP\/1\.1 201 /);
    expect(isAnswered).toBe(false);
    clock.jump(1);
    expect((await slow).text).toMatch(/^HTTP\/1\.1 201 /);
  });

  test('a dribbled answer comes byte by byte and is complete', async () => {
    const clock = startVirtualTime();
    const standIn = await open({ script: 'dribble 5ms', clock });
    const socket = connect(standIn.port, '127.0.0.1');
    const answer = exchange(socket, requestOf(bodyOf(ONE)));
    let isOver = false;
    void answer.then(() => (isOver = true));
    while (!isOver) {
      await Promise.race([clock.waitForTimers(1), answer]);
      clock.jump(5);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { text, slices } = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 201 (.|\r\n)*"status":"NEW".*\}$/);
    // there can be fewer slices than bytes, because the network may join neighbouring bytes
    expect(slices).toBeGreaterThan(text.length / 4);
  });

  test('a query gets the same behaviours, without a record to accept', async () => {
    const standIn = await open({ script: 'query: 500, 429 retry-after 1s, accept; accept' });
    expect((await postBody(standIn.url, KEY, bodyOf(ONE))).status).toBe(201);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await getRange(standIn.url, KEY)).status);
    expect(statuses).toEqual([500, 429, 200]);
    expect(standIn.summary()).toMatchObject({ queries: 3, queriesAtOnce: 1 });
  });
});

describe('a stand-in that is down:', () => {
  test('refuses connections and drops open ones; afterwards it listens on the same port with its records', async () => {
    const standIn = await open();
    expect((await postBody(standIn.url, KEY, bodyOf({ external_id: 'S1' }))).status).toBe(201);
    const open1 = connect(standIn.port, '127.0.0.1');
    await new Promise((resolve) => open1.once('connect', resolve));
    const dropped = new Promise((resolve) => open1.once('close', resolve).on('error', () => {}));
    const { url } = standIn;
    await standIn.setScript('down');
    await dropped;
    expect(await send(standIn)).toMatchObject({ ending: 'ECONNREFUSED' });
    await standIn.setScript('accept');
    expect(standIn.url).toBe(url);
    expect((await postBody(url, KEY, bodyOf({ external_id: 'S1' }))).json()).toMatchObject({ status: 'IGNORED' });
  });

  test('has its port even if it is down from the start', async () => {
    const standIn = await open({ script: 'down' });
    expect(standIn.port).toBeGreaterThan(0);
    expect(await send(standIn)).toMatchObject({ ending: 'ECONNREFUSED' });
  });

  test('goes down and up by the clock', async () => {
    const clock = startVirtualTime();
    const standIn = await open({ script: 'accept for 1s, down for 1s, repeat', clock });
    const endings: string[] = [];
    for (let second = 0; second < 6; second++) {
      endings.push((await send(standIn)).ending);
      clock.jump(1000);
      await clock.waitForTimers(1); // the stand-in sets its timer after it has started or stopped listening
    }
    expect(endings).toEqual(['closed', 'ECONNREFUSED', 'closed', 'ECONNREFUSED', 'closed', 'ECONNREFUSED']);
    expect(standIn.summary().records).toBe(3);
  });

  test('answers the current call first', async () => {
    const clock = startVirtualTime();
    const standIn = await open({ script: 'accept x2, down for 1s, accept', clock });
    expect((await send(standIn)).text).toMatch(/ 201 /);
    expect((await send(standIn)).text).toMatch(/ 201 /);
    await clock.waitForTimers(1);
    expect(await send(standIn)).toMatchObject({ ending: 'ECONNREFUSED' });
    clock.jump(1000);
    await standIn.setScript('accept'); // resolves when the stand-in listens again
    expect((await send(standIn)).text).toMatch(/ 201 /);
  });
});

describe('classification:', () => {
  const first = '{"type":"sale","external_id":"S1","timestamp":"2026-11-20T10:00:00Z","object":{"a":1,"b":[1,2]}}';
  let standIn: StandIn;
  beforeEach(async () => {
    standIn = await openStandIn();
    onTestFinished(() => standIn.close());
    await postBody(standIn.url, KEY, first);
  });

  test.each<[name: string, body: string, key: string, status: number, classified: string]>([
    ['the same bytes', first, KEY, 200, 'IGNORED'],
    ['the same bytes with another key of the mode', first, 'prod_two', 200, 'IGNORED'],
    ['other white space', first.replaceAll(',', ' , '), KEY, 200, 'IGNORED'],
    [
      'another order of members',
      '{"object":{"b":[1,2],"a":1.0},"timestamp":"2026-11-20T10:00:00Z","external_id":"S1","type":"sale"}',
      KEY,
      200,
      'IGNORED',
    ],
    ['another order of items', first.replace('[1,2]', '[2,1]'), KEY, 200, 'ERROR'],
    ['another type', first.replace('sale', 'refund'), KEY, 200, 'ERROR'],
    ['another time', first.replace('10:00:00', '10:00:01'), KEY, 200, 'ERROR'],
    ['one member more', first.replace('"a":1', '"a":1,"c":null'), KEY, 200, 'ERROR'],
    ['a text for a number', first.replace('"a":1', '"a":"1"'), KEY, 200, 'ERROR'],
    ['another id', first.replace('S1', 'S2'), KEY, 201, 'NEW'],
    ['the same in test mode', first, 'test_one', 201, 'NEW'],
  ])('%s gets the right status', async (_, body, key, status, classified) => {
    const answer = await postBody(standIn.url, key, body);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ status: classified });
    const statuses = { NEW: 1, IGNORED: 0, ERROR: 0 };
    statuses[classified as 'NEW'] += 1;
    expect(standIn.summary()).toMatchObject({ records: statuses.NEW, statuses });
    expect(standIn.attempts.map(({ taken }) => taken)).toEqual(['NEW', classified]);
  });

  test('the first record stays the original, and its bytes are kept', async () => {
    for (const body of [first.replace('"a":1', '"a":2'), first, first.replace('"a":1', '"a":2')])
      await postBody(standIn.url, KEY, body);
    expect(standIn.effects).toMatchObject([
      {
        journal: 'production',
        interface: 'current',
        resource: 'raw_transactions',
        id: 'S1',
        type: 'sale',
        bytes: Buffer.from(first),
        statuses: { NEW: 1, IGNORED: 1, ERROR: 2 },
        attempts: 4,
      },
    ]);
    expect(standIn.effects[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['not JSON', '{"type":'],
    ['a list', `[${first}]`],
    ['no id', first.replace('external_id', 'external')],
    ['an id that is a number', first.replace('"S1"', '1')],
    ['no type', first.replace('"type"', '"kind"')],
    ['no object', first.replace('{"a":1,"b":[1,2]}', '[]')],
    ['a time without zone', first.replace('00Z', '00')],
    ['an impossible date', first.replace('11-20', '11-31')],
    ['24 o’clock', first.replace('T10', 'T24')],
  ])('a record with the fault "%s" is refused and not kept', async (_, body) => {
    expect((await postBody(standIn.url, KEY, body)).status).toBe(400);
    expect(standIn.summary()).toMatchObject({
      attempts: 2,
      records: 1,
      statuses: { NEW: 1, IGNORED: 0, ERROR: 0 },
      invalid: 1,
    });
  });
});

describe('keys and paths get the right HTTP status:', () => {
  const post = (headers: Record<string, string>, path = PATH) => ({
    path,
    headers: { 'content-type': 'application/json', ...headers },
  });
  test.each<[name: string, request: { path: string; headers: Record<string, string> }, status: number]>([
    ['a production key', post({ token: 'prod_x' }), 201],
    ['a test key', post({ token: 'test_x' }), 201],
    ['no key', post({}), 401],
    ['a key without prefix', post({ token: 'x' }), 401],
    ['a bearer on the current interface', post({ authorization: 'Bearer prod_x' }), 401],
    ['the other form of the path', post({ token: 'prod_x' }, `/api${PATH}`), 201],
    ['a path prefix', post({ token: 'prod_x' }, `/shop/7${PATH}?x=1`), 201],
    ['another version', post({ token: 'prod_x' }, '/v2/raw_transactions'), 401], // this path belongs to the earlier interface
    ['no version', post({ authorization: 'Bearer prod_x' }, '/raw_transactions'), 404],
    ['an invalid end point', post({ authorization: 'Bearer prod_x' }, '/one/transaction'), 400],
    ['another content type', post({ token: 'prod_x', 'content-type': 'text/plain' }), 415],
  ])('%s', async (_, { path, headers }, status) => {
    const standIn = await open();
    const answer = await call(standIn.url + path, { method: 'POST', headers, body: bodyOf() });
    expect(answer.status).toBe(status);
    expect(standIn.summary()).toMatchObject({ records: status === 201 ? 1 : 0, invalid: status === 201 ? 0 : 1 });
  });

  test('with a list of tokens only these are valid, each for its journal', async () => {
    const standIn = await open({ tokens: { prod_a: 'Bakery', prod_b: 'Kiosk' } });
    const body = bodyOf();
    const statuses = [];
    for (const key of ['prod_a', 'prod_b', 'prod_c', 'toString'])
      statuses.push((await postBody(standIn.url, key, body)).status);
    expect(statuses).toEqual([201, 201, 401, 401]);
    expect(standIn.effects.map(({ journal }) => journal)).toEqual(['Bakery', 'Kiosk']);
  });

  test('another method is 405', async () => {
    const standIn = await open();
    expect((await call(standIn.url + PATH, { method: 'PUT', headers: { token: KEY } })).status).toBe(405);
    expect(
      (await call(`${standIn.url}/v1/transaction`, { method: 'PUT', headers: { authorization: `Bearer ${KEY}` } }))
        .status,
    ).toBe(405);
  });
});

describe('the earlier interface:', () => {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const query = 'transactionid=T1&timestamp=2026-11-20T10:00:00Z&amount=10';
  const sendEarlier = async (standIn: StandIn, path: string, body?: string) =>
    call(standIn.url + path, { method: body === undefined ? 'GET' : 'POST', headers, body });

  test.each<[name: string, path: string, body: string | undefined, classified: string]>([
    ['the same query', `/v1/transaction?${query}`, undefined, 'IGNORED'],
    [
      'another order of parameters',
      '/v1/transaction?amount=10&timestamp=2026-11-20T10:00:00Z&transactionid=T1',
      undefined,
      'IGNORED',
    ],
    [
      'a body with the same values',
      '/v1/transaction',
      '{"transactionid":"T1","timestamp":"2026-11-20T10:00:00Z","amount":10.0}',
      'IGNORED',
    ],
    [
      'a data object',
      '/v1/transaction',
      '{"data":{"transactionid":"T1","timestamp":"2026-11-20T10:00:00Z","amount":"10"}}',
      'IGNORED',
    ],
    ['a path prefix', `/c/bakery/1207/v1/transaction?${query}`, undefined, 'IGNORED'],
    ['another amount', `/v1/transaction?${query}.5`, undefined, 'ERROR'],
    ['one parameter more', `/v1/transaction?${query}&a=b`, undefined, 'ERROR'],
    ['a repeated parameter', `/v1/transaction?${query}&amount=10`, undefined, 'ERROR'],
    ['another resource', `/v1/cancellations?${query}`, undefined, 'NEW'],
    ['another id', `/v1/transaction?${query.replace('T1', 'T2')}`, undefined, 'NEW'],
  ])('%s', async (_, path, body, classified) => {
    const standIn = await open();
    expect((await sendEarlier(standIn, `/v1/transaction?${query}`)).status).toBe(200);
    const answer = await sendEarlier(standIn, path, body);
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ status: classified });
    expect(standIn.effects[0]).toMatchObject({
      interface: 'earlier',
      resource: 'transaction',
      id: 'T1',
      bytes: Buffer.from(query),
    });
  });

  test('has its own ids, which are not in the count', async () => {
    const standIn = await open();
    await postBody(standIn.url, KEY, bodyOf({ external_id: 'T1' }));
    expect((await sendEarlier(standIn, `/v1/transaction?${query}`)).json()).toMatchObject({ status: 'NEW' });
    expect((await getRange(standIn.url, KEY)).json()).toMatchObject({ raw_transaction_count: 1 });
  });

  test('a resource may have its own id parameter; a call without it is refused', async () => {
    const standIn = await open({ idParameters: { refund: 'refundid' } });
    expect((await sendEarlier(standIn, '/v1/refund?refundid=7')).json()).toMatchObject({
      external_id: '7',
      status: 'NEW',
    });
    expect((await sendEarlier(standIn, '/v1/refund', '{"refundid":7}')).json()).toMatchObject({ status: 'IGNORED' });
    expect((await sendEarlier(standIn, '/v1/refund?transactionid=7')).status).toBe(400);
  });
});

describe('the query:', () => {
  let standIn: StandIn;
  beforeEach(async () => {
    standIn = await openStandIn();
    onTestFinished(() => standIn.close());
    for (const [id, time, type] of [
      ['S3', '12:00:00', 'sale'],
      ['S1', '00:00:00', 'sale'],
      ['S2', '12:00:00', 'refund'],
      ['S4', '23:59:59', 'sale'],
    ] as const)
      await postBody(standIn.url, KEY, bodyOf({ external_id: id, timestamp: `2026-11-20T${time}Z`, type }));
    await postBody(standIn.url, KEY, bodyOf({ external_id: 'next', timestamp: '2026-11-21T00:00:00Z' }));
    await postBody(standIn.url, KEY, bodyOf({ external_id: 'S1', timestamp: '2026-11-21T05:00:00Z' })); // answered ERROR, so it is not counted
    await postBody(standIn.url, 'test_one', bodyOf());
  });

  test('counts distinct records of the half-open range, and echoes the parameters', async () => {
    expect((await getRange(standIn.url, KEY)).json()).toEqual({
      timestamp_gte: '2026-11-20T00:00:00',
      timestamp_lt: '2026-11-21T00:00:00',
      raw_transaction_count: 4,
      limit: 500,
      next_cursor: null,
    });
    expect((await getRange(standIn.url, KEY, { type: 'refund' })).json()).toMatchObject({ raw_transaction_count: 1 });
    expect((await getRange(standIn.url, 'test_one')).json()).toMatchObject({ raw_transaction_count: 1 });
  });

  test('lists the same set over all pages, whatever arrives in between', async () => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await getRange(standIn.url, KEY, {
        expand: 'raw_transactions',
        limit: '1',
        ...(cursor !== null && { cursor }),
      });
      const answer = page.json() as {
        raw_transactions: { external_id: string }[];
        next_cursor: string | null;
        raw_transaction_count: number;
      };
      expect(answer.raw_transaction_count).toBe(4);
      ids.push(...answer.raw_transactions.map(({ external_id }) => external_id));
      cursor = answer.next_cursor;
      await postBody(standIn.url, KEY, bodyOf({ timestamp: '2026-11-20T13:00:00Z' }));
    } while (cursor !== null);
    expect(ids).toEqual(['S1', 'S3', 'S2', 'S4']); // sorted by time stamp, then by arrival
    const all = await getRange(standIn.url, KEY, { expand: 'raw_transactions' });
    expect(all.json()).toMatchObject({
      raw_transaction_count: 8,
      raw_transactions: expect.arrayContaining([
        { external_id: 'S2', type: 'refund', timestamp: '2026-11-20T12:00:00' },
      ]),
    });
  });

  test.each<[name: string, parameters: Record<string, string>]>([
    ['an invalid bound', { timestamp_gte: '2026-11-20' }],
    ['a reversed range', { timestamp_gte: '2026-11-22T00:00:00' }],
    ['more than 32 days', { timestamp_gte: '2026-10-19T23:59:59' }],
    ['no limit', { limit: '0' }],
    ['a limit above 500', { limit: '501' }],
    ['an unknown expansion', { expand: 'all' }],
    ['an unknown cursor', { cursor: 'x' }],
  ])('%s is 400', async (_, parameters) => {
    expect((await getRange(standIn.url, KEY, parameters)).status).toBe(400);
  });

  test('a cursor is valid for its query only', async () => {
    const page = { expand: 'raw_transactions', limit: '2' };
    const { next_cursor: cursor } = (await getRange(standIn.url, KEY, page)).json() as { next_cursor: string };
    expect((await getRange(standIn.url, KEY, { ...page, cursor })).status).toBe(200);
    expect((await getRange(standIn.url, KEY, { ...page, cursor, type: 'sale' })).status).toBe(400);
  });

  test('a record is visible after its delay', async () => {
    const clock = startVirtualTime();
    const late = await open({ visibleAfterMs: 4 * 3_600_000, clock });
    await postBody(late.url, KEY, bodyOf());
    expect((await getRange(late.url, KEY)).json()).toMatchObject({ raw_transaction_count: 0 });
    clock.jump(4 * 3_600_000);
    expect((await getRange(late.url, KEY)).json()).toMatchObject({ raw_transaction_count: 1 });
  });

  test('concurrent queries are counted', async () => {
    await standIn.setScript('hang x2, accept');
    const hanging = [getRange(standIn.url, KEY), getRange(standIn.url, KEY)].map((query) => query.catch(() => {}));
    await standIn.waitUntil(({ queries }) => queries === 2);
    expect(standIn.summary().queriesAtOnce).toBe(2);
    await standIn.close();
    await Promise.all(hanging);
  });
});

test('every call is kept unchanged', async () => {
  const clock = startVirtualTime();
  const standIn = await open({ clock, script: '500, accept' });
  const body = bodyOf({ external_id: 'S1' });
  await postBody(standIn.url, KEY, body);
  clock.jump(1500);
  await call(`${standIn.url}${PATH}?a=b`, {
    method: 'POST',
    headers: { token: KEY, 'content-type': 'application/json', 'x-status': 'ERROR' },
    body,
  });
  expect(standIn.attempts).toMatchObject([
    {
      at: clock.now() - 1500,
      method: 'POST',
      path: PATH,
      headers: { token: KEY },
      bytes: Buffer.from(body),
      behaviour: { kind: 'refuse', status: 500 },
      taken: undefined,
    },
    {
      at: clock.now(),
      path: `${PATH}?a=b`,
      headers: { 'x-status': 'ERROR' },
      bytes: Buffer.from(body),
      behaviour: { kind: 'accept' },
      taken: 'NEW',
    },
  ]);
  expect(standIn.effects).toMatchObject([{ id: 'S1', attempts: 2, statuses: { NEW: 1, IGNORED: 0, ERROR: 0 } }]);
});

test('a reset forgets everything and restarts the script', async () => {
  const standIn = await open({ script: '500, accept' });
  const body = bodyOf();
  const post = async (): Promise<number> => (await postBody(standIn.url, KEY, body)).status;
  expect([await post(), await post(), await post()]).toEqual([500, 201, 200]);
  await standIn.reset();
  expect(standIn.summary()).toEqual({
    attempts: 0,
    records: 0,
    statuses: { NEW: 0, IGNORED: 0, ERROR: 0 },
    queries: 0,
    queriesAtOnce: 0,
    invalid: 0,
    behaviours: {},
  });
  expect([standIn.attempts, standIn.effects]).toEqual([[], []]);
  expect([await post(), await post()]).toEqual([500, 201]);
});

test('a wrong script and a used port are reported at once', async () => {
  await expect(openStandIn({ script: 'hnag' })).rejects.toThrow('"hnag"');
  const standIn = await open();
  await expect(standIn.setScript('500 xx')).rejects.toThrow('"xx"');
  await expect(openStandIn({ port: standIn.port })).rejects.toThrow('EADDRINUSE');
});

test('closing drops calls in progress, even an answer that is due later', async () => {
  const clock = startVirtualTime();
  const standIn = await openStandIn({ script: 'accept after 1h', clock });
  const answer = send(standIn);
  await clock.waitForTimers(1);
  await standIn.close();
  expect((await answer).text).toBe('');
  await standIn.close();
});

test('TLS uses the given certificate, and a reset works there too', async () => {
  const pem = execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout -'.split(' '),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const standIn = await open({ tls: { key: pem, cert: pem }, script: 'accept, reset' });
  expect(standIn.url).toMatch(/^https:/);
  const sendTls = () =>
    exchange(
      connectTls({ port: standIn.port, host: '127.0.0.1', ca: pem, servername: 'localhost' }),
      requestOf(bodyOf()),
    );
  expect((await sendTls()).text).toMatch(/ 201 /);
  expect(await sendTls()).toEqual({ text: '', slices: 0, ending: 'ECONNRESET' });
});

test('under load no call is lost or counted twice, and only the newest calls are kept', async () => {
  const standIn = await open({ keepBodies: false, script: '10%: close taken; 10%: 500; accept' });
  const pool = new Pool(standIn.url, { connections: 16 });
  onTestFinished(() => pool.destroy());
  const bodies = Array.from({ length: 4000 }, (_, i) => bodyOf({ external_id: `L${i}` }));
  let calls = 0;
  const sendUntilAnswered = async (body: string): Promise<void> => {
    for (;;) {
      calls += 1;
      const status = await pool
        .request({ method: 'POST', path: PATH, headers: { token: KEY, 'content-type': 'application/json' }, body })
        .then(async (answer) => (await answer.body.dump(), answer.statusCode))
        .catch(() => 0);
      if (status === 200 || status === 201) return;
    }
  };
  await Promise.all(bodies.map(sendUntilAnswered));
  const { attempts, records, statuses, behaviours } = standIn.summary();
  expect({ attempts, records, new: statuses.NEW, error: statuses.ERROR }).toEqual({
    attempts: calls,
    records: 4000,
    new: 4000,
    error: 0,
  });
  expect(statuses.NEW + statuses.IGNORED).toBe(calls - (behaviours['500'] ?? 0));
  expect(behaviours['500']).toBeGreaterThan(0);
  expect(behaviours['close taken']).toBeGreaterThan(0);
  expect(standIn.attempts.length).toBeLessThanOrEqual(200);
  expect(standIn.attempts[0]?.bytes).toHaveLength(0);
  expect(new Set(standIn.effects.map(({ id, bytes }) => `${id}${String(bytes)}`)).size).toBe(4000);
});
