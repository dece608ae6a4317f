// A key never comes back in the text of an answer, whatever form the upstream gave it.

import { expect, test } from 'vitest';

import { withoutKey } from '../../../server/forward/echo.ts';

const KEY = 'prod_canary/0123+456="789';
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const percent = (text: string): string => encodeURIComponent(text);
const percentAll = (text: string): string =>
  [...text].map((each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`).join('');
const unicode = (text: string): string =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

test.each<[form: string, write: (key: string) => string]>([
  ['as it is', (key) => key],
  ['in a JSON text', json],
  ['in a JSON text with escaped slashes', (key) => json(key).replaceAll('/', '\\/')],
  ['in a JSON text in a JSON text', (key) => json(json(key).replaceAll('/', '\\/'))],
  ['as \\u escapes', unicode],
  ['percent-encoded', percent],
  ['percent-encoded, in lower case', (key) => percent(key).replaceAll(/%../g, (each) => each.toLowerCase())],
  ['percent-encoded, every character', percentAll],
  ['percent-encoded twice', (key) => percent(percent(key))],
  ['as HTML, by numbers', (key) => [...key].map((each) => `&#${each.charCodeAt(0)};`).join('')],
  ['as HTML, by hexadecimal', (key) => [...key].map((each) => `&#x${each.charCodeAt(0).toString(16)};`).join('')],
  ['as HTML, by names', (key) => key.replaceAll('"', '&quot;')],
  ['in capitals', (key) => key.toUpperCase()],
])('a key is masked %s', (_form, write) => {
  expect(withoutKey(`{"was":"${write(KEY)}", "and": "${write(KEY)}"}`, KEY)).toBe('{"was":"…", "and": "…"}');
});

test('what only resembles the key stays as it is, escapes too', () => {
  const text = '{"a":"prod_other","b":"50 % \\u00e9 \\/ %C3%A9 &eacute; &#233; C:\\\\temp","c":"prod_canary"}';
  expect(withoutKey(text, KEY)).toBe(text);
});

test('the head of a key at the end of what was read is masked', () => {
  expect(withoutKey('unknown key prod_canary/01', KEY)).toBe('unknown key …');
  expect(withoutKey('unknown key prod_canary%2F01', KEY)).toBe('unknown key …');
  expect(withoutKey('unknown key prod_canary%2', KEY)).toBe('unknown key …');
});

test('a key of escape characters is masked', () => {
  const key = '%41\\u0042&amp;';
  for (const echo of [key, percent(key), json(key)]) expect(withoutKey(`<${echo}>`, key)).toBe('<…>');
});
