// The export contains every record that matches the filter, in a format for spreadsheets. A spreadsheet runs no cell of the
// file as a formula.

import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { inert } from '../../../server/console/csv.ts';
import { addUser, enter, signIn, type Window } from '../../support/console.ts';
import { parseCsv } from '../../support/csv-cells.ts';
import { flipRecord } from '../../support/damage.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { settleRecords } from '../../support/temp-store.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
let window: Window;
beforeAll(async () => void (window = await enter(gateway)));

/** Whether a spreadsheet might run a text as a formula. An apostrophe before the text prevents that. */
const isFormula = (cell: string): boolean => /^[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell);

async function exported(query = ''): Promise<string> {
  const { production } = gateway;
  const answer = await window.get(`/api/records.csv?journal=${production.journalId}${query}`);
  expect(answer.status).toBe(200);
  return answer.text;
}

describe('the export', () => {
  test('is a named file in UTF-8 that spreadsheets recognise, with a row for each record of the search', async () => {
    const { apiUrl, production } = gateway;
    for (const [id, total] of [
      ['E-1', 1],
      ['E-2', 2],
      ['E-1', 3],
    ] as const) {
      const timestamp = '2026-11-20T23:30:00Z';
      await postBody(apiUrl, production.secret, bodyOf({ external_id: id, timestamp, object: `{"total":${total}}` }));
    }
    const query = `&from=${Date.parse('2026-11-20T23:00:00Z') / 1000}&order=oldest&status=all`;
    const answer = await window.get(`/api/records.csv?journal=${production.journalId}${query}`);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="Bakery 2026-11-2\d all\.csv"$/),
      'cache-control': 'no-store',
    });
    const bytes = await wholeBody(`/api/records.csv?journal=${production.journalId}`);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [header = [], ...rows] = parseCsv(answer.text, ',');
    const column = (name: string): string[] => rows.map((row) => row[header.indexOf(name)] ?? '');
    expect(column('external_id')).toEqual(['E-1', 'E-2', 'E-1']);
    expect(column('status')).toEqual(['NEW', 'NEW', 'ERROR']);
    expect(column('till')).toEqual(['Counter', 'Counter', 'Counter']);
    expect(column('sold_at (UTC)')).toEqual(Array<string>(3).fill('2026-11-20T23:30:00Z'));
    expect(column('delivery')).toEqual(['waiting', 'waiting', 'not forwarded']);
    expect(column('content').map((content): unknown => JSON.parse(content))).toMatchObject([
      { object: { total: 1 } },
      { object: { total: 2 } },
      { object: { total: 3 } },
    ]);
  });

  test.each([
    ['', ['NEW', 'NEW'], /^attachment; filename="Bakery 2026-11-\d\d\.csv"$/],
    ['&status=ERROR', ['ERROR'], /"Bakery 2026-11-\d\d ERROR\.csv"$/],
    ['&status=all', ['NEW', 'NEW', 'ERROR'], /"Bakery 2026-11-\d\d all\.csv"$/],
  ])('has only sales, unless another status is chosen: %j', async (choice, statuses, name) => {
    const from = Date.parse('2026-11-20T23:00:00Z') / 1000;
    const path = `/api/records.csv?journal=${gateway.production.journalId}&from=${from}&to=${from + 3600}&order=oldest`;
    const answer = await window.get(`${path}${choice}`);
    const [header = [], ...rows] = parseCsv(answer.text, ',');
    expect(rows.map((row) => row[header.indexOf('status')])).toEqual(statuses);
    expect(answer.headers['content-disposition']).toMatch(name);
  });

  test.each([
    ['', ','],
    ['&format=comma', ','],
    ['&format=semicolon', ';'],
    ['&format=semicolonPoint', ';'],
  ])('has the chosen separator: %j', async (choice, separator) => {
    expect(parseCsv(await exported(`&id=E-2${choice}`), separator)[1]).toContain('E-2');
  });

  test('has the store’s local time beside UTC', async () => {
    await gateway.store.setup.changeAdministration('Bakery', { timeZone: 'Asia/Kathmandu' }, 'test');
    const [header = [], row = []] = parseCsv(await exported('&id=E-2'), ',');
    expect(row[header.indexOf('sold_at (Asia/Kathmandu)')]).toBe('2026-11-21 05:15:00');
  });

  test('holds as much of a large record as fits into a spreadsheet cell', async () => {
    const { apiUrl, production } = gateway;
    const object = JSON.stringify({ note: 'x'.repeat(40_000) });
    await postBody(apiUrl, production.secret, bodyOf({ external_id: 'LARGE', object }));
    const [header = [], row = []] = parseCsv(await exported('&id=LARGE'), ',');
    const content = row[header.indexOf('content')] ?? '';
    expect(content).toMatch(/^\{.*xxx…$/);
    expect(content.length).toBeLessThan(32_767);
  });

  test('is cut after formulas were disarmed, and never within a character', async () => {
    const { apiUrl, production } = gateway;
    for (const [id, note] of [
      ['GROWS', ';-'.repeat(15_900)],
      ['FACES', 'x😀'.repeat(9_000)],
    ] as const)
      await postBody(apiUrl, production.secret, bodyOf({ external_id: id, object: JSON.stringify({ note }) }));
    for (const id of ['GROWS', 'FACES']) {
      const [header = [], row = []] = parseCsv(await exported(`&id=${id}`), ',');
      const content = row[header.indexOf('content')] ?? '';
      expect(content.length).toBeLessThan(32_767);
      expect(content).not.toContain('\uFFFD');
    }
  });

  test('ends with the session of its user', async () => {
    const { apiUrl, test: key } = gateway;
    const object = JSON.stringify({ note: 'x'.repeat(40_000) });
    for (let n = 0; n < 600; n++) await postBody(apiUrl, key.secret, bodyOf({ external_id: `G-${n}`, object }));
    const leaving = await enter(gateway);
    const response = await fetch(leaving.url(`/api/records.csv?journal=${key.journalId}`), {
      headers: { cookie: leaving.cookie },
    });
    await leaving.send('DELETE', '/api/session');
    await expect(response.text()).rejects.toThrow(/terminated/);
  });

  test('waits while four others are running', async () => {
    const { test: key } = gateway;
    const path = `/api/records.csv?journal=${key.journalId}`;
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    for (const name of ['Gerd', 'Gina']) await addUser(gateway, name, 'clerk');
    const windows = [await signIn(gateway, 'Gerd'), await signIn(gateway, 'Gina')];
    const running = await Promise.all(
      [...windows, ...windows].map(({ cookie, url }) => fetch(url(path), { headers: { cookie }, signal: stop.signal })),
    );
    expect(running.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const days = `journal=${key.journalId}&from=2026-11-01&to=2026-11-30`;
    for (const full of [path, `/api/days/export?${days}`, `/api/days/tills/export?${days}`])
      expect(await window.get(full), full).toMatchObject({ status: 429 });
    stop.abort();
    await expect.poll(async () => (await window.get(`${path}&id=G-1`)).status).toBe(200);
  });

  test('waits while two others of the same user run in other sessions, and delays nobody else', async () => {
    const { test: key } = gateway;
    const path = `/api/records.csv?journal=${key.journalId}`;
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    await addUser(gateway, 'Greta', 'clerk');
    const [one, two, three] = [
      await signIn(gateway, 'Greta'),
      await signIn(gateway, 'Greta'),
      await signIn(gateway, 'Greta'),
    ];
    const running = [one, two].map(({ url, cookie }) => fetch(url(path), { headers: { cookie }, signal: stop.signal }));
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await three.get(path)).json()).toMatchObject({ status: 429, code: 'export_limited' });
    expect((await window.get(`${path}&id=G-1`)).status).toBe(200);
  });

  test('of a program ends when its token is removed, and all programs together have the share of one person', async () => {
    const { test: key, consoleUrl } = gateway;
    const path = `/api/records.csv?journal=${key.journalId}`;
    const make = async (name: string): Promise<string> =>
      String((await window.send('POST', '/api/read-tokens', { name })).json()['token']);
    const read = (token: string) => fetch(consoleUrl + path, { headers: { authorization: `Bearer ${token}` } });
    const [one, two] = [await make('One'), await make('Two')];
    const running = [await read(one), await read(two)];
    expect(running.map(({ status }) => status)).toEqual([200, 200]);
    expect((await read(two)).status).toBe(429);
    for (const name of ['One', 'Two']) await window.send('DELETE', `/api/read-tokens/${name}`);
    const ends = await Promise.allSettled(running.map((answer) => answer.arrayBuffer()));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('counts towards the limit from the start of its search until it fails', async () => {
    const { store, production } = gateway;
    const path = `/api/records.csv?journal=${production.journalId}`;
    const { promise: disk, reject: fail } = Promise.withResolvers<never>();
    const spy = vi.spyOn(store.records, 'search').mockReturnValue(disk);
    onTestFinished(() => spy.mockRestore());
    const looking = Array.from({ length: 2 }, () => window.get(path));
    await expect.poll(() => spy.mock.calls.length).toBe(2);
    expect((await window.get(path)).status).toBe(429);
    expect(spy).toHaveBeenCalledTimes(2);
    fail(new Error('the disk is gone'));
    expect((await Promise.all(looking)).map(({ status }) => status)).toEqual([500, 500]);
    spy.mockRestore();
    expect((await window.get(path)).status).toBe(200);
  });

  test('has every record of many pages, in order, each once', async () => {
    const { apiUrl, makeKey } = gateway;
    const key = await makeKey({ administration: 'Many', mode: 'test' });
    const post = (n: number) =>
      postBody(apiUrl, key.secret, bodyOf({ external_id: `M-${String(n).padStart(5, '0')}` }));
    for (let at = 0; at < 1100; at += 100) await Promise.all(Array.from({ length: 100 }, (_, n) => post(at + n)));
    const { text } = await window.get(`/api/records.csv?journal=${key.journalId}&id=M-`);
    const ids = parseCsv(text, ',')
      .slice(1)
      .map((row) => row[1]);
    expect(ids).toEqual(Array.from({ length: 1100 }, (_, n) => `M-${String(n).padStart(5, '0')}`));
  });

  test('breaks off if it fails half-way, and the log says so', async () => {
    const { dataDir, store, test: key } = gateway;
    for (let n = 0; n < 501; n++) await postBody(gateway.apiUrl, key.secret, bodyOf({ external_id: `F-${n}` }));
    const search = store.records.search;
    const spy = vi.spyOn(store.records, 'search').mockImplementation((wanted) => {
      return wanted.after === undefined ? search(wanted) : Promise.reject(new Error('the disk is gone'));
    });
    onTestFinished(() => spy.mockRestore());
    const url = window.url(`/api/records.csv?journal=${key.journalId}`);
    const response = await fetch(url, { headers: { cookie: window.cookie } });
    await expect(response.text()).rejects.toThrow(/terminated/);
    const readLog = (): string => readFileSync(join(dataDir, 'logs', 'counterfoil.log'), 'utf8');
    await expect.poll(readLog).toMatch(/the disk is gone.*an export failed/);
  });

  test('stops when its reader disconnects, and the gateway continues', async () => {
    await new Promise<void>((resolve) => {
      const { production } = gateway;
      const request = get(
        window.url(`/api/records.csv?journal=${production.journalId}`),
        { headers: { cookie: window.cookie } },
        (response) => void response.once('data', () => void request.destroy()),
      );
      request.once('close', resolve);
      request.on('error', () => {});
    });
    expect((await window.get('/api/session')).status).toBe(200);
  });
});

test('a damaged record is exported with the word “damaged” in place of its content', async () => {
  const { apiUrl, dataDir, makeKey } = gateway;
  const key = await makeKey({ administration: 'Damaged', mode: 'test' });
  const [whole, damaged] = ['D-1', 'D-2'].map((external_id) => bodyOf({ external_id }));
  await postBody(apiUrl, key.secret, whole ?? '');
  const answer = await postBody(apiUrl, key.secret, damaged ?? '');
  flipRecord(dataDir, Number(answer.json()['record_id']));
  const { text } = await window.get(`/api/records.csv?journal=${key.journalId}&order=oldest`);
  const [columns = [], ...rows] = parseCsv(text, ',');
  const cells = (name: string): (string | undefined)[] => rows.map((row) => row[columns.indexOf(name)]);
  expect([cells('external_id'), cells('damaged'), cells('content')]).toEqual([
    ['D-1', 'D-2'],
    ['', 'yes'],
    [whole, ''],
  ]);
});

test('an export whose reader disconnects before the first page is no error', async () => {
  const { dataDir, production, store } = gateway;
  const { promise: begin, resolve } = Promise.withResolvers<void>();
  const search = store.records.search;
  const spy = vi.spyOn(store.records, 'search').mockImplementation((wanted) => begin.then(() => search(wanted)));
  onTestFinished(() => spy.mockRestore());
  const request = get(window.url(`/api/records.csv?journal=${production.journalId}`), {
    headers: { cookie: window.cookie },
  });
  request.on('error', () => {});
  await expect.poll(() => spy.mock.calls.length).toBe(1);
  request.destroy();
  await window.get('/api/session'); // by now the gateway knows that the download was aborted
  resolve();
  spy.mockRestore();
  await window.get(`/api/records.csv?journal=${production.journalId}`);
  expect(readFileSync(join(dataDir, 'logs', 'counterfoil.log'), 'utf8')).not.toContain('UNABLE_TO_PIPE');
});

function wholeBody(path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(window.url(path), { headers: { cookie: window.cookie } }, (response) => {
      response.toArray().then((pieces) => resolve(Buffer.concat(pieces as Buffer[])), reject);
    }).once('error', reject);
  });
}

describe('no cell is executed, whatever a till or an upstream wrote', () => {
  const parts = [
    '=',
    '+',
    '-',
    '@',
    '\uFF1D',
    '\uFF0B',
    "'",
    '"',
    ';',
    ',',
    '|',
    '\t',
    '\r',
    '\n',
    ' ',
    'cmd',
    '1',
    'A1',
    '\u0000',
    '\u2028',
  ];
  const hostile = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 }).map((all) => all.join(''));

  test('cells keep their texts with any separator', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const cells = [one, two].map(inert);
        const line = cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
        for (const separator of [',', ';', '\t', '|']) {
          for (const cell of parseCsv(`${line}\n`, separator).flat())
            expect(isFormula(cell), `${separator} ${cell}`).toBe(false);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["'", 400_000, 400_000],
    [' ', 400_000, 400_000],
    [',"', 200_000, 400_000],
    [';-', 200_000, 600_000],
  ])('each character of %j is read once, however many a till sends', (part, times, length) => {
    expect(inert(part.repeat(times))).toHaveLength(length); // in quadratic time this would take minutes
  });

  test('every text column of a real export', async () => {
    const formula = '=HYPERLINK("http://evil.example";"x")';
    const key = await gateway.makeKey({
      administration: '=Formula;=1+1',
      mode: 'test',
      label: '@SUM(1);=2+2',
    });
    for (const type of [formula, '+1', '-1', '@x', 'x;=1+1;', '\uFF1D1', ' =1', '"=1"'])
      await postBody(gateway.apiUrl, key.secret, bodyOf({ type, external_id: type }));
    const { administration, mode } = key;
    const lane = gateway.store.outbox
      .lanes()
      .find(({ journalId, interface: by }) => journalId === key.journalId && by === 'current');
    const waiting = await gateway.store.outbox.listWaiting(lane?.id ?? 0, 0);
    const recordIds = waiting.records.map(({ recordId }) => recordId);
    const refused = { state: 'held', answerStatus: 400, answer: `no\n${formula}\r\n=1+1` } as const;
    await settleRecords(gateway.store, lane?.id ?? 0, recordIds, refused);
    const act = { kind: 'set aside', records: { kind: 'all' }, reason: formula } as const;
    await gateway.store.outbox.performAct({ administration, mode, interface: 'current' }, act, 'test');
    const answer = await window.get(`/api/records.csv?journal=${key.journalId}`);
    expect(parseCsv(answer.text, ',')).toHaveLength(9);
    for (const separator of [',', ';', '\t', '|']) {
      for (const cell of parseCsv(answer.text, separator).flat())
        expect(isFormula(cell), `${separator} ${cell}`).toBe(false);
    }
    expect(answer.headers['content-disposition']).not.toMatch(/[;=]1/);
  });
});
