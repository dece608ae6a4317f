// What clerks see, through a real gateway: journals, today, pages of records, one record, refusals, tills. The tests of the
// store check the numbers. These tests check that the console asks for the right data.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ActEntry } from '../../../server/contract/acts.ts';
import type { WaitingSample } from '../../../server/contract/lanes.ts';
import type { OverviewView } from '../../../server/contract/overview.ts';
import type { RecordDetail, RecordPage, RefusalGroup } from '../../../server/contract/records.ts';
import type { JournalView, SettingsView, Till } from '../../../server/contract/setup.ts';
import { always, storeDayAt } from '../../../server/store-day.ts';
import { enter, type Window } from '../../support/console.ts';
import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

/** In Amsterdam this is 04:00 on the 21st. In New York it is still the 20th. */
const NOW = Date.parse('2026-11-21T03:00:00Z');
const clock: VirtualTime = startVirtualTime(NOW);
let gateway: TestGateway;
let window: Window;
let journal: number;

const parse = <T>({ status, text }: Answer): T => {
  expect(status, text).toBe(200);
  return JSON.parse(text) as T;
};
const get = async <T>(path: string): Promise<T> => parse<T>(await window.get(path));
const post = async (id: string, timestamp: string, more: { type?: string; object?: string } = {}): Promise<number> => {
  const { apiUrl, production } = gateway;
  const answer = await postBody(apiUrl, production.secret, bodyOf({ external_id: id, timestamp, ...more }));
  return Number(answer.json()['record_id']);
};

beforeAll(async () => {
  gateway = await openTestGateway({}, undefined, { clock });
  journal = gateway.production.journalId;
  await gateway.store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }, 'test');
  await post('A-1', '2026-11-21T02:59:59Z'); // a second before 04:00 in Amsterdam
  await post('A-2', '2026-11-21T03:00:00Z');
  await post('A-2', '2026-11-21T03:00:00Z');
  await post('A-2', '2026-11-21T03:00:00Z', { object: '{"total":1}' });
  await post('B-1', '2026-11-21T03:10:00Z', { type: 'refund' });
  await postBody(gateway.apiUrl, gateway.production.secret, '{');
  await postBody(gateway.apiUrl, gateway.production.secret, '{');
  window = await enter(gateway);
});
afterAll(() => gateway.close());

test('journals name their zone and the time when their days begin', async () => {
  const journals = await get<JournalView[]>('/api/journals');
  expect(journals).toEqual([
    {
      id: journal,
      administration: 'Bakery',
      mode: 'production',
      timeZone: 'Europe/Amsterdam',
      dayRules: always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }),
      hasRecords: true,
    },
    expect.objectContaining({ mode: 'test', hasRecords: false }),
  ]);
});

describe('today', () => {
  test('is the store day of the moment, by the zone and the cut-off of the administration', async () => {
    const overview = await get<OverviewView>(`/api/overview?journal=${journal}`);
    const day = storeDayAt(NOW, always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }));
    expect([overview.now, overview.day]).toEqual([NOW, day]);
    expect(day).toMatchObject({ date: '2026-11-21', from: NOW / 1000 });
    expect(overview).toMatchObject({
      records: { NEW: 2, IGNORED: 1, ERROR: 1 },
      deliveries: { waiting: 2 },
      total: { waiting: 3 },
      trouble: null,
    });
    expect(overview.lanes.map((lane) => lane.interface)).toEqual(['current', 'earlier']);
    expect(overview.lanes[0]).toMatchObject({ journalId: journal, url: null, state: 'paused' });
  });

  test('is a different day in another zone', async () => {
    await gateway.store.setup.changeAdministration('Bakery', { timeZone: 'America/New_York', dayStartsAt: 0 }, 'test');
    const { day, records } = await get<OverviewView>(`/api/overview?journal=${journal}`);
    expect(day.date).toBe('2026-11-20');
    expect(records.NEW).toBe(3);
    await gateway.store.setup.changeAdministration(
      'Bakery',
      { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 },
      'test',
    );
  });
});

test('tills show a week of store days, today last', async () => {
  const tills = await get<Till[]>(`/api/tills?journal=${journal}`);
  expect(tills).toMatchObject([{ label: 'Counter', keys: [{ id: gateway.production.id, revokedAt: null }] }]);
  expect(tills[0]?.week).toEqual([0, 0, 0, 0, 0, 1, 2]);
});

test('tills show their unusual forms', async () => {
  const key = await gateway.makeKey({ mode: 'test', administration: 'Forms' });
  await postBody(gateway.apiUrl, key.secret, bodyOf({ timestamp: '2026-11-20T10:00:00.5Z' }));
  expect(await get<Till[]>(`/api/tills?journal=${key.journalId}`)).toMatchObject([
    { unusualForms: [{ form: 'timestamp_fraction', calls: 1, example: '0000-00-00x00:00:00.0x' }] },
  ]);
});

test('an id of 1,024 characters is found by its full text, and pages continue after it', async () => {
  const key = await gateway.makeKey({ mode: 'test', administration: 'Long ids' });
  const ids = ['a', 'b'].map((end) => 'i'.repeat(1023) + end);
  for (const external_id of ids) await postBody(gateway.apiUrl, key.secret, bodyOf({ external_id }));
  const of = `/api/records?journal=${key.journalId}`;
  expect(await get<RecordPage>(`${of}&id=${ids[1]}`)).toMatchObject({ records: [{ externalId: ids[1] }] });
  const first = await get<RecordPage>(`${of}&id=i&limit=1`);
  expect(await get<RecordPage>(`${of}&id=i&limit=1&cursor=${first.next}`)).toMatchObject({
    records: [{ externalId: ids[1] }],
  });
});

test('refusals are listed per journal, by cause', async () => {
  const groups = await get<RefusalGroup[]>(`/api/refusals?journal=${journal}`);
  expect(groups).toMatchObject([{ code: 'json_malformed', till: 'Counter', calls: 2, keyId: gateway.production.id }]);
  const later = Math.floor(groups[0]!.lastAt / 1000) + 1;
  expect(await get<RefusalGroup[]>(`/api/refusals?journal=${journal}&from=${later}`)).toEqual([]);
});

test('acts are listed page by page', async () => {
  const all = await get<ActEntry[]>('/api/acts');
  expect(all.length).toBeGreaterThan(3);
  const [first] = await get<ActEntry[]>('/api/acts?limit=1');
  expect(first).toEqual(all[0]);
  expect(await get<ActEntry[]>(`/api/acts?limit=2&before=${first!.id}`)).toEqual(all.slice(1, 3));
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'before=0', 'before=-1', 'limit=1&limit=2'])
    expect((await window.get(`/api/acts?${query}`)).json(), query).toMatchObject({ code: 'query_invalid' });
});

test('settings show the effective values and their sources', async () => {
  const { settings, dataDir, administrations } = await get<SettingsView>('/api/settings');
  expect([settings, dataDir]).toEqual([[], gateway.dataDir]); // this gateway was opened by a test, without settings from files or variables
  expect(administrations.map(({ name }) => name)).toEqual(['Bakery', 'Forms', 'Long ids']);
});

test('the waiting records are sampled every minute', async () => {
  const lane = gateway.store.outbox
    .lanes()
    .find(({ journalId, interface: by }) => journalId === journal && by === 'current')!;
  const read = (): Promise<WaitingSample[]> => get<WaitingSample[]>(`/api/lanes/${lane.id}/waiting`);
  const before = (await read()).length;
  clock.jump(65_000);
  await expect.poll(async () => (await read()).length).toBeGreaterThan(before);
  expect((await read()).at(-1)).toMatchObject({ waiting: 3 });
});

describe('records', () => {
  const ids = ({ records }: RecordPage): string[] => records.map(({ externalId, status }) => `${externalId} ${status}`);
  const search = (query = ''): Promise<RecordPage> => get<RecordPage>(`/api/records?journal=${journal}${query}`);

  test.each([
    ['', ['B-1 NEW', 'A-2 ERROR', 'A-2 IGNORED', 'A-2 NEW', 'A-1 NEW']],
    ['&order=oldest', ['A-1 NEW', 'A-2 NEW', 'A-2 IGNORED', 'A-2 ERROR', 'B-1 NEW']],
    ['&id=A-', ['A-1 NEW', 'A-2 NEW', 'A-2 IGNORED', 'A-2 ERROR']],
    ['&status=ERROR', ['A-2 ERROR']],
    ['&delivery=waiting', ['B-1 NEW', 'A-2 NEW', 'A-1 NEW']],
    ['&delivery=set%20aside', []],
    ['&type=refund', ['B-1 NEW']],
    ['&interface=earlier', []],
    ['&interface=current&status=NEW', ['B-1 NEW', 'A-2 NEW', 'A-1 NEW']],
    [`&from=${NOW / 1000}`, ['B-1 NEW', 'A-2 ERROR', 'A-2 IGNORED', 'A-2 NEW']],
    [`&from=${NOW / 1000 - 1}&to=${NOW / 1000}`, ['A-1 NEW']],
    ['&till=999', []],
  ])('are found by %j', async (query, found) => {
    expect(ids(await search(query))).toEqual(found);
  });

  test('of one interface are found and exported separately from the other interface', async () => {
    const key = await gateway.makeKey({ interface: 'both', label: 'Two ways' });
    await postBody(gateway.apiUrl, key.secret, bodyOf({ external_id: 'C-1' }));
    for (let n = 0; n < 2; n++) {
      const headers = { authorization: `Bearer ${key.secret}` };
      await call(`${gateway.apiUrl}/v1/transaction?transactionid=C-1`, { headers });
    }
    const of = `journal=${key.journalId}&interface`;
    for (const more of ['', '&id=C-']) {
      const [current, earlier] = [`${of}=current${more}`, `${of}=earlier${more}&status=NEW`];
      expect(await get<RecordPage>(`/api/records?${current}`)).toMatchObject({ records: [{ interface: 'current' }] });
      expect(ids(await get<RecordPage>(`/api/records?${of}=earlier${more}`))).toHaveLength(2);
      expect(await get<RecordPage>(`/api/records?${earlier}`)).toMatchObject({ records: [{ interface: 'earlier' }] });
      const { text } = await window.get(`/api/records.csv?${earlier}`);
      expect(text.trim().split('\n').slice(1)).toEqual([expect.stringContaining(',earlier,NEW,')]);
    }
  });

  test.each(['', '&order=oldest', '&id=A', '&status=NEW'])(
    'are the same page by page as in one page: %j',
    async (query) => {
      const all = ids(await search(query));
      const paged: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: RecordPage = await search(`${query}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        paged.push(...ids(page));
        cursor = page.next;
      }
      expect(paged).toEqual(all);
    },
  );

  test.each(['x', 'W10', btoa('[1]'), btoa('["A",1]'), btoa('[1.5,1]'), btoa('[1,0]'), btoa('{}')])(
    'a cursor of another search, %j, is refused',
    async (cursor) => {
      const answer = await window.get(`/api/records?journal=${journal}&cursor=${encodeURIComponent(cursor)}`);
      expect(answer.json()).toMatchObject({ status: 400, code: 'cursor_invalid', errors: [{ pointer: '/cursor' }] });
    },
  );

  test.each([
    ['status=OLD', '/status'],
    ['delivery=gone', '/delivery'],
    ['interface=both', '/interface'],
    ['till=x', '/till'],
    ['from=1.5', '/from'],
    ['to=2026-11-21', '/to'],
    ['order=random', '/order'],
    ['limit=501', '/limit'],
    ['id=', '/id'],
    ['id=%ff', '/id'],
    ['type=', '/type'],
  ])('%s is refused, and the answer names the parameter', async (query, pointer) => {
    const answer = await window.get(`/api/records?journal=${journal}&${query}`);
    expect(answer.json()).toMatchObject({ code: 'query_invalid', errors: [{ pointer }] });
  });

  test('a record is shown with its original and the differences, and its body is returned unchanged', async () => {
    const [conflict] = (await search('&status=ERROR')).records;
    const detail = await get<RecordDetail>(`/api/records/${conflict!.recordId}`);
    expect(detail).toMatchObject({
      record: conflict,
      isIntact: true,
      original: { record: { externalId: 'A-2', status: 'NEW' } },
      differences: [{ pointer: '/object/total', original: null, resent: '1' }],
    });
    const body = await window.get(`/api/records/${conflict!.recordId}/body`);
    expect(body.text).toBe(detail.body);
    expect(body.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename=record-${conflict!.recordId}.txt`,
    });
  });
});
