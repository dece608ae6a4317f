// An upstream may echo our key. The stored text of its answer never contains that key, in any form.

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
  ['in plain text', (key) => key],
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
  ['as HTML, by numbers without a semicolon', (key) => key.replaceAll(/[/_]/g, (c) => `&#${c.charCodeAt(0)}`)],
  [
    'as HTML, by hexadecimal without a semicolon',
    (key) => key.replaceAll(/[/_]/g, (c) => `&#X${c.charCodeAt(0).toString(16)}`),
  ],
  [
    'as HTML, by names of punctuation',
    (key) =>
      key.replaceAll(/[_/+="]/g, (c) => `&${{ _: 'lowbar', '/': 'sol', '+': 'plus', '=': 'equals' }[c] ?? 'quot'};`),
  ],
  ['as \\x escapes', (key) => key.replaceAll(/\W|_/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`)],
  ['as \\u{} escapes', (key) => key.replaceAll(/\W|_/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`)],
  ['as \\u{} escapes with zeros', (key) => key.replaceAll('_', '\\u{00005F}')],
  ['as octal escapes', (key) => key.replaceAll('_', '\\137')],
  ['as %u escapes', (key) => key.replaceAll('_', '%u005F')],
  ['with a space for each plus', (key) => key.replaceAll('+', ' ')],
  ['with a plus decoded as a space and encoded again', (key) => percent(key.replaceAll('+', ' '))],
  ['with a line break in it', (key) => `${key.slice(0, 9)}\n${key.slice(9)}`],
  ['with line breaks and indentation', (key) => key.replaceAll(/(.{4})/g, '$1\r\n\t  ')],
  ['with an escaped line break in it', (key) => json(`${key.slice(0, 9)}\r\n${key.slice(9)}`)],
  ['with an HTML line break in it', (key) => `${key.slice(0, 9)}<br />${key.slice(9)}`],
  ['without its prefix', (key) => key.replace('prod_', '')],
  ['without its prefix, percent-encoded', (key) => percent(key.replace('prod_', ''))],
  ['in capitals', (key) => key.toUpperCase()],
])('a key is masked %s', (_form, write) => {
  expect(withoutKey(`{"was":"${write(KEY)}", "and": "${write(KEY)}"}`, KEY)).toBe('{"was":"…", "and": "…"}');
});

test('text that only resembles the key stays unchanged, also its escapes', () => {
  const text = '{"a":"prod_other","b":"50 % \\u00e9 \\/ %C3%A9 &eacute; &#233; C:\\\\temp","c":"prod_canary"}';
  expect(withoutKey(text, KEY)).toBe(text);
});

test('the beginning of a key at the end of the text is masked', () => {
  expect(withoutKey('unknown key prod_canary/01', KEY)).toBe('unknown key …');
  expect(withoutKey('unknown key prod_canary%2F01', KEY)).toBe('unknown key …');
  expect(withoutKey('unknown key prod_canary%2', KEY)).toBe('unknown key …');
});

test.each([
  'unknown key canary/01',
  'unknown key prod\\x5fcanary\\x2',
  'unknown key prod&lowb',
  'unknown key prod_can\n',
])('the head of a key in another form at the end is masked: %j', (text) => {
  expect(withoutKey(text, KEY)).toBe('unknown key …');
});

test('the end of a short key is not masked: words stay', () => {
  expect(withoutKey('this shop is unknown', 'prod_shop')).toBe('this shop is unknown');
  expect(withoutKey('a + b', '+')).toBe('a + b');
});

test('a key of escape characters is masked', () => {
  const key = '%41\\u0042&amp;';
  for (const echo of [key, percent(key), json(key)]) expect(withoutKey(`<${echo}>`, key)).toBe('<…>');
});
