// How causes of a lane's state are stored, and their sentences on the command line and in the log file.

import type { Command } from 'commander';
import { expect, test } from 'vitest';

import { causeOf, causeSentence, causeWithCommand, findCause, formatCause, parseCause } from '../../server/cause.ts';
import { makeCommandTable } from '../../server/command/table.ts';
import { CAUSE_CODES } from '../../server/contract/codes.ts';

test.each(CAUSE_CODES.filter((code) => code !== 'other'))('%s is read back as it was stored', (code) => {
  for (const cause of [causeOf(code), causeOf(code, 500), causeOf(code, 'two words')])
    expect(parseCause(formatCause(cause))).toEqual(cause);
});

test.each(['The upstream cannot be reached (ECONNREFUSED).', 'cause:of the trouble', 'trouble 500', ''])(
  'a sentence of an earlier version stays as it is: %j',
  (sentence) => {
    const cause = { code: 'other', detail: sentence } as const;
    expect(findCause(sentence)).toBeUndefined();
    expect(parseCause(sentence)).toEqual(cause);
    expect(formatCause(cause)).toBe(sentence);
    expect(causeSentence(cause)).toBe(sentence);
  },
);

test('no stored cause means that nothing is wrong', () => expect(parseCause(null)).toBeNull());

const SHOWN = { data: ' --data "/shop"', lane: ' --administration "Bar $& Co $$" --mode test' };

test('the command line names the command that fixes the cause, and the log does not', () => {
  expect(causeSentence(causeOf('paused'))).toBe('Someone paused forwarding.');
  expect(causeWithCommand(causeOf('paused'), SHOWN)).toBe(
    'Someone paused forwarding: counterfoil upstream resume --data "/shop" --administration "Bar $& Co $$" --mode test.',
  );
  expect(causeWithCommand(causeOf('end_point_refused', '/v1/refund'), { data: '', lane: '' })).toBe(
    'The upstream says that /v1/refund is not a valid address (400). Check it: counterfoil upstream set --url URL --token-file FILE.',
  );
  expect(causeWithCommand(causeOf('trouble', 500), SHOWN)).toBe('The upstream reports a fault on its side (500).');
});

test.each(CAUSE_CODES)('the command for the cause %s runs as printed', async (code) => {
  const [, words] = / counterfoil (.*)\.$/.exec(causeWithCommand(causeOf(code, 'detail'), SHOWN)) ?? [];
  if (words === undefined) return;
  const table = makeCommandTable();
  let options: unknown;
  const replaceActions = (command: Command): void => {
    command
      .exitOverride()
      .action((...given: unknown[]) => void (options = given.find((each) => typeof each === 'object')));
    for (const each of command.commands) replaceActions(each);
  };
  replaceActions(table);
  const args = words.match(/"[^"]*"|\S+/g)?.map((each) => each.replaceAll('"', ''));
  await table.parseAsync(args ?? [], { from: 'user' });
  expect(options).toMatchObject({ data: '/shop' });
});

test.each([
  [1, 'The upstream does not accept 1 record, but accepts other records; retried automatically.'],
  [2, 'The upstream does not accept 2 records, but accepts other records; retried automatically.'],
])('%i passed-over records have the right plural', (count, sentence) => {
  expect(causeSentence(causeOf('passed_over', count))).toBe(sentence);
});
