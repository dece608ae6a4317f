// Makes valid calls invalid. Each mutation randomly changes one thing in a draft. fast-check makes the random choices, so the
// same seed repeats them.

import fc from 'fast-check';

import { type Draft, type Fate, type Framing, FRAMINGS } from './draft.ts';

export type Mutation = (draft: Draft) => Draft;

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'get',
  'X',
  'POST,GET',
  '',
];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/1', 'http/1.1', ''];

/** Texts for paths and queries. Some are encoded; others lack the encoding that they need. */
const TEXTS = [
  '',
  '0',
  '-1',
  '1',
  '1.5',
  '1e3',
  '1e400',
  'NaN',
  'Infinity',
  'null',
  'true',
  'undefined',
  '[]',
  '{}',
  '%7B%7D',
  '9007199254740993',
  '99999999999999999999',
  '-99999999999999999999',
  '0x10',
  '01',
  '%2B1',
  '+1',
  '2026-02-30',
  '2026-13-01',
  '0000-01-01',
  '9999-12-31',
  '-0001-01-01',
  '10000-01-01',
  '2026-11-20',
  '0001-01-01',
  '2026-11-20T00:00:00',
  '2026-11-20T24:00:00',
  '2026-11-20T00:00:60Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  '2026-11-20T00:00:00+14:00',
  '2026-11-20T00:00:00.999999999999999999999999999999Z',
  '%',
  '%0',
  '%zz',
  '%u202e',
  '%00',
  'a%00b',
  '%0d%0aX:%201',
  '%0a',
  '%20',
  '+',
  '%FF',
  '%C3%28',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%E2%80%AE',
  '%EF%BB%BF',
  '%F0%9F%92%A9',
  '%CC%81',
  '%25%30%30',
  '\u00ff',
  '\u0080',
  '"',
  "'",
  '<',
  '\\',
  '|',
  '#a',
  ';',
  '&',
  '=',
  '?',
  '..',
  '.',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '%2f',
  '%5c',
  '//',
  '__proto__',
  'constructor',
  'toString',
  '%27%20OR%201=1--',
  'v1',
  'transaction',
  'x'.repeat(300),
  'x'.repeat(8000),
  '%E2%82%AC'.repeat(400),
];

/** JSON texts that replace a value. */
const VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '1e15',
  '123456789012345678901234567890',
  '0.1000000000000000055511151231257827',
  '""',
  '" "',
  '"x"',
  '"1"',
  '"-1"',
  '"NaN"',
  String.raw`"\u0000"`,
  String.raw`"\u202e"`,
  String.raw`"\ud800"`,
  String.raw`"\udc00x"`,
  String.raw`"\ud83d\ude00"`,
  '"\\"',
  '"a\nb"',
  '"\u202e"',
  '"e\u0301"',
  '"\ufeff"',
  '"2026-02-30"',
  '"2026-11-20"',
  '"0000-01-01"',
  '"9999-12-31"',
  '"2026-11-20T10:00:00Z"',
  '"2026-11-20T24:00:00Z"',
  '"2026-02-30T00:00:00Z"',
  '"9999-12-31T23:59:59Z"',
  '"0000-01-01T00:00:00Z"',
  '"2026-11-20T10:00:00+14:00"',
  '"2026-11-20T10:00:00"',
  '"production"',
  '"test"',
  '"http://127.0.0.1:1"',
  '"https://[::1]:1/"',
  '"file:///etc/passwd"',
  '"http://a:b@127.0.0.1"',
  '"//"',
  '"http://127.0.0.1:99999"',
  '"day;count\\n2026-11-20;1\\n"',
  '"\\u0000;\\u0000\\n"',
  '"day;count\\n2026-02-30;-1\\n"',
  '"=1+1"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":1,"hasOwnProperty":2}',
  '{"":""}',
  '[1,]',
  '{"a"}',
  '{a:1}',
  "'x'",
  'NaN',
  'Infinity',
  '01',
  '+1',
  '.5',
  '1.',
  '--1',
  '/**/1',
  'undefined',
  '',
  `"${'x'.repeat(5000)}"`,
  `"${'\u{1f4a9}'.repeat(1200)}"`,
  `[${'1,'.repeat(5000)}1]`,
  `{${Array.from({ length: 2000 }, (_, i) => `"m${i}":${i}`).join(',')}}`,
  '9'.repeat(2000),
  `1e${'9'.repeat(200)}`,
  '['.repeat(190) + ']'.repeat(190),
  '['.repeat(10_000) + ']'.repeat(10_000),
  '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
  '['.repeat(10_000),
  '{"a":'.repeat(10_000),
];

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Type', ''],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-7'],
  ['Content-Type', 'application/vnd.x+json'],
  ['Content-Type', `application/json; ${'a=b;'.repeat(400)}`],
  ['Content-Type', `application/json;${'"'.repeat(900)}`],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity, identity'],
  ['Content-Encoding', ','.repeat(4000)],
  ['Content-Length', '0'],
  ['Content-Length', '99999999999'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'identity'],
  ['Transfer-Encoding', 'xchunked'],
  ['Expect', '100-continue'],
  ['Expect', 'more'],
  ['Connection', 'close'],
  ['Connection', 'Upgrade'],
  ['Connection', 'keep-alive, token'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['HTTP2-Settings', 'AAMAAABkAARAAAAA'],
  ['Host', ''],
  ['Host', 'evil.example'],
  ['Host', '-'.repeat(250)],
  ['Host', `${'-'.repeat(8000)}a`],
  ['Host', '[::1'],
  ['Host', 'a b'],
  ['Host', 'bakery.1.localhost'],
  ['Authorization', ''],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer  '],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', `Bearer ${'x'.repeat(6000)}`],
  ['Authorization', 'Bearer test_unknown'],
  ['Token', ''],
  ['Token', 'prod_unknown'],
  ['Token', '\u00ff\u00fe'],
  ['Token', 'x'.repeat(6000)],
  ['Cookie', ''],
  ['Cookie', '='],
  ['Cookie', ';'.repeat(5000)],
  ['Cookie', 'a'.repeat(6000)],
  ['Cookie', '__proto__=1; counterfoil_session_1=%00'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Purpose', 'prefetch'],
  ['X-Moz', 'prefetch'],
  ['Accept', 'text/html'],
  ['Accept', ','.repeat(4000)],
  ['Accept', '*/*;q=a'],
  ['Accept-Encoding', 'gzip, br;q=0, *;q=x'],
  ['Range', 'bytes=0-1'],
  ['Range', 'bytes=5-1,-'],
  ['Range', `bytes=${'0-1,'.repeat(1000)}`],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'yesterday'],
  ['Accept-Language', 'x'.repeat(3000)],
  ['Last-Event-ID', '-1'],
  ['X-Forwarded-For', '::1, %00'],
  ['Via', '1.1 a, '.repeat(300)],
  ['Counterfoil-Gateway', 'x'.repeat(3000)],
  ['Max-Forwards', '0'],
  ['X', 'y'.repeat(17_000)],
  ['', 'x'],
  ['A b', 'x'],
  ['X\u0000', 'x'],
  ['X', 'a\u0000b'],
  ['X', 'a\rb'],
  ['X', 'a\nb: c'],
  ['X', 'a\r\n folded'],
];

const FATES: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('half' as const, 'dropped' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('in parts' as const), parts: fc.integer({ min: 2, max: 40 }) }),
  fc.record({
    kind: fc.constant('pipelined' as const),
    // Mostly few, because each is a request of its own. The gateway closes a connection with more than 64 at once.
    times: fc.oneof(
      { weight: 19, arbitrary: fc.integer({ min: 2, max: 6 }) },
      { weight: 1, arbitrary: fc.integer({ min: 7, max: 70 }) },
    ),
  }),
);

/** A relative position, from 0 to 1, in a list or text of any length. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const indexIn = ({ length }: { readonly length: number }, at: number): number => Math.floor(length * at);

/** Encodes a text in UTF-8 and writes each byte as one Latin-1 character. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const anyText = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS).map(latin1) },
  {
    weight: 2,
    // `fc.string` with any character would first list all characters, which takes two seconds.
    arbitrary: fc
      .array(fc.nat({ max: 0x10_ff_ff }), { maxLength: 20 })
      .map((points) => encodeURIComponent(String.fromCodePoint(...points).toWellFormed())),
  },
);
const anyValue = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
);

/** A random change of a call. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom(...METHODS).map((method): Mutation => (draft) => ({ ...draft, method })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...VERSIONS).map((version): Mutation => (draft) => ({ ...draft, version })),
  },
  { weight: 4, arbitrary: fc.tuple(place, anyText, fc.boolean()).map(changePath) },
  {
    weight: 6,
    arbitrary: fc.tuple(place, anyText, fc.constantFrom('value', 'name', 'remove', 'repeat', 'add')).map(changeQuery),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(place, fc.constantFrom(...HEADERS), fc.constantFrom('set', 'add', 'remove', 'repeat'))
      .map(changeHeaders),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...FRAMINGS).map((framing: Framing): Mutation => (draft) => ({
      ...draft,
      framing,
      body: draft.body ?? Buffer.from('{}'),
    })),
  },
  {
    weight: 1,
    arbitrary: FATES.map((fate): Mutation => (draft) => ({ ...draft, fate })),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(place, anyValue, fc.constantFrom('value', 'value', 'value', 'duplicate', 'remove', 'add', 'whole'))
      .map(changeJson),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        place,
        fc.integer({ min: 0, max: 255 }),
        fc.constantFrom('byte', 'cut', 'BOM', 'UTF-16', 'spaces', 'after'),
      )
      .map(changeBytes),
  },
);

function changePath([at, text, isWhole]: [number, string, boolean]): Mutation {
  return (draft) => {
    if (isWhole && at < 0.3)
      return {
        ...draft,
        path:
          [text, `/${text}`, `http://evil.example${draft.path}`, `http://evil.example:99999/${text}`][
            indexIn(FOUR, at / 0.3)
          ] ?? text,
      };
    const steps = draft.path.split('/');
    const index = Math.max(1, indexIn(steps, at));
    return { ...draft, path: steps.with(Math.min(index, steps.length - 1), text).join('/') };
  };
}
const FOUR = { length: 4 };

function changeQuery([at, text, how]: [number, string, string]): Mutation {
  return (draft) => {
    const { query } = draft;
    if (how === 'add' || query.length === 0)
      return { ...draft, query: [...query, text === '' ? '&' : `${text}=${text}`] };
    const index = indexIn(query, at);
    const [name = '', ...value] = (query[index] ?? '').split('=');
    switch (how) {
      case 'value':
        return { ...draft, query: query.with(index, `${name}=${text}`) };
      case 'name':
        return { ...draft, query: query.with(index, `${text}=${value.join('=')}`) };
      case 'remove':
        return { ...draft, query: query.toSpliced(index, 1) };
      default:
        return { ...draft, query: [...query, `${name}=${text}`] };
    }
  };
}

function changeHeaders([at, header, how]: [number, readonly [string, string], string]): Mutation {
  return (draft) => {
    const { headers } = draft;
    const index = indexIn(headers, at);
    const one = headers[index];
    switch (how) {
      case 'set':
        return {
          ...draft,
          headers: [...headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase()), header],
        };
      case 'remove':
        return { ...draft, headers: headers.toSpliced(index, 1) };
      case 'repeat':
        return one === undefined ? draft : { ...draft, headers: [...headers, one] };
      default:
        return { ...draft, headers: [...headers, header] };
    }
  };
}

/** Larger bodies are not changed value by value: they may be nested too deeply to walk through. */
const MAX_JSON_BYTES = 10_000;
const PLACE = '"\u0001the place\u0001"';

/** Changes a value in a JSON body. Replaces the whole body if it is no longer JSON. */
function changeJson([at, text, how]: [number, string, string]): Mutation {
  return (draft) => {
    const whole = { ...draft, body: Buffer.from(text) };
    if (how === 'whole' || draft.body === undefined || draft.body.length > MAX_JSON_BYTES) return whole;
    let value: unknown;
    try {
      value = JSON.parse(draft.body.toString());
    } catch {
      return whole;
    }
    const places = listPlaces(value);
    const found = places[indexIn(places, at)];
    if (found === undefined) return whole;
    const [holder, member] = found;
    if (how === 'remove') delete holder[member];
    else if (how === 'add') Object.assign(holder, { [PLACE]: 0 });
    else if (how === 'duplicate') Object.assign(holder, { [`${member}${PLACE}`]: 0 });
    else holder[member] = PLACE;
    const json = JSON.stringify(value);
    const [name, quoted] = [JSON.stringify(member), JSON.stringify(PLACE)];
    const spoiled =
      how === 'duplicate'
        ? json.replace(`${JSON.stringify(`${member}${PLACE}`)}:0`, () => `${name}:${text}`)
        : how === 'add'
          ? json.replace(`${quoted}:0`, () => `"more":${text}`)
          : json.replace(quoted, () => text);
    return { ...draft, body: Buffer.from(spoiled) };
  };
}

type Holder = Record<string, unknown>;

/** All positions of values in a JSON document. */
function listPlaces(value: unknown): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((member) => [[holder, member] as [Holder, string], ...listPlaces(holder[member])]);
}

function changeBytes([at, byte, how]: [number, number, string]): Mutation {
  return (draft) => {
    const { body = Buffer.from('{}') } = draft;
    const index = indexIn(body, at);
    switch (how) {
      case 'byte':
        return { ...draft, body: Buffer.concat([body.subarray(0, index), Buffer.of(byte), body.subarray(index + 1)]) };
      case 'cut':
        return { ...draft, body: body.subarray(0, index) };
      case 'BOM':
        return { ...draft, body: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]) };
      case 'UTF-16':
        return { ...draft, body: Buffer.from(`\ufeff${body.toString()}`, 'utf16le') };
      case 'spaces': // one in sixteen exceeds the limit of a body
        return { ...draft, body: Buffer.concat([Buffer.alloc(byte < 16 ? 1_100_000 : byte, ' '), body]) };
      default:
        return { ...draft, body: Buffer.concat([body, Buffer.of(byte)]) };
    }
  };
}
