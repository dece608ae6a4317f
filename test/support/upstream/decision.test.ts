import { describe, expect, test } from 'vitest';

import { decide, isDown, nextTurnAt, type ScriptedCall, startScript } from './decision.ts';
import { formatBehaviour } from './script-format.ts';
import { parseScript } from './script.ts';

interface Given extends Partial<Omit<ScriptedCall, 'at'>> {
  /** Milliseconds since the start of the script. */
  readonly at?: number;
}

const START = 1_000_000;

/** The behaviours of a script for a number of calls, in the words of scripts. */
function follow(text: string, calls: readonly Given[]): string[] {
  let state = startScript(parseScript(text), START);
  return calls.map(({ at = 0, ...call }) => {
    const decision = decide(state, {
      asks: 'record',
      interface: 'current',
      id: 'S1',
      attempt: 1,
      ...call,
      at: START + at,
    });
    ({ state } = decision);
    return formatBehaviour(decision.behaviour);
  });
}

const times = (...ms: number[]): Given[] => ms.map((at) => ({ at }));
const ids = (...names: string[]): Given[] => names.map((id) => ({ id }));
const calls = (count: number): Given[] => Array.from({ length: count }, () => ({}));

describe('the steps of a script run one after the other:', () => {
  test.each<[script: string, calls: Given[], behaviours: string[]]>([
    ['500', calls(3), ['500', '500', '500']],
    ['hang, 500, close', calls(5), ['hang', '500', 'close', 'close', 'close']],
    ['500 x2', calls(4), ['500', '500', 'accept', 'accept']],
    ['500 x2, accept, repeat', calls(7), ['500', '500', 'accept', '500', '500', 'accept', '500']],
    ['500 for 2s, hang', times(0, 1999, 2000, 9000), ['500', '500', 'hang', 'hang']],
    ['500 for 2s', times(1999, 2000), ['500', 'accept']],
    [
      '500 for 1s, hang for 1s, repeat',
      times(0, 1000, 2000, 3999, 2_592_000_500),
      ['500', 'hang', '500', 'hang', '500'],
    ],
    // A timed step begins when the previous step ends. A counted step ends with its last call, a timed step when its time is
    // over.
    ['500, hang for 1s, close', times(5000, 5999, 6000), ['500', 'hang', 'close']],
    [
      '500 for 1s, hang x1, close for 1s, repeat',
      times(70_000, 70_500, 71_000, 72_000),
      ['hang', 'close', '500', 'hang'],
    ],
  ])('%s', (script, given, behaviours) => {
    expect(follow(script, given)).toEqual(behaviours);
  });
});

describe('a rule for some of the calls applies only to these:', () => {
  test.each<[script: string, calls: Given[], behaviours: string[]]>([
    [
      'id=POISON-*: 500; 202',
      ids('S1', 'POISON-1', 'POISON-', 'A POISON-1'),
      ['accept 202', '500', '500', 'accept 202'],
    ],
    ['id=*-9: 500', ids('A-9', 'A-90', '-9', '9'), ['500', 'accept', '500', 'accept']],
    [
      'id=a*b*c: 500',
      ids('abc', 'aXbXc', 'acb', 'abcb', 'ab', 'abbc'),
      ['500', '500', 'accept', 'accept', 'accept', '500'],
    ],
    ['id=A: 500', ids('A', 'AA', 'a'), ['500', 'accept', 'accept']],
    ['id=ab*ba: 500', ids('aba', 'abba'), ['accept', '500']],
    ['id=*: 500', [{ id: undefined }, { id: 'S1' }], ['accept', '500']],
    ['attempt=1: close taken', [{ attempt: 1 }, { attempt: 2 }], ['close taken', 'accept']],
    ['attempt=2-3: 500', [1, 2, 3, 4].map((attempt) => ({ attempt })), ['accept', '500', '500', 'accept']],
    ['attempt=1: 500', [{ asks: 'query', attempt: 1 }], ['accept']],
    ['query: 429 x1', [{}, { asks: 'query' }, { asks: 'query' }], ['accept', '429', 'accept']],
    ['earlier: 400', [{ interface: 'earlier' }, {}], ['400', 'accept']],
    ['record id=A: 500', [{ id: 'A' }, { id: 'A', asks: 'query' }, { id: 'B' }], ['500', 'accept', 'accept']],
    // The first matching rule decides. Only the calls that a rule decides use up the rule. A rule that is used up no longer
    // matches.
    ['id=A*: 500 x1; id=AB: hang; close', ids('B', 'AB', 'AB', 'A'), ['close', '500', 'hang', 'close']],
    ['id=A: hang; 500 x1', ids('A', 'B', 'A', 'B'), ['hang', '500', 'hang', 'accept']],
    [
      'id=A: 500 for 1s',
      [
        { id: 'A', at: 999 },
        { id: 'A', at: 1000 },
      ],
      ['500', 'accept'],
    ],
    ['0%: 500; 100%: hang', calls(3), ['hang', 'hang', 'hang']],
  ])('%s', (script, given, behaviours) => {
    expect(follow(script, given)).toEqual(behaviours);
  });
});

test('random choices have the given percentage and repeat with the seed', () => {
  const chosen = (seed: number): string[] => follow(`20%: 500; 10%: hang; seed=${seed}`, calls(10_000));
  const counts = Object.groupBy(chosen(1), (behaviour) => behaviour);
  expect(counts['500']?.length).toBeGreaterThan(1900);
  expect(counts['500']?.length).toBeLessThan(2100);
  expect(counts['hang']?.length).toBeGreaterThan(700); // about 800: 10% of the 8,000 that the first rule leaves
  expect(counts['hang']?.length).toBeLessThan(900);
  expect(chosen(1)).toEqual(chosen(1));
  expect(chosen(2)).not.toEqual(chosen(1));
});

test('a script that is down is down for every call, and names the end of the outage', () => {
  const script = 'id=A: hang; accept for 1s, down for 2s, repeat';
  expect(
    follow(
      script,
      [0, 1000, 2999, 3000].map((at) => ({ at, id: 'A' })),
    ),
  ).toEqual(['hang', 'down', 'down', 'hang']);
  const state = startScript(parseScript(script), START);
  expect([0, 999, 1000, 2999, 3000].map((at) => isDown(state, START + at))).toEqual([false, false, true, true, false]);
  expect([0, 1000, 3_000_000].map((at) => nextTurnAt(state, START + at))).toEqual([
    START + 1000,
    START + 3000,
    START + 3_001_000,
  ]);
});

test('a decision does not change its arguments', () => {
  const state = startScript(parseScript('id=A: 500 x1; 50%: hang; close x1'), START);
  const before = structuredClone(state);
  const call: ScriptedCall = { at: START, asks: 'record', interface: 'current', id: 'A', attempt: 1 };
  const first = decide(state, call);
  expect(decide(state, call)).toEqual(first);
  decide(state, { ...call, id: 'B' });
  expect(state).toEqual(before);
});
