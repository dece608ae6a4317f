// Every sum of amounts equals a plain recount of what tills sent. This holds after any sequence of sales, changes of rules,
// slices of old records, crashes and restarts. The recount is in this file and shares no code with the store.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { AmountSums } from '../../../server/contract/amounts.ts';
import type { Status } from '../../../server/contract/codes.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { openRestartingStore } from '../../support/restarting-store.ts';
import { arrivalOf, makeKey } from '../../support/temp-store.ts';

const HOUR = 3600;
/** 2025-10-09T00:00:00Z. */
const MIDNIGHT = 1_759_968_000;
const TYPES = ['sale', 'refund'];

/** JSON texts that tills send, and their values in thousandths; undefined if the text is not an amount. */
const TOTALS: readonly (readonly [json: string, thousandths: bigint | undefined])[] = [
  ['12.50', 12_500n],
  ['"12.50"', 12_500n],
  ['"0,05"', 50n],
  ['0.1', 100n],
  ['-3', -3000n],
  ['1.25e1', 12_500n],
  ['9007199254740993.001', 9_007_199_254_740_993_001n],
  ['-123456789012345678', -123_456_789_012_345_678_000n],
  ['1e400', undefined],
  ['1234567890123456789012345678901234567890', undefined],
  ['null', undefined],
  ['"NaN"', undefined],
  ['{"value":1}', undefined],
  ['[1]', undefined],
];
const CURRENCIES: readonly (readonly [json: string, code: string | undefined])[] = [
  ['"EUR"', 'EUR'],
  ['"usd"', 'USD'],
  ['null', undefined],
  ['1', undefined],
];

interface Sale {
  readonly id: number;
  readonly hour: number;
  readonly type: number;
  readonly total: number;
  readonly other: number;
  readonly currency: number;
  readonly till: number;
}

interface Rule {
  readonly from: 'total' | 'other';
  readonly currency: 'pointer' | 'EUR' | null;
  readonly isNegative: boolean;
}

type Step =
  | { readonly kind: 'sell'; readonly sales: readonly Sale[] }
  | { readonly kind: 'rule'; readonly type: number; readonly rule: Rule | null }
  | { readonly kind: 'slice' | 'fill' | 'read' | 'restart' | 'kill' };

const place = fc.nat(TOTALS.length - 1);
const sale: fc.Arbitrary<Sale> = fc.record({
  id: fc.nat(30),
  hour: fc.nat(40),
  type: fc.nat(TYPES.length - 1),
  total: place,
  other: place,
  currency: fc.nat(CURRENCIES.length - 1),
  till: fc.nat(1),
});
const rule = fc.record({
  from: fc.constantFrom('total' as const, 'other' as const),
  currency: fc.constantFrom('pointer' as const, 'EUR' as const, null),
  isNegative: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sell' as const), sales: fc.array(sale, { maxLength: 20 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('rule' as const), type: fc.nat(1), rule: fc.option(rule, { freq: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('slice' as const, 'fill' as const, 'read' as const, 'restart' as const, 'kill' as const),
    }),
  },
);

interface Known extends Sale {
  readonly status: Status;
}

test(
  'every sum equals a recount, after sales, changes of rules, crashes and restarts',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const shop = await openRestartingStore();
        const keys = [await makeKey(shop.store), await makeKey(shop.store, 'Till 2')];
        const known: Known[] = [];
        const rules = new Map<number, Rule>();

        async function sell(each: Sale): Promise<void> {
          const [total, other] = [TOTALS[each.total], TOTALS[each.other]];
          const object = `{"total":${total?.[0]},"other":${other?.[0]},"currency":${CURRENCIES[each.currency]?.[0]}}`;
          const key = keys[each.till] as Key;
          const fields = { externalId: `T-${each.id}`, type: TYPES[each.type] ?? '', soldAt: soldAtOf(each) };
          const arrival = arrivalOf(key, fields);
          const body = Buffer.from(Buffer.from(arrival.body).toString().replace('"object":{}', `"object":${object}`));
          const { status } = await shop.store.records.append({ ...arrival, body });
          known.push({ ...each, status });
        }

        async function fill(): Promise<void> {
          while (await shop.store.amounts.fillSlice());
        }

        async function take(next: Step): Promise<void> {
          switch (next.kind) {
            case 'sell':
              for (const each of next.sales) await sell(each);
              return;
            case 'rule': {
              const type = TYPES[next.type] ?? '';
              const wanted = next.rule && {
                type,
                total: `/object/${next.rule.from}`,
                currency: next.rule.currency === 'pointer' ? '/object/currency' : next.rule.currency,
                payment: null,
                sign: next.rule.isNegative ? ('negative' as const) : ('as sent' as const),
              };
              await shop.store.amounts.setRule('Bakery', type, wanted, 'test');
              if (next.rule === null) rules.delete(next.type);
              else rules.set(next.type, next.rule);
              return;
            }
            case 'slice':
              await shop.store.amounts.fillSlice();
              return;
            case 'fill':
              return fill();
            case 'read':
              return assertRecounted(shop.store, keys, known, rules);
            case 'restart':
              return shop.restart();
            case 'kill':
              return shop.kill();
            default:
              return next satisfies never;
          }
        }

        try {
          for (const next of steps) await take(next);
          await assertRecounted(shop.store, keys, known, rules);
          await fill();
          const areWhole = (await shop.store.amounts.listRules()).every((each) => each.fill === null);
          expect(areWhole).toBe(true);
          await assertRecounted(shop.store, keys, known, rules);
          expect(await shop.store.health.check()).toMatchObject({
            countFaults: [],
            wrongAmounts: [],
            amountFaults: [],
          });
        } finally {
          await shop.close();
        }
      }),
      { numRuns: Number(process.env['COUNTERFOIL_RUNS'] ?? 15) },
    );
  },
);

const soldAtOf = ({ hour, id }: Sale): number => MIDNIGHT + hour * HOUR + id;

/** Sums the amounts of some records per currency, in thousandths, and counts the records without an amount. */
function recount(records: readonly Known[], rules: ReadonlyMap<number, Rule>): Map<string, [bigint, number]> {
  const sums = new Map<string, [bigint, number]>();
  for (const record of records) {
    const its = rules.get(record.type);
    if (its === undefined) {
      const [sum, without] = sums.get('') ?? [0n, 0];
      if (rules.size > 0) sums.set('', [sum, without + 1]);
      continue;
    }
    const value = TOTALS[record[its.from]]?.[1];
    const code = its.currency === 'pointer' ? CURRENCIES[record.currency]?.[1] : (its.currency ?? '');
    const isRead = value !== undefined && code !== undefined;
    const key = isRead ? code : its.currency === 'EUR' ? 'EUR' : '';
    const [sum, without] = sums.get(key) ?? [0n, 0];
    const signed = its.isNegative && value !== undefined && value > 0n ? -value : (value ?? 0n);
    sums.set(key, isRead ? [sum + signed, without] : [sum, without + 1]);
  }
  return sums;
}

/** Converts sums of the store to the type that `recount` returns; null while old records are being read. */
function thousandths(sums: AmountSums): Map<string, [bigint, number]> | null {
  if (sums === null) return null;
  return new Map(
    sums.map(({ currency, value, withoutAmount }) => {
      const [whole = '', fraction = ''] = value.split('.');
      return [currency ?? '', [BigInt(whole + fraction.padEnd(3, '0')), withoutAmount]];
    }),
  );
}

async function assertRecounted(
  store: Store,
  keys: readonly Key[],
  known: readonly Known[],
  rules: ReadonlyMap<number, Rule>,
): Promise<void> {
  const journalId = keys[0]?.journalId ?? 0;
  const isFilling = (await store.amounts.listRules()).some(({ fill }) => fill !== null);
  // Days in a zone that is one and a half hours ahead of UTC, so that they do not match UTC days.
  const days = [-1, 0, 1].map((n) => ({
    date: `day ${n}`,
    from: MIDNIGHT + n * 86_400 - 1.5 * HOUR,
    to: MIDNIGHT + (n + 1) * 86_400 - 1.5 * HOUR,
  }));
  const counted = await store.days.count({ journalId, days });
  for (const [n, day] of days.entries()) {
    const records = known.filter(
      (each) => each.status === 'NEW' && soldAtOf(each) >= day.from && soldAtOf(each) < day.to,
    );
    expect(thousandths(counted[n]?.amounts ?? null)).toEqual(isFilling ? null : recount(records, rules));
    const now = day.to * 1000;
    const overview = await store.glance.getOverview({ journalId, day, timeZone: 'UTC', now });
    expect(thousandths(overview.amounts)).toEqual(isFilling ? null : recount(records, rules));
    const { rows } = await store.days.sum({ journalId, day, verdictId: undefined });
    if (isFilling) continue;
    for (const { type, tillId, amounts } of rows) {
      const ofRow = records.filter((each) => TYPES[each.type] === type && keys[each.till]?.tillId === tillId);
      expect(thousandths(amounts)).toEqual(recount(ofRow, rules));
    }
  }
}
