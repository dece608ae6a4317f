import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { UsageError } from '../../../server/errors.ts';
import { formatScript } from './script-format.ts';
import { type Behaviour, parseScript, type Script, type Step } from './script.ts';

const behaviourOf = (text: string): Behaviour | undefined => parseScript(text).main.steps[0]?.behaviour;
const untaken = { takes: false, afterMs: 0 };
const taken = { takes: true, afterMs: 0 };

describe('a behaviour is read from its text:', () => {
  test.each<[text: string, behaviour: Behaviour]>([
    ['accept', { kind: 'accept', ...taken }],
    ['accept 202', { kind: 'accept', status: 202, ...taken }],
    ['204', { kind: 'accept', status: 204, ...taken }],
    ['accept untaken', { kind: 'accept', ...untaken }],
    ['accept body ""', { kind: 'accept', body: '', ...taken }],
    ['400', { kind: 'refuse', status: 400, ...untaken }],
    ['refuse 422', { kind: 'refuse', status: 422, ...untaken }],
    [
      'refuse 409 body "{\\"why\\": \\"no; never\\"}"',
      { kind: 'refuse', status: 409, body: '{"why": "no; never"}', ...untaken },
    ],
    ['429 retry-after 2s', { kind: 'refuse', status: 429, retryAfter: { kind: 'seconds', seconds: 2 }, ...untaken }],
    [
      '503 retry-after-date 1.5s',
      { kind: 'refuse', status: 503, retryAfter: { kind: 'date', inMs: 1500 }, ...untaken },
    ],
    ['429 retry-after "soon"', { kind: 'refuse', status: 429, retryAfter: { kind: 'text', text: 'soon' }, ...untaken }],
    ['500 taken after 300ms', { kind: 'refuse', status: 500, takes: true, afterMs: 300 }],
    ['redirect', { kind: 'redirect', status: 302, location: '/elsewhere', ...untaken }],
    ['308 to "http://127.0.0.1:1/x"', { kind: 'redirect', status: 308, location: 'http://127.0.0.1:1/x', ...untaken }],
    ['slow 2m', { kind: 'accept', takes: true, afterMs: 120_000 }],
    ['dribble', { kind: 'dribble', everyMs: 1, ...taken }],
    ['dribble 5ms', { kind: 'dribble', everyMs: 5, ...taken }],
    ['hang', { kind: 'hang', ...untaken }],
    ['hang taken', { kind: 'hang', ...taken }],
    ['close', { kind: 'close', ...untaken }],
    ['cut', { kind: 'cut', ...taken }],
    ['cut untaken', { kind: 'cut', ...untaken }],
    ['reset', { kind: 'reset', ...untaken }],
    ['twice', { kind: 'twice', ...taken }],
    ['garbage', { kind: 'garbage', ...taken }],
    ['wrong-type untaken', { kind: 'wrong-type', ...untaken }],
    ['down', { kind: 'down', ...untaken }],
  ])('%s', (text, behaviour) => {
    expect(behaviourOf(text)).toEqual(behaviour);
    expect(behaviourOf(formatScript(parseScript(text)))).toEqual(behaviour);
  });
});

describe('a step has its number of calls or its duration:', () => {
  const ever = { kind: 'ever' };
  const calls = (count: number) => ({ kind: 'calls', count });
  const time = (ms: number) => ({ kind: 'time', ms });

  test.each<[text: string, lasts: unknown[], repeats: boolean]>([
    ['500', [ever], false],
    ['500 x3', [calls(3)], false],
    ['500 x3, hang, accept', [calls(3), calls(1), ever], false],
    ['500 for 2s, accept for 1.5h, down for 30d', [time(2000), time(5_400_000), time(2_592_000_000)], false],
    ['accept for 1s, down for 1s, repeat', [time(1000), time(1000)], true],
    ['accept x9, 500, repeat', [calls(9), calls(1)], true],
  ])('%s', (text, lasts, repeats) => {
    const { main } = parseScript(text);
    expect(main).toMatchObject({ repeats, steps: lasts.map((each) => ({ lasts: each })) });
  });
});

test('an empty script accepts every call', () => {
  const accepting = {
    rules: [],
    main: { steps: [{ behaviour: { kind: 'accept', ...taken }, lasts: { kind: 'ever' } }], repeats: false },
    seed: 1,
  };
  expect(['', ' ; ', 'accept'].map(parseScript)).toEqual([accepting, accepting, accepting]);
});

test('rules may stand before, between and after steps, and all their conditions must hold', () => {
  const { rules, main, seed } = parseScript(
    'id=POISON-*: 500; accept x2, hang; seed=7; current attempt=1-3 20.5%: close taken; earlier record attempt=2: 503; query: 429; id="a: b;*": reset',
  );
  expect(rules.map(({ conditions }) => conditions)).toEqual([
    [{ kind: 'id', pattern: 'POISON-*' }],
    [
      { kind: 'interface', interface: 'current' },
      { kind: 'attempt', from: 1, to: 3 },
      { kind: 'chance', percent: 20.5 },
    ],
    [
      { kind: 'interface', interface: 'earlier' },
      { kind: 'asks', asks: 'record' },
      { kind: 'attempt', from: 2, to: 2 },
    ],
    [{ kind: 'asks', asks: 'query' }],
    [{ kind: 'id', pattern: 'a: b;*' }],
  ]);
  expect(main.steps).toHaveLength(2);
  expect(seed).toBe(7);
});

describe('an error in a script names the wrong word:', () => {
  test.each([
    ['hnag', '"hnag" is no behaviour'],
    ['accept, hnag x2', '"hnag"'],
    ['100', '"100" is not a status from 200 to 599'],
    ['600', '"600"'],
    ['refuse', '"refuse" says nothing without'],
    ['refuse 200', '"200" is not a status from 400 to 599'],
    ['accept 404', '"404" is not a status from 200 to 299'],
    ['slow', '"slow"'],
    ['slow 3', '"3" is not a time'],
    ['slow 0s', '"0s" is not a time'],
    ['500 x0', '"x0" needs a whole number, 1 or more'],
    ['500 x1.5', '"x1.5" is not known here'],
    ['500 for', '"for"'],
    ['500 for ever', '"ever" is not a time'],
    ['500 x3 for 2s', '"for" says again'],
    ['500 taken untaken', '"untaken" says again'],
    ['500 twice', '"twice" is not known here'],
    ['429 retry-after 1500ms', '"1500ms" is not a whole number of seconds'],
    ['accept retry-after 2s', '"retry-after" does not go with accept'],
    ['hang body "x"', '"body" does not go with hang'],
    ['500 to /x', '"to" does not go with refuse'],
    ['down taken for 2s', '"taken" does not go with down'],
    ['down, accept', '"down" cannot count calls'],
    ['down x3', '"down" cannot count calls'],
    ['accept for 1s, down, repeat', '"down" cannot count calls'],
    ['id=A*: down', '"id=A*" is a rule'],
    ['500,, accept', '"500" is followed by a step that is missing'],
    ['500, ', '"500" is followed by a step that is missing'],
    [', 500', 'is followed by a step that is missing'],
    ['500 repeat', '"repeat" stands alone'],
    ['500, repeat, accept', '"repeat" is no behaviour'],
    ['repeat', '"repeat" is no behaviour'],
    ['accept; hang', '"hang" begins a second list'],
    ['id=: 500', '"id="'],
    ['ip=1: 500', '"ip=1" is no condition'],
    ['101%: 500', '"101%" is more than 100 %'],
    ['attempt=0: 500', '"attempt=0" needs a whole number, 1 or more'],
    ['attempt=3-2: 500', '"attempt=3-2" needs a whole number, 3 or more'],
    [': 500', '":" follows a condition'],
    ['id=A:', '"id=A" is followed by a step that is missing'],
    ['seed=x', '"seed=x" needs a whole number'],
    ['500 body "x', 'lacks its closing quote'],
    ['500 body "\\x"', '"\\x" is not a text as JSON writes it'],
  ])('%s', (text, message) => {
    expect(() => parseScript(text)).toThrow(UsageError);
    expect(() => parseScript(text)).toThrow(message);
  });
});

test('a script that was written as text reads as the same script', () => {
  const time = fc.integer({ min: 1, max: 3_000_000_000 });
  const text = fc.string({ minLength: 1 });
  const common = { takes: fc.boolean(), afterMs: fc.oneof(fc.constant(0), time) };
  const retryAfter = fc.oneof(
    fc.record({ kind: fc.constant('seconds' as const), seconds: fc.integer({ min: 1, max: 100_000 }) }),
    fc.record({ kind: fc.constant('date' as const), inMs: time }),
    fc.record({ kind: fc.constant('text' as const), text: fc.string() }),
  );
  const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
    fc.record(
      {
        kind: fc.constant('accept' as const),
        ...common,
        status: fc.integer({ min: 200, max: 299 }),
        body: fc.string(),
      },
      { requiredKeys: ['kind', 'takes', 'afterMs'] },
    ),
    fc.record(
      {
        kind: fc.constant('refuse' as const),
        ...common,
        status: fc.integer({ min: 400, max: 599 }),
        body: fc.string(),
        retryAfter,
      },
      { requiredKeys: ['kind', 'takes', 'afterMs', 'status'] },
    ),
    fc.record({
      kind: fc.constant('redirect' as const),
      ...common,
      status: fc.integer({ min: 300, max: 399 }),
      location: text,
    }),
    fc.record({ kind: fc.constant('dribble' as const), ...common, everyMs: time }),
    fc.record({ kind: fc.constantFrom('hang', 'close', 'cut', 'reset', 'twice', 'garbage', 'wrong-type'), ...common }),
  );
  const lasting: fc.Arbitrary<Step['lasts']> = fc.oneof(
    fc.record({ kind: fc.constant('calls' as const), count: fc.integer({ min: 1, max: 1_000_000 }) }),
    fc.record({ kind: fc.constant('time' as const), ms: time }),
  );
  const track = fc.record({
    steps: fc.array(fc.record({ behaviour, lasts: lasting }), { minLength: 1, maxLength: 4 }),
    repeats: fc.boolean(),
  });
  const condition = fc.oneof(
    fc.record({ kind: fc.constant('id' as const), pattern: text }),
    fc.record({ kind: fc.constant('asks' as const), asks: fc.constantFrom('record' as const, 'query' as const) }),
    fc.record({
      kind: fc.constant('chance' as const),
      percent: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100),
    }),
  );
  const rule = fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 3 }), track });
  const script: fc.Arbitrary<Script> = fc.record({
    rules: fc.array(rule, { maxLength: 3 }),
    main: track,
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(script, (value) => {
      expect(parseScript(formatScript(value))).toEqual(value);
    }),
  );
});
