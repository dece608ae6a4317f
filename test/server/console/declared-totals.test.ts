// Declared totals that clerks type or upload as a file. A file is stored completely or not at all.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ActEntry } from '../../../server/contract/acts.ts';
import type { DeclaredChoice, DeclaredImport } from '../../../server/contract/declared-totals.ts';
import { openDayFinder } from '../../../server/reconcile/day-finder.ts';
import { always, storeDayAt } from '../../../server/store-day.ts';
import { addUser, signIn, type Window } from '../../support/console.ts';
import type { Answer } from '../../support/http-call.ts';
import { openTestGateway, type TestKey } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
let clerk: Window;
beforeAll(async () => {
  await addUser(gateway, 'Ann', 'clerk');
  clerk = await signIn(gateway, 'Ann');
});

let made = 0;
/** Makes a till in a new store, whose store day begins at 04:00 in Amsterdam. */
async function makeTill(label = 'Till 1'): Promise<TestKey> {
  const key = await gateway.makeKey({ administration: `Shop ${(made += 1)}`, label });
  await gateway.store.setup.changeAdministration(
    key.administration,
    { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 },
    'test',
  );
  return key;
}
const put = (body: object): Promise<Answer> => clerk.send('PUT', '/api/declared-totals', body);
async function preview(journal: number, text: string, choice?: DeclaredChoice): Promise<DeclaredImport> {
  const answer = await clerk.send('POST', '/api/declared-totals/import', {
    journal,
    text,
    isTrial: true,
    ...(choice !== undefined && { choice }),
  });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as DeclaredImport;
}
/** Imports a file with the suggested columns. */
async function send(journal: number, text: string): Promise<DeclaredImport> {
  const { columns } = await preview(journal, text);
  const answer = await clerk.send('POST', '/api/declared-totals/import', {
    journal,
    text,
    isTrial: false,
    choice: { columns },
  });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as DeclaredImport;
}
const inForce = ({ journalId }: TestKey) =>
  gateway.store.declared.list({ journalId, from: '2026-01-01', to: '2026-12-31' });
const newestAct = async (): Promise<ActEntry | undefined> =>
  (JSON.parse((await clerk.get('/api/acts?limit=1')).text) as ActEntry[])[0];
const faultsOf = (answer: Answer): string[] => {
  expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid' });
  const errors = answer.json()['errors'] as { pointer: string; code: string }[];
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('typed', () => {
  test('takes effect, is logged with the person’s name, and can be withdrawn', async () => {
    const till = await makeTill();
    const { journalId: journal, tillId } = till;
    const answer = await put({ journal, date: '2026-11-04', records: 412 });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await inForce(till)).toMatchObject([{ date: '2026-11-04', records: 412, source: 'typed', actor: 'Ann' }]);
    expect(await newestAct()).toMatchObject({
      actor: 'Ann',
      act: { kind: 'declare total', date: '2026-11-04', type: null, till: null, records: 412 },
      administration: till.administration,
      mode: 'test',
    });
    await put({ journal, date: '2026-11-04', records: 9, type: 'sale', tillId });
    expect(await inForce(till)).toMatchObject([{ records: 412 }, { type: 'sale', tillId, records: 9 }]);
    const amounts = [{ currency: 'EUR', value: '12.50' }];
    await put({ journal, date: '2026-11-04', records: 412, amounts });
    expect(await inForce(till)).toMatchObject([{ records: 412, amounts }, { records: 9 }]);
    await put({ journal, date: '2026-11-04', records: null });
    expect(await inForce(till)).toMatchObject([{ records: 9 }]);
    expect((await newestAct())?.act).toMatchObject({ kind: 'declare total', date: '2026-11-04', records: null });
  });

  test.each<[body: object, faults: string[]]>([
    [{ date: '2026-02-30' }, ['/date date']],
    [{ date: '4-11-2026' }, ['/date date']],
    [{ date: 1 }, ['/date type']],
    [{ records: -1 }, ['/records too_small']],
    [{ records: 1.5 }, ['/records type']],
    [{ records: '1' }, ['/records type']],
    [{ type: '' }, ['/type record_type']],
    [{ type: 'a\u0000' }, ['/type record_type']],
    [{ type: null }, ['/type type']],
    [{ tillId: 0 }, ['/tillId too_small']],
    [{ tillId: 99_999 }, ['/tillId unknown']],
    [{ tillId: gateway.production.tillId }, ['/tillId unknown']],
    [{ ids: ['a'] }, ['/ids unknown']],
    [{ amounts: {} }, ['/amounts type']],
    [{ amounts: [{ currency: 'EUR', value: 1 }] }, ['/amounts/0/value type']],
    [{ amounts: [{ currency: 'EUR', value: '12,50' }] }, ['/amounts/0/value decimal']],
    [{ amounts: [{ currency: 'euro', value: '1' }] }, ['/amounts/0/currency invalid_format']],
    [{ amounts: [{ value: '1' }] }, ['/amounts/0/currency required']],
    [{ amounts: ['1', '2'].map((value) => ({ currency: null, value })) }, ['/amounts repeated']],
    [{ journal: 0 }, ['/journal too_small']],
  ])('%j is refused, and nothing is stored', async (more, faults) => {
    const till = await makeTill();
    expect(faultsOf(await put({ journal: till.journalId, date: '2026-11-04', records: 1, ...more }))).toEqual(faults);
    expect(await inForce(till)).toEqual([]);
  });
});

test('the template has a line for each till and yesterday, in the language and format of the console', async () => {
  const till = await makeTill('=1+1');
  const path = `/api/declared-totals/template?journal=${till.journalId}&language=nl&format=semicolon`;
  const { status, headers, text } = await clerk.get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(text).toMatch(/^\uFEFF?Dag;Kassa;Aantal verkopen;Bedrag;Valuta\n\d{4}-\d\d-\d\d;'=1\+1;;;\n$/);
});

describe('as a file', () => {
  const NONE = { day: null, count: null, id: null, amount: null, currency: null, till: null, type: null };
  const FILE = 'Datum;Kassa;Aantal\r\n5-11-2026;till 1;98\r\n4-11-2026;;1.234\r\n';
  const understood = {
    headings: ['Datum', 'Kassa', 'Aantal'],
    sample: [
      ['5-11-2026', 'till 1', '98'],
      ['4-11-2026', '', '1.234'],
    ],
    columns: { day: 0, till: 1, count: 2, id: null, amount: null, currency: null, type: null },
    totals: [
      { date: '2026-11-04', type: null, till: null, records: 1234, hasIds: false, amounts: [] },
      { date: '2026-11-05', type: null, till: 'Till 1', records: 98, hasIds: false, amounts: [] },
    ],
    faults: [],
  };

  test('a preview shows how the file is read and stores nothing', async () => {
    const till = await makeTill();
    expect(await preview(till.journalId, FILE)).toEqual(understood);
    expect(await inForce(till)).toEqual([]);
    expect((await newestAct())?.act.kind).not.toMatch(/^declare/);
  });

  test('is stored as a whole, and once', async () => {
    const till = await makeTill();
    expect(await send(till.journalId, FILE)).toEqual(understood);
    const kept = await inForce(till);
    expect(kept).toMatchObject([
      { date: '2026-11-04', tillId: null, records: 1234, source: 'file', actor: 'Ann' },
      { date: '2026-11-05', tillId: till.tillId, records: 98 },
    ]);
    const range = { from: '2026-11-04', to: '2026-11-05' };
    expect((await newestAct())?.act).toEqual({ kind: 'import totals', ...range, totals: 2 });
    await send(till.journalId, FILE);
    expect(await inForce(till)).toEqual(kept);
  });

  test('ids are stored with the store day of their sale', async () => {
    const till = await makeTill();
    const text =
      'id,sold at time\na,2026-11-05T02:59:59Z\nb,2026-11-05T03:00:00Z\nc,2026-11-05 03:59\nd,2026-11-05 04:00\n';
    expect((await send(till.journalId, text)).totals).toEqual([
      { date: '2026-11-04', type: null, till: null, records: 2, hasIds: true, amounts: [] },
      { date: '2026-11-05', type: null, till: null, records: 2, hasIds: true, amounts: [] },
    ]);
    const range = { from: Date.UTC(2026, 10, 4, 3) / 1000, to: Date.UTC(2026, 10, 5, 3) / 1000 };
    const day = { journalId: till.journalId, date: '2026-11-04', range };
    expect(await gateway.store.declared.compareDay(day)).toMatchObject([{ ids: { missing: ['a', 'c'] } }]);
  });

  test('with amounts is stored with them', async () => {
    const till = await makeTill();
    const text = 'Datum;Kassa;Aantal;Bedrag;Valuta\n4-11-2026;Till 1;2;1.012,50;EUR\n4-11-2026;Till 1;;3,00;USD\n';
    const amounts = [
      { currency: 'EUR', value: '1012.50' },
      { currency: 'USD', value: '3.00' },
    ];
    expect(await send(till.journalId, text)).toMatchObject({ totals: [{ records: 2, amounts }], faults: [] });
    expect(await inForce(till)).toMatchObject([{ tillId: till.tillId, records: 2, amounts }]);
  });

  test('is read by the chosen columns instead of the suggested ones', async () => {
    const till = await makeTill();
    const text = 'Datum;Aantal;Aantal\n4-11-2026;1;2\n';
    const { columns, faults } = await preview(till.journalId, text);
    expect([columns, faults]).toMatchObject([{ day: 0, count: null }, [{ code: 'columns_unknown' }]]);
    const choice = { columns: { ...columns, count: 2 } };
    expect(await preview(till.journalId, text, choice)).toMatchObject({ totals: [{ records: 2 }], faults: [] });
  });

  test('with one wrong line is not stored at all', async () => {
    const till = await makeTill();
    const answer = await send(till.journalId, `${FILE}6-11-2026;Till 9;x\r\n`);
    expect(answer).toMatchObject({
      columns: understood.columns,
      totals: [],
      faults: [
        { line: 4, code: 'till_unknown', value: 'Till 9' },
        { line: 4, code: 'count_unreadable', value: 'x' },
      ],
    });
    expect(await inForce(till)).toEqual([]);
  });

  test.each<[body: object, faults: string[]]>([
    [{ text: 1 }, ['/text type']],
    [{ isTrial: 'no' }, ['/isTrial type']],
    [{ journal: '1' }, ['/journal type']],
    [{ name: 'x.csv' }, ['/name unknown']],
    [{ isTrial: false }, ['/choice required']],
    [{ choice: {} }, ['/choice/columns required']],
    ...(
      [
        { ...NONE, count: 1 },
        { ...NONE, day: 0 },
        { ...NONE, day: 0, count: 1, id: 2 },
        { ...NONE, day: 0, count: 0 },
      ] as const
    ).map((columns): [object, string[]] => [{ choice: { columns } }, ['/choice/columns columns']]),
    [{ choice: { columns: { ...NONE, day: 0, count: -1 } } }, ['/choice/columns/count too_small']],
    [
      { choice: { columns: { day: 0, count: 1 } } },
      ['id', 'amount', 'currency', 'till', 'type'].map((name) => `/choice/columns/${name} required`),
    ],
    [{ choice: { columns: { ...NONE, day: 0, count: 1 }, decimalSign: ';' } }, ['/choice/decimalSign value']],
    [{ choice: { columns: { ...NONE, day: 0, count: 1 }, currency: 'euro' } }, ['/choice/currency invalid_format']],
  ])('%j is refused', async (more, faults) => {
    const body = { journal: gateway.test.journalId, text: FILE, isTrial: true, ...more };
    expect(faultsOf(await clerk.send('POST', '/api/declared-totals/import', body))).toEqual(faults);
  });
});

describe('the store day of a time', () => {
  const rules = always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 150 });
  const finder = openDayFinder(rules);

  test('follows the calendar, also around a clock change', () => {
    for (const start of [Date.UTC(2026, 2, 27), Date.UTC(2026, 9, 23), Date.UTC(2026, 5, 1)])
      for (let at = start; at < start + 4 * 86_400_000; at += 431_000)
        expect(finder.dayAt(at)).toBe(storeDayAt(at, rules).date);
  });

  test.each([
    ['2026-11-05', '02:29:59', '2026-11-04'],
    ['2026-11-05', '02:30:00', '2026-11-05'],
    ['2026-11-05', '23:59:59', '2026-11-05'],
    ['2026-03-29', '01:59:59', '2026-03-28'], // 02:30 does not exist on this date, so the store day begins at 03:30
    ['2026-03-29', '03:29:59', '2026-03-28'],
    ['2026-03-29', '03:30:00', '2026-03-29'],
    ['2026-10-25', '02:29:59', '2026-10-24'], // 02:30 occurs twice on this date, and the store day begins at the first 02:30
    ['2026-10-25', '02:30:00', '2026-10-25'],
  ])('on the store’s clock: %s %s', (date, time, day) => {
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
    expect(finder.dayOfClock(date, hours * 3600 + minutes * 60 + seconds)).toBe(day);
  });
});
