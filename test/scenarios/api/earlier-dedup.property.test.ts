// Dedup on the earlier interface is exact, tested through the whole gateway. For any parameters in any form, status and
// differences match an independent model of equality.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { nextId, openEarlierGateway } from '../../support/api/earlier-gateway.ts';
import {
  anyObject,
  Decimal,
  isList,
  isMembers,
  type Pick,
  picksOf,
  spell,
  type Value,
} from '../../support/api/json-spelling.ts';
import type { Answer } from '../../support/http-call.ts';

const gateway = await openEarlierGateway();
afterAll(() => gateway.close());

/** The parameters of a call. Numbers, booleans and texts fit every form of a call; other values fit only a body. */
type Parameters = ReadonlyMap<string, Value>;

/** Texts that look like a number or a boolean, but are neither. */
const NO_NUMBERS = [
  '',
  '007',
  '-01',
  '+1',
  '1.',
  '.5',
  '1e',
  'e1',
  '0x10',
  '1_0',
  '1,5',
  ' 1',
  '1 ',
  '--1',
  'NaN',
  'True',
];
const text = fc
  .oneof(
    fc.constantFrom(...NO_NUMBERS, 'null', '\u0661\u0660', '\u00e9', 'e\u0301', '&=+%', '__proto__', '[1]', '{}'),
    fc.string({ unit: 'binary', maxLength: 8 }).map((string) => `x${string}`),
  )
  .filter((string) => string.isWellFormed());
const decimal = fc.oneof(
  fc
    .record({ coefficient: fc.bigInt({ min: -200n, max: 200n }), exponent: fc.integer({ min: -2, max: 2 }) })
    .map(({ coefficient, exponent }) => new Decimal(coefficient, exponent)),
  fc.constantFrom(new Decimal(9007199254740993n, 0), new Decimal(9007199254740992n, 0), new Decimal(1n, 400)),
);
const flat: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: decimal },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.boolean() },
);
const name = fc.oneof(
  fc.constantFrom('amount', 'data', 'a b', 'a/b~c', '', '__proto__', 'length', 'transactionId', '10'),
  text.map((string) => `n${string}`),
);
const timestamp = fc
  .record({ second: fc.integer({ min: 0, max: 2 }), fraction: fc.constantFrom('', '5', '05', '123456') })
  .map(({ second, fraction }) => `2026-11-20T10:00:0${second}${fraction === '' ? '' : `.${fraction}`}Z`);
const parametersOf = (value: fc.Arbitrary<Value>): fc.Arbitrary<Parameters> =>
  fc
    .record({
      time: fc.option(timestamp, { nil: undefined }),
      rest: fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 5 }),
    })
    .map(
      ({ time, rest }) =>
        new Map<string, Value>([...(time === undefined ? [] : [['timestamp', time] as const]), ...rest]),
    );

/**
 * How a call is sent: by GET, as an object in the body, or in the member `data` of the body. The seed chooses order and
 * spelling.
 */
type Form = 'GET' | 'POST' | 'data';
const form = fc.constantFrom<Form>('GET', 'POST', 'data');

function send(id: string, parameters: Parameters, how: Form, pick: Pick): Promise<Answer> {
  const all = new Map<string, Value>([...parameters, ['transactionid', id]]);
  if (how === 'GET') return gateway.get(spellQuery(all, pick));
  const members = new Map([...all].map(([each, value]) => [each, respellAsText(each, value, pick)]));
  return gateway.post(spell(how === 'POST' ? members : new Map([['data', members]]), pick));
}

/** Respells a value for a body. A number or boolean may become a text, and a timestamp may get more zeros. */
function respellAsText(each: string, value: Value, pick: Pick): Value {
  if (each === 'timestamp') return respellTimestamp(String(value as string), pick);
  const mayBeText = value instanceof Decimal || typeof value === 'boolean';
  return mayBeText && pick(2) === 0 ? spellAsText(each, value, pick) : value;
}

/**
 * Writes a value as a text. Texts must be equal character by character, so only `amount`, which is compared as a number, gets a
 * random spelling.
 */
function spellAsText(each: string, value: Value, pick: Pick): string {
  return spell(value, each === 'amount' ? pick : () => 0);
}

const MAX_FRACTION_DIGITS = 9;

function respellTimestamp(value: string, pick: Pick): string {
  const digits = /\.(\d*)Z$/.exec(value)?.[1]?.length ?? 0;
  const zeros = '0'.repeat(Math.min(pick(4), MAX_FRACTION_DIGITS - digits));
  if (zeros === '') return value;
  return value.replace('Z', `${value.includes('.') ? '' : '.'}${zeros}Z`);
}

function spellQuery(all: Parameters, pick: Pick): string {
  const left = [...all];
  const parts: string[] = [];
  while (left.length > 0) {
    const [each, value] = left.splice(pick(left.length), 1)[0] ?? ['', ''];
    if (pick(5) === 0) parts.push('');
    const shown =
      each === 'timestamp'
        ? respellTimestamp(String(value as string), pick)
        : typeof value === 'string'
          ? value
          : spellAsText(each, value, pick);
    const encoded = encode(shown, pick);
    parts.push(
      encoded === '' && each !== '' && pick(2) === 0 ? encode(each, pick) : `${encode(each, pick)}=${encoded}`,
    );
  }
  return parts.join('&');
}

/** Percent-encodes a text: always where required, and at random elsewhere. */
function encode(string: string, pick: Pick): string {
  return [...string]
    .map((character) => {
      if (character === ' ' && pick(2) === 0) return '+';
      if (/^[\w.~-]$/.test(character) && pick(4) > 0) return character;
      return [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).padStart(2, '0')[pick(2) === 0 ? 'toUpperCase' : 'toLowerCase']()}`)
        .join('');
    })
    .join('');
}

/**
 * The model of equality: values with the same text are equal. At the top level, a number or boolean equals the text that spells
 * it.
 */
function meaningOf(value: Value): string {
  if (value instanceof Decimal) {
    let { coefficient, exponent } = value;
    if (coefficient === 0n) return 'number 0';
    while (coefficient % 10n === 0n) [coefficient, exponent] = [coefficient / 10n, exponent + 1];
    return `number ${coefficient}e${exponent}`;
  }
  if (isList(value) || isMembers(value)) return 'nested';
  return typeof value === 'boolean' ? `text ${value}` : value === null ? 'null' : `text ${value}`;
}

function differencesOf(a: Value | undefined, b: Value | undefined, pointer: string, isTop: boolean): string[] {
  const below = (
    steps: Iterable<string | number>,
    get: (of: Value, step: string | number) => Value | undefined,
  ): string[] =>
    [...steps].flatMap(
      (step) =>
        differencesOf(
          get(a!, step),
          get(b!, step),
          `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`,
          false,
        ), // `!`: both values exist
    );
  if (a === undefined || b === undefined) return [pointer];
  if (isList(a) && isList(b))
    return below(a.length > b.length ? a.keys() : b.keys(), (of, step) => (of as readonly Value[])[step as number]);
  if (isMembers(a) && isMembers(b))
    return below(new Set([...a.keys(), ...b.keys()]), (of, step) => (of as Parameters).get(step as string));
  const isSameKind = isTop || typeof a === typeof b;
  const isNested = [a, b].some((value) => isList(value) || isMembers(value));
  return isSameKind && !isNested && meaningOf(a) === meaningOf(b) ? [] : [pointer];
}

function expectedOutcome(original: Parameters, resent: Parameters) {
  const names = new Set([...original.keys(), ...resent.keys()]);
  const differences = [...names].flatMap((each) => {
    const pointer = `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return differencesOf(original.get(each), resent.get(each), pointer, true);
  });
  return differences.length === 0
    ? { status: 'IGNORED' }
    : { status: 'ERROR', differences: differences.slice(0, 50).toSorted() };
}

function outcomeOf(answer: Answer): unknown {
  expect(answer.status, answer.text).toBe(200);
  const { status, differences } = answer.json() as { status: string; differences?: string[] };
  return differences === undefined ? { status } : { status, differences: differences.toSorted() };
}

/** Two sets of parameters. None, some or all of the parameters differ between them. */
const related = (value: fc.Arbitrary<Value>) =>
  fc.record({
    original: parametersOf(value),
    resent: fc.array(
      fc.record({
        changes: fc.array(
          fc.tuple(fc.nat(), fc.oneof(fc.constantFrom<Change>('drop', 'nearly the same'), fc.record({ value }))),
          { maxLength: 2 },
        ),
        more: fc.option(parametersOf(value), { nil: undefined, freq: 4 }),
        how: form,
        seed: fc.integer(),
      }),
      { minLength: 2, maxLength: 5 },
    ),
    how: form,
    seed: fc.integer(),
  });

type Change = 'drop' | 'nearly the same' | { readonly value: Value };

/** A different value that a careless comparison might consider equal. */
function near(value: Value | undefined): Value {
  if (value instanceof Decimal)
    return value.exponent === 0 && value.coefficient >= 0n
      ? `0${value.coefficient}`
      : new Decimal(value.coefficient + 1n, value.exponent);
  if (typeof value === 'string') return /^0\d+$/.test(value) ? new Decimal(BigInt(value), 0) : `${value} `;
  return typeof value === 'boolean' ? `${value}`.toUpperCase() : 'null';
}

/** Drops or changes some parameters. The id and the timestamp stay valid. */
function changed(
  original: Parameters,
  changes: readonly (readonly [number, Change])[],
  more: Parameters | undefined,
): Parameters {
  const result = new Map([...original, ...(more ?? [])]);
  for (const [at, change] of changes) {
    const each = [...result.keys()][at % Math.max(result.size, 1)];
    if (each === undefined) continue;
    if (change === 'drop') result.delete(each);
    else if (each !== 'timestamp') result.set(each, typeof change === 'object' ? change.value : near(result.get(each)));
  }
  return result;
}

const asForm = (parameters: Parameters, how: Form): Form => {
  const isForBodies = [...parameters.values()].some((value) => value === null || isList(value) || isMembers(value));
  const hasLoneSurrogate = [...parameters].some((entry) =>
    entry.some((part) => typeof part === 'string' && !part.isWellFormed()),
  );
  return how === 'GET' && (isForBodies || hasLoneSurrogate) ? 'POST' : how;
};

async function expectModelled({
  original,
  resent,
  how,
  seed,
}: ReturnType<typeof related> extends fc.Arbitrary<infer T> ? T : never) {
  const id = nextId();
  const first = await send(id, original, asForm(original, how), picksOf(seed));
  expect(outcomeOf(first)).toEqual({ status: 'NEW' });
  for (const { changes, more, how: resentHow, seed: resentSeed } of resent) {
    const parameters = changed(original, changes, more);
    const answer = await send(id, parameters, asForm(parameters, resentHow), picksOf(resentSeed));
    expect(outcomeOf(answer)).toEqual(expectedOutcome(original, parameters));
    expect(answer.json()['original_record_id']).toBe(first.json()['record_id']);
  }
}

test('any parameters match the model: by GET, as an object and in data, in any order and spelling', async () => {
  await fc.assert(fc.asyncProperty(related(flat), expectModelled), { numRuns: 100 });
});

test('any nested parameters match the model, as an object and in data', async () => {
  const nested: fc.Arbitrary<Value> = fc.oneof(flat, anyObject, fc.array(flat, { maxLength: 3 }), fc.constant(null));
  await fc.assert(fc.asyncProperty(related(nested), expectModelled), { numRuns: 40 });
});

test('of 64 concurrent calls with one id, half by GET and half by POST, exactly one is NEW and the others match the model', async () => {
  await fc.assert(
    fc.asyncProperty(
      parametersOf(flat),
      fc.array(fc.tuple(fc.nat(2), fc.integer()), { minLength: 64, maxLength: 64 }),
      async (parameters, calls) => {
        const id = nextId();
        const variant = (number: number): Parameters =>
          new Map([...parameters, ['variant', new Decimal(BigInt(number), 0)]]);
        const answers = await Promise.all(
          calls.map(([number, seed], i) => send(id, variant(number), i % 2 === 0 ? 'GET' : 'POST', picksOf(seed))),
        );
        const newest = answers.findIndex((answer) => answer.json()['status'] === 'NEW');
        const original = variant(calls[newest]?.[0] ?? -1);
        expect(answers.map(outcomeOf)).toEqual(
          calls.map(([number], i) => (i === newest ? { status: 'NEW' } : expectedOutcome(original, variant(number)))),
        );
        expect(new Set(answers.map((answer) => answer.json()['record_id'])).size).toBe(64);
      },
    ),
    { numRuns: 10 },
  );
  expect(await gateway.store.health.check()).toMatchObject({ structure: [], damagedRecords: [], countFaults: [] });
});
