// A key that a user types at a terminal is never shown.

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { askUnseen } from '../../../server/command/given-key.ts';

function ask() {
  const terminal = new PassThrough();
  const screen = new PassThrough();
  const shown = text(screen);
  const answer = askUnseen(terminal, screen).finally(() => screen.end());
  return { terminal, answer, shown };
}

test('a typed key ends with the line and is never shown', async () => {
  const { terminal, answer, shown } = ask();
  for (const letter of 'prod_cannot\u007f\u007f\u007farry\r') terminal.write(letter);
  expect(await answer).toBe('prod_canarry');
  expect(await shown).toBe('Key (not shown): \n');
});

test.each([
  ['Ctrl-C', 'prod_canary\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s gives no key', async (_name, typed) => {
  const { terminal, answer } = ask();
  terminal.write(typed);
  expect(await answer).toBe('');
});
