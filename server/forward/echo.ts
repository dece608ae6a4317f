// Masks our key in the text of an answer. Some upstreams, and proxies before them, echo what they were sent: as it is, or
// escaped for JSON, HTML or an address, also one in the other. Takes time in proportion to the text.

/** How often a text is decoded: JSON in JSON in an address, for example. */
const MAX_LAYERS = 3;
/** A shorter head of a key at the end of a text may be anything. */
const MIN_HEAD_LENGTH = 4;

/** A text after decoding; `starts` and `ends` give each character's place in the original. */
interface Decoded {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The text with each echo of the key masked, and the head of a key at its end. Mask before cutting. */
export function withoutKey(text: string, key: string): string {
  const needles = new Set(listLayers(plain(key)).map((layer) => foldCase(layer.text)));
  const isMasked = new Uint8Array(text.length);
  for (const layer of listLayers(plain(text))) {
    const folded = foldCase(layer.text);
    for (const needle of needles) for (const found of listFound(folded, needle)) mark(isMasked, layer, found);
  }
  return replaceMarked(text, isMasked);
}

/** The text as it is, and with each layer of escapes taken away. */
function listLayers(text: Decoded): Decoded[] {
  const layers = [text];
  for (let layer = text; layers.length <= MAX_LAYERS && /[\\%&]/.test(layer.text); layers.push(layer))
    layer = decode(layer);
  return layers;
}

/** ASCII only, so that each character keeps its place. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

interface Found {
  readonly from: number;
  readonly to: number;
}

function listFound(text: string, needle: string): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
    found.push({ from: at, to: at + needle.length });
  return [...found, ...findHead(text, needle)];
}

/** The longest beginning of a needle at the end of the text, or directly before an incomplete escape there. */
function findHead(text: string, needle: string): Found[] {
  for (const end of new Set([text.length, text.search(CUT_ESCAPE)])) {
    for (let length = Math.min(needle.length - 1, end); length >= MIN_HEAD_LENGTH; length--)
      if (text.endsWith(needle.slice(0, length), end)) return [{ from: end - length, to: text.length }];
  }
  return [];
}

/** An escape of which the end of the text left only the beginning. */
const CUT_ESCAPE = /(?:\\(?:u[\da-f]{0,3})?|%[\da-f]?|&(?:#[\dx]?[\da-f]{0,8}|[a-z]{0,4}))$/i;

function mark(isMasked: Uint8Array, { starts, ends }: Decoded, { from, to }: Found): void {
  isMasked.fill(1, starts[from], to === ends.length ? isMasked.length : ends[to - 1]);
}

function replaceMarked(text: string, isMasked: Uint8Array): string {
  let result = '';
  let at = 0;
  while (at < text.length) {
    const from = isMasked.indexOf(1, at);
    if (from === -1) return result + text.slice(at);
    const end = isMasked.indexOf(0, from);
    result += `${text.slice(at, from)}…`;
    at = end === -1 ? text.length : end;
  }
  return result;
}

function plain(text: string): Decoded {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  for (let at = 0; at < text.length; at++) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { text, starts, ends };
}

const ESCAPES =
  /\\u00([0-7][\da-f])|\\(["\\/])|%([0-7][\da-f])|&#0{0,6}(\d{1,3});|&#x0{0,6}([0-7]?[\da-f]);|&(amp|quot|apos|lt|gt);/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** Takes one layer of escapes of ASCII characters away; keys have no others. */
function decode({ text, starts, ends }: Decoded): Decoded {
  const pieces: string[] = [];
  const decoded = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  let at = 0;
  let length = 0;
  const keep = (piece: string, from: number, to: number): void => {
    pieces.push(piece);
    decoded.starts.set(starts.subarray(from, to), length);
    decoded.ends.set(ends.subarray(from, to), length);
    length += to - from;
  };
  for (const escape of text.matchAll(ESCAPES)) {
    const character = characterOf(escape);
    if (character === undefined) continue;
    keep(text.slice(at, escape.index), at, escape.index);
    at = escape.index + escape[0].length;
    keep(character, escape.index, escape.index + 1);
    decoded.ends[length - 1] = ends[at - 1] ?? 0;
  }
  keep(text.slice(at), at, text.length);
  return { text: pieces.join(''), starts: decoded.starts.subarray(0, length), ends: decoded.ends.subarray(0, length) };
}

function characterOf([, unicode, escaped, percent, decimal, hexadecimal, name]: RegExpExecArray): string | undefined {
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return NAMED[name.toLowerCase()];
  const digits = unicode ?? percent ?? hexadecimal;
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code < 0x80 ? String.fromCharCode(code) : undefined;
}
