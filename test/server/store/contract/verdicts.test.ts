// Verdicts and signatures are appended, and the newest applies. A closed day keeps the time zone and cut-off that it had.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { addDays } from '../../../../server/lib/calendar.ts';
import { storeDayOf } from '../../../../server/store-day.ts';
import type { Store } from '../../../../server/store/store.ts';
import type { NewFinding, NewSignOff, NewVerdict } from '../../../../server/store/verdicts/ledger.ts';
import { arrivalOf, makeKey, settleRecords } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const DATE = '2026-11-19';
const FROM = Date.UTC(2026, 10, 19) / 1000;
const AT = (FROM + 100_000) * 1000;

describe.each(engines)('verdicts on $name', ({ makeSite }) => {
  async function open(site = makeSite()) {
    const store = await site.open();
    const key = await makeKey(store);
    await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
    const { journalId } = key;
    const verdictOf = (more: Partial<NewVerdict> = {}, date = DATE): NewVerdict => ({
      journalId,
      day: { date, from: FROM, to: FROM + 86_400 },
      at: AT,
      verdict: 'complete',
      isProvisional: false,
      reasons: [],
      basis: 'counts',
      url: null,
      here: 10,
      open: 0,
      upstream: 10,
      notes: [],
      earlier: 0,
      earlierTaken: 0,
      declared: null,
      ...more,
    });
    const signOffOf = (more: Partial<NewSignOff> = {}): NewSignOff => ({
      journalId,
      date: DATE,
      kind: 'sign off',
      name: 'Ann',
      note: 'counted twice',
      actor: 'clerk',
      at: AT,
      verdict: 'complete',
      here: 10,
      earlier: 0,
      declared: null,
      declaredAmounts: [],
      reasons: [],
      ...more,
    });
    return {
      store,
      key,
      journalId,
      verdictOf,
      signOffOf,
      listKnown: (from = DATE, to = from) => store.verdicts.listKnown({ journalId, from, to }),
      listEntries: () => store.verdicts.listEntries(journalId, DATE),
    };
  }

  describe('a verdict', () => {
    test('is read back as it was added, by the date of its day', async () => {
      const { store, verdictOf, listKnown } = await open();
      const verdict = verdictOf({
        verdict: 'differs',
        isProvisional: true,
        reasons: [
          { code: 'missing_upstream', count: 2 },
          { code: 'on_the_way', count: 1, cause: { code: 'unreachable', detail: 'ECONNREFUSED' } },
        ],
        upstream: 8,
        declared: 12,
      });
      const id = await store.verdicts.add(verdict);
      expect(await listKnown()).toEqual(
        new Map([[DATE, { verdict: { id, ...verdict }, pass: undefined, passedAt: undefined, signOff: undefined }]]),
      );
      expect(await listKnown('2026-11-01', '2026-11-18')).toEqual(new Map());
      expect([...(await listKnown('2026-11-01', '2026-11-30')).keys()]).toEqual([DATE]);
    });

    test('is found as the first one from a date on', async () => {
      const { store, journalId, verdictOf } = await open();
      const find = (from: string) => store.verdicts.findDate(journalId, from);
      expect(await find('')).toBeUndefined();
      await store.verdicts.add(verdictOf());
      await store.verdicts.add(verdictOf({}, '2026-11-03'));
      expect(await find('')).toBe('2026-11-03');
      expect(await find('2026-11-04')).toBe(DATE);
      expect(await find('2026-11-20')).toBeUndefined();
    });

    test('stays stored when others follow, and the newest is in force', async () => {
      const { store, verdictOf, listKnown, listEntries } = await open();
      await store.verdicts.add(verdictOf({ verdict: 'waiting', at: AT + 1 }));
      await store.verdicts.add(verdictOf({ verdict: 'differs', at: AT + 2, upstream: 9 }));
      await store.verdicts.add(verdictOf({ at: AT + 3, basis: null, upstream: null }));
      await store.verdicts.add(verdictOf({ verdict: 'waiting' }, '2026-11-20'));
      expect((await listKnown()).get(DATE)?.verdict).toMatchObject({ verdict: 'complete', at: AT + 3, basis: null });
      expect(await listEntries()).toEqual([
        expect.objectContaining({ kind: 'verdict', verdict: 'complete', at: AT + 3, basis: null, upstream: null }),
        expect.objectContaining({ kind: 'verdict', verdict: 'differs', at: AT + 2, upstream: 9 }),
        expect.objectContaining({ kind: 'verdict', verdict: 'waiting', at: AT + 1 }),
      ]);
      expect(Object.keys((await listEntries())[0] ?? {}).toSorted()).toEqual(
        ['at', 'basis', 'declared', 'here', 'isProvisional', 'kind', 'reasons', 'upstream', 'verdict'].toSorted(),
      );
    });

    test('is in force if it was added last, even after the clock was set back', async () => {
      const { store, verdictOf, listKnown } = await open();
      await store.verdicts.add(verdictOf({ verdict: 'waiting', at: AT }));
      await store.verdicts.add(verdictOf({ at: AT - 3_600_000 }));
      expect((await listKnown()).get(DATE)?.verdict).toMatchObject({ verdict: 'complete' });
    });

    test('by every id stays known when others follow', async () => {
      const { store, verdictOf, listKnown } = await open();
      await store.verdicts.add(verdictOf({ basis: 'ids', at: AT + 1 }));
      await store.verdicts.add(verdictOf({ basis: 'ids', at: AT + 2 }));
      await store.verdicts.add(verdictOf({ at: AT + 3 }));
      expect((await listKnown()).get(DATE)).toMatchObject({ verdict: { basis: 'counts' }, passedAt: AT + 2 });
    });

    test('belongs to its journal only', async () => {
      const { store, verdictOf, signOffOf, listKnown, listEntries } = await open();
      const { journalId } = await makeKey(store, 'Till 1', { mode: 'test' });
      await store.verdicts.add(verdictOf({ journalId, verdict: 'waiting' }));
      await store.verdicts.addSignOff(signOffOf({ journalId }));
      expect(await listKnown()).toEqual(new Map());
      expect(await listEntries()).toEqual([]);
    });

    test('survives a restart, and an unknown kind is refused', async () => {
      const site = makeSite();
      const { store, verdictOf, journalId } = await open(site);
      await expect(store.verdicts.add(verdictOf({ basis: null }))).rejects.toMatchObject({ code: 'internal' });
      await store.verdicts.add(verdictOf());
      const beside = await site.open({ role: 'command' });
      const known = await beside.verdicts.listKnown({ journalId, from: DATE, to: DATE });
      expect(known.get(DATE)?.verdict).toMatchObject({ verdict: 'complete' });
    });

    test('notifies the watchers of days, and so does a signature', async () => {
      const { store, verdictOf, signOffOf } = await open();
      const daysChanged = vi.fn<() => void>();
      store.watch({ daysChanged });
      await store.verdicts.add(verdictOf());
      await store.verdicts.addSignOff(signOffOf());
      expect(daysChanged).toHaveBeenCalledTimes(2);
    });
  });

  describe('a signature', () => {
    test('covers one state of the day, until it is withdrawn', async () => {
      const { store, verdictOf, signOffOf, listKnown, listEntries } = await open();
      await store.verdicts.add(verdictOf({ verdict: 'waiting', here: 9, at: AT }));
      await store.verdicts.add(verdictOf({ verdict: 'differs', declared: 11, at: AT + 1 }));
      const declaredAmounts = [{ currency: 'EUR', value: '12.50' }];
      await store.verdicts.addSignOff(signOffOf({ verdict: 'differs', declared: 11, declaredAmounts, at: AT + 1 }));
      const inForce = async () => (await listKnown()).get(DATE)?.signOff;
      const signed = {
        at: AT + 1,
        actor: 'clerk',
        name: 'Ann',
        note: 'counted twice',
        verdict: 'differs',
        here: 10,
        earlier: 0,
        declared: 11,
        declaredAmounts: [{ currency: 'EUR', value: '12.50' }],
        reasons: [],
      };
      expect(await inForce()).toEqual(signed);

      await store.verdicts.add(verdictOf({ at: AT + 2 }));
      expect(await inForce()).toEqual(signed);
      await store.verdicts.addSignOff(signOffOf({ kind: 'take back', name: 'Ben', note: 'one came late', at: AT + 3 }));
      expect(await inForce()).toBeUndefined();
      await store.verdicts.addSignOff(signOffOf({ name: 'Ben', note: '', at: AT + 4 }));
      expect(await inForce()).toMatchObject({ name: 'Ben', verdict: 'complete', declared: null });

      const said = (await listEntries()).map((entry) => (entry.kind === 'verdict' ? entry.verdict : entry));
      const who = { actor: 'clerk', name: 'Ben' };
      expect(said).toEqual([
        { ...who, kind: 'signed off', note: '', at: AT + 4 },
        { ...who, kind: 'signature taken back', note: 'one came late', at: AT + 3 },
        'complete',
        // the signature comes after the verdict that it signs
        { ...who, kind: 'signed off', name: 'Ann', note: 'counted twice', at: AT + 1 },
        'differs',
        'waiting',
      ]);
      const day = { date: '2026-11-19' };
      expect(await store.setup.listActs({ limit: 3 })).toMatchObject([
        { act: { kind: 'sign off day', ...day, name: 'Ben', note: '' }, actor: 'clerk', mode: 'production' },
        { act: { kind: 'take back signature', ...day, name: 'Ben', note: 'one came late' }, administration: 'Bakery' },
        { act: { kind: 'sign off day', ...day, name: 'Ann', note: 'counted twice' } },
      ]);
    });
  });

  describe('the records behind a verdict', () => {
    test('are listed by kind and id, with their till and delivery state', async () => {
      const { store, key, journalId, verdictOf } = await open();
      const other = await makeKey(store, 'Till 2');
      const sell = async (of: typeof key, externalId: string) =>
        (await store.records.append(arrivalOf(of, { externalId, soldAt: FROM }))).recordId;
      const [b, a] = [await sell(key, 'b'), await sell(other, 'a')];
      const laneId =
        store.outbox.lanes().find((each) => each.journalId === journalId && each.interface === 'current')?.id ?? 0;
      await settleRecords(store, laneId, [b], { state: 'delivered' });

      const found = (kind: NewFinding['kind'], externalId: string, recordId: number | null): NewFinding => ({
        kind,
        externalId,
        recordId,
        type: 'sale',
        soldAt: FROM,
      });
      const before = await store.verdicts.add(verdictOf({ verdict: 'differs' }));
      await store.verdicts.addFindings(before, [found('missing upstream', 'b', b)]);
      const verdictId = await store.verdicts.add(verdictOf({ verdict: 'differs' }));
      await store.verdicts.addFindings(verdictId, [found('missing upstream', 'b', b)]);
      await store.verdicts.addFindings(verdictId, [
        found('missing upstream', 'b', b),
        found('missing upstream', 'a', a),
        found('missing upstream', 'a', a), // a repeated record counts once
        found('missing here', 'z', null),
        found('other upstream', 'a', a),
      ]);
      const list = (kind: NewFinding['kind'], limit = 10, id = verdictId) =>
        store.verdicts.listFindings({ verdictId: id, kind, limit });
      const told = { type: 'sale', soldAt: FROM };
      const [ofA, ofB] = [
        {
          ...told,
          kind: 'missing upstream',
          externalId: 'a',
          record: { recordId: a, till: 'Till 2', delivery: 'waiting' },
        },
        {
          ...told,
          kind: 'missing upstream',
          externalId: 'b',
          record: { recordId: b, till: 'Till 1', delivery: 'delivered' },
        },
      ];
      expect(await list('missing upstream')).toEqual([ofA, ofB]);
      expect(await list('missing upstream', 1)).toEqual([ofA]);
      const next = { verdictId, kind: 'missing upstream', limit: 10 } as const;
      expect(await store.verdicts.listFindings({ ...next, after: 'a' })).toEqual([ofB]);
      expect(await store.verdicts.listFindings({ ...next, after: 'b' })).toEqual([]);
      expect(await list('missing upstream', 10, before)).toEqual([ofB]);
      expect(await list('missing here')).toEqual([{ ...told, kind: 'missing here', externalId: 'z', record: null }]);
      expect(await list('other upstream')).toEqual([{ ...ofA, kind: 'other upstream' }]);
      expect(await list('twice upstream')).toEqual([]);

      const { rows } = await store.days.sum({ journalId, day: { from: FROM, to: FROM + 86_400 }, verdictId });
      expect(rows).toMatchObject([
        { till: 'Till 1', here: 1, missingUpstream: 1 },
        { till: 'Till 2', here: 1, missingUpstream: 1 },
      ]);
    });

    test('are added all or not at all', async () => {
      const { store, verdictOf } = await open();
      const verdictId = await store.verdicts.add(verdictOf());
      const foreign = { kind: 'missing here', externalId: 'a', recordId: null, type: 'sale', soldAt: FROM } as const;
      const unknown = { ...foreign, kind: 'missing upstream', recordId: 999 } as const;
      await expect(store.verdicts.addFindings(verdictId, [foreign, unknown])).rejects.toMatchObject({
        code: 'internal',
      });
      await expect(store.verdicts.addFindings(999, [foreign])).rejects.toMatchObject({ code: 'internal' });
      expect(await store.verdicts.listFindings({ verdictId, kind: 'missing here', limit: 10 })).toEqual([]);
    });
  });

  describe('after a change of the zone or the cut-off of a store', () => {
    const administrationOf = async (store: Store) =>
      (await store.setup.listAdministrations()).find(({ name }) => name === 'Bakery') ?? { dayRules: [] };
    /** When these days begin, as times in UTC. */
    const startsOf = async (store: Store, ...dates: string[]): Promise<string[]> => {
      const { dayRules } = await administrationOf(store);
      return dates.map((date) =>
        new Date((storeDayOf(date, dayRules)?.from ?? NaN) * 1000).toISOString().slice(5, 16).replace('T', ' '),
      );
    };
    const change = (store: Store) =>
      store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }, 'test');
    const AROUND = ['2026-11-18', DATE, '2026-11-20', '2026-11-21'] as const;
    const AS_BEFORE = ['11-18 00:00', '11-19 00:00', '11-20 00:00', '11-21 03:00'];
    const AS_AFTER = ['11-18 03:00', '11-19 03:00', '11-20 03:00', '11-21 03:00'];

    test.each<[name: string, verdict: Partial<NewVerdict>, starts: string[]]>([
      ['complete keeps its rule, and the next day begins where it ended', {}, AS_BEFORE],
      ['final with a difference keeps its rule, too', { verdict: 'differs' }, AS_BEFORE],
      ['provisionally complete gets the new rule', { isProvisional: true }, AS_AFTER],
      ['provisional with a difference gets the new rule, too', { verdict: 'differs', isProvisional: true }, AS_AFTER],
      ['waiting gets the new rule', { verdict: 'waiting' }, AS_AFTER],
      ["'cannot tell' gets the new rule", { verdict: 'cannot tell', basis: null, upstream: null }, AS_AFTER],
    ])('a day that is %s', async (_name, more, starts) => {
      const { store, verdictOf } = await open();
      await store.verdicts.add(verdictOf(more));
      expect(await change(store)).toMatchObject({ kind: 'changed' });
      expect(await startsOf(store, ...AROUND)).toEqual(starts);
    });

    test('a day without a verdict gets the new rule, and so do all others', async () => {
      const { store } = await open();
      await change(store);
      expect(await startsOf(store, ...AROUND)).toEqual(AS_AFTER);
      expect((await administrationOf(store)).dayRules).toEqual([
        { timeZone: 'Europe/Amsterdam', dayStartsAt: 240, since: null },
      ]);
    });

    test('a signed day keeps its rule with any verdict, even if the signature was withdrawn', async () => {
      const { store, verdictOf, signOffOf } = await open();
      await store.verdicts.add(verdictOf({ verdict: 'waiting' }));
      await store.verdicts.addSignOff(signOffOf());
      await store.verdicts.addSignOff(signOffOf({ kind: 'take back' }));
      await change(store);
      expect(await startsOf(store, ...AROUND)).toEqual(AS_BEFORE);
    });

    test('a closed day keeps its rule after it was re-opened', async () => {
      const { store, verdictOf } = await open();
      await store.verdicts.add(verdictOf());
      await store.verdicts.add(verdictOf({ verdict: 'waiting', reasons: [{ code: 'late_records', count: 1 }] }));
      await change(store);
      expect(await startsOf(store, ...AROUND)).toEqual(AS_BEFORE);
    });

    test('the last closed day of either journal counts, and a closed day of another store does not', async () => {
      const { store, verdictOf } = await open();
      const { journalId } = await makeKey(store, 'Till 1', { mode: 'test' });
      const elsewhere = await makeKey(store, 'Bar', { administration: 'Café' });
      await store.verdicts.add(verdictOf({}, '2026-11-17'));
      await store.verdicts.add(verdictOf({ journalId }));
      await store.verdicts.add(verdictOf({ journalId: elsewhere.journalId }, '2026-11-20'));
      await change(store);
      expect(await startsOf(store, ...AROUND)).toEqual(AS_BEFORE);
    });

    test('days keep the rules by which they were closed, in order, and cover every instant once', async () => {
      const { store, verdictOf } = await open();
      await store.verdicts.add(verdictOf());
      await change(store);
      await store.verdicts.add(verdictOf({}, '2026-11-22'));
      await store.setup.changeAdministration('Bakery', { timeZone: 'America/New_York', dayStartsAt: 0 }, 'test');
      await store.setup.changeAdministration('Bakery', { timeZone: 'Asia/Kathmandu' }, 'test');
      expect(await startsOf(store, DATE, '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24')).toEqual([
        '11-19 00:00',
        '11-21 03:00',
        '11-22 03:00',
        '11-23 03:00',
        '11-23 18:15',
      ]);
      const { dayRules } = await administrationOf(store);
      expect(dayRules.map(({ timeZone }) => timeZone)).toEqual(['UTC', 'Europe/Amsterdam', 'Asia/Kathmandu']);
      for (let date: string = DATE; date < '2026-11-26'; date = addDays(date, 1))
        expect(storeDayOf(date, dayRules)?.to).toBe(storeDayOf(addDays(date, 1), dayRules)?.from);
    });
  });

  test("days use the machine's zone until the first verdict, which fixes it even if the machine moves", async () => {
    const site = makeSite();
    const zoneOf = async (store: Store) => (await store.setup.listAdministrations()).map(({ timeZone }) => timeZone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const move = async (zone: string): Promise<Store> => {
      vi.stubEnv('TZ', zone);
      return site.open();
    };

    let store = await move('Asia/Tokyo');
    const { journalId } = await makeKey(store);
    expect(await zoneOf(store)).toEqual(['Asia/Tokyo']);
    await store.close();

    store = await move('Europe/Amsterdam');
    expect(await zoneOf(store)).toEqual(['Europe/Amsterdam']);
    const day = { date: DATE, from: FROM - 3600, to: FROM + 82_800 };
    const verdict = {
      journalId,
      day,
      at: AT,
      isProvisional: true,
      reasons: [],
      basis: null,
      here: 0,
      open: 0,
      upstream: null,
      notes: [],
      earlier: 0,
      earlierTaken: 0,
    };
    await store.verdicts.add({ ...verdict, verdict: 'waiting', url: null, declared: null });
    await store.close();

    store = await move('America/New_York');
    expect(await zoneOf(store)).toEqual(['Europe/Amsterdam']);
    expect(store.setup.administrationOf({ administration: 'Bakery' }).timeZone).toBe('Europe/Amsterdam');
    await store.close();
  });
});
