// Dedup is exact, tested through the whole gateway. The same content in any spelling is IGNORED. Any change is
// ERROR, and the answer names the place of the change.

import fc from 'fast-check';
import { parse } from 'lossless-json';
import { afterAll, expect, test } from 'vitest';

import {
  anyObject,
  changeOne,
  Decimal,
  isList,
  isMembers,
  type Members,
  type Pick,
  picksOf,
  spell,
  type Value,
} from '../support/api/json-spelling.ts';
import { type Answer, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { countOf, report, SEED } from './tier.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const PAIRS = countOf({ commit: 900, nightly: 100_000 });
/** A run of the first property has two to five spellings, so two and a half pairs on average. */
const RUNS = Math.ceil(PAIRS / 4.5);
const parameters = { numRuns: RUNS, seed: SEED };
const NOON = '2026-11-20T12:00:00Z';

function bodyWith(external_id: string, object: Members, more: Readonly<Record<string, Value>>, pick: Pick): Buffer {
  const content: Record<string, Value> = { type: 'sale', external_id, timestamp: NOON, object, ...more };
  return Buffer.from(spell(new Map(Object.entries(content)), pick));
}
/** Resends, each of which was compared with its original. */
let pairs = 0;
async function send(body: Buffer): Promise<Answer> {
  const answer = await postBody(gateway.apiUrl, gateway.production.secret, body);
  if (answer.status === 200) pairs += 1;
  return answer;
}

let lastId = 0;
const nextId = (): string => `dedup-${(lastId += 1)}`;

// These tests use an independent parser, because JSON.parse of Node 24 has a fault. It misreads names with escapes after names
// with backslashes (nodejs/node#63785).
test('an independent parser reads back every generated spelling', () => {
  const spelt = (value: Value): unknown => {
    if (isMembers(value)) return Object.fromEntries([...value].map(([name, member]) => [name, spelt(member)]));
    if (isList(value)) return value.map(spelt);
    return value instanceof Decimal ? numberOf(`${value.coefficient}e${value.exponent}`) : value;
  };
  const numberOf = (text: string): string => String(Number(text));
  fc.assert(
    fc.property(anyObject, fc.integer(), (object, seed) => {
      const text = Buffer.from(spell(object, picksOf(seed))).toString();
      expect(parse(text, undefined, numberOf)).toEqual(spelt(object));
    }),
  );
});

test('any object is IGNORED after changes of order, spaces, number forms and escapes', async () => {
  await fc.assert(
    fc.asyncProperty(anyObject, fc.array(fc.integer(), { minLength: 2, maxLength: 5 }), async (object, seeds) => {
      const id = nextId();
      const answers = [];
      for (const seed of seeds) answers.push((await send(bodyWith(id, object, {}, picksOf(seed)))).json());
      expect(answers.map(({ status }) => status)).toEqual(seeds.map((_, i) => (i === 0 ? 'NEW' : 'IGNORED')));
      for (const answer of answers.slice(1)) expect(answer['original_record_id']).toBe(answers[0]?.['record_id']);
    }),
    parameters,
  );
});

test('any object with one changed value is ERROR, and differences name exactly that place', async () => {
  await fc.assert(
    fc.asyncProperty(anyObject, fc.integer(), async (object, seed) => {
      const pick = picksOf(seed);
      const change = changeOne(object, pick);
      fc.pre(change !== undefined);
      const id = nextId();
      expect((await send(bodyWith(id, object, {}, pick))).json()).toMatchObject({ status: 'NEW' });
      const answer = (await send(bodyWith(id, change.changed, {}, pick))).json();
      expect(answer).toMatchObject({ status: 'ERROR', differences: [`/object${change.pointer}`] });
    }),
    parameters,
  );
});

test('any object with an added or removed member is ERROR, and differences name it', async () => {
  await fc.assert(
    fc.asyncProperty(anyObject, fc.integer(), fc.boolean(), async (object, seed, isMore) => {
      const pick = picksOf(seed);
      const larger: Members = new Map([...object, ['one/more~', null]]);
      const [original, resent] = isMore ? [object, larger] : [larger, object];
      const id = nextId();
      await send(bodyWith(id, original, {}, pick));
      expect((await send(bodyWith(id, resent, {}, pick))).json()).toMatchObject({
        status: 'ERROR',
        differences: ['/object/one~1more~0'],
      });
    }),
    { ...parameters, numRuns: Math.ceil(RUNS / 2) },
  );
});

test('another type or another timestamp is ERROR; members other than the four fields are not compared', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyObject,
      fc.integer(),
      fc.constantFrom('type', 'timestamp', 'clerk'),
      async (object, seed, member) => {
        const pick = picksOf(seed);
        const id = nextId();
        await send(bodyWith(id, object, {}, pick));
        const answer = (
          await send(
            bodyWith(id, object, { [member]: member === 'timestamp' ? '2026-11-20T12:00:01Z' : 'other' }, pick),
          )
        ).json();
        expect(answer).toMatchObject(
          member === 'clerk' ? { status: 'IGNORED' } : { status: 'ERROR', differences: [`/${member}`] },
        );
      },
    ),
    { ...parameters, numRuns: Math.ceil(RUNS / 2) },
  );
});

test('of 64 concurrent posts of one id exactly one is NEW; the content of each other decides between IGNORED and ERROR', async (context) => {
  await fc.assert(
    fc.asyncProperty(
      anyObject,
      fc.array(fc.tuple(fc.nat(3), fc.integer()), { minLength: 64, maxLength: 64 }),
      async (object, calls) => {
        const id = nextId();
        const variant = (number: number): Members => new Map([...object, ['variant', new Decimal(BigInt(number), 0)]]);
        const answers = await Promise.all(
          calls.map(([number, seed]) => send(bodyWith(id, variant(number), {}, picksOf(seed)))),
        );
        const outcomes = answers.map(
          (answer, i) =>
            ({ ...answer.json(), httpStatus: answer.status, variant: calls[i]?.[0] }) as Record<string, unknown>,
        );
        const news = outcomes.filter(({ status }) => status === 'NEW');
        expect(news).toHaveLength(1);
        for (const outcome of outcomes) {
          if (outcome === news[0]) continue;
          const isSame = outcome['variant'] === news[0]?.['variant'];
          expect(outcome).toMatchObject({
            httpStatus: 200,
            status: isSame ? 'IGNORED' : 'ERROR',
            original_record_id: news[0]?.['record_id'],
          });
          expect(outcome['differences']).toEqual(isSame ? undefined : ['/object/variant']);
        }
        expect(news[0]?.['httpStatus']).toBe(201);
        expect(new Set(outcomes.map(({ record_id }) => record_id)).size).toBe(64);
      },
    ),
    { numRuns: 15, seed: SEED },
  );
  report(context, `${pairs} pairs`);
});
