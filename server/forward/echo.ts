// Masks our access key in the text of an answer, because some upstreams and proxies echo the request. The echoed key may be
// plain. It may be escaped, even several times, for a programming language, HTML or a URL. It may have line breaks or lack its
// prefix. The run time grows linearly with the length of the text.

/** Maximum nested escapes that are decoded. An example of three is JSON inside JSON inside a URL. */
const MAX_LAYERS = 3;
/**
 * An incomplete key at the end of a text is masked only if it has at least this length. Fewer characters could match by chance.
 */
const MIN_HEAD_LENGTH = 4;
/** A key without its prefix is masked only if it has at least this length. A shorter text may be an ordinary word. */
const MIN_LENGTH_WITHOUT_PREFIX = 8;

/** A decoded text. `starts` and `ends` give the place of each character in the original text. */
interface Decoded {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Masks each echo of the key, and an incomplete key at the end of the text. Mask before you shorten a text. */
export function withoutKey(text: string, key: string): string {
  const needles = new Set(listLayers(plain(key)).flatMap((layer) => listNeedles(foldCase(layer.text))));
  const isMasked = new Uint8Array(text.length);
  for (const layer of listLayers(plain(text))) {
    const folded = foldCase(layer.text);
    for (const needle of needles) for (const found of listFound(folded, needle)) mark(isMasked, layer, found);
  }
  return replaceMarked(text, isMasked);
}

/** The texts to search for: the key with its prefix, and the key without its prefix if that is long enough. */
function listNeedles(key: string): string[] {
  const rest = key.replace(/^[a-z]{1,10}[-_]/, '');
  return [key, ...(rest.length >= MIN_LENGTH_WITHOUT_PREFIX ? [rest] : [])].filter((each) => each !== '');
}

/**
 * Returns several variants of the text: unchanged, and with one or more layers of escapes decoded. Removes line breaks and
 * spaces from each variant.
 */
function listLayers(text: Decoded): Decoded[] {
  const layers = [text];
  for (let layer = text; layers.length <= MAX_LAYERS && /[\\%&]/.test(layer.text); layers.push(layer))
    layer = replaceAll(layer, ESCAPES, characterOf);
  return layers.map((layer) => replaceAll(layer, GAPS, () => ''));
}

/** Changes ASCII letters to lower case. Leaves other letters alone, because their lower case may have another length. */
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

/** Finds the longest beginning of `needle` at the end of the text. Ignores an incomplete escape after it. */
function findHead(text: string, needle: string): Found[] {
  for (const end of new Set([text.length, text.search(CUT_ESCAPE)])) {
    for (let length = Math.min(needle.length - 1, end); length >= MIN_HEAD_LENGTH; length--)
      if (text.endsWith(needle.slice(0, length), end)) return [{ from: end - length, to: text.length }];
  }
  return [];
}

/** Matches an incomplete escape at the end of the text. */
const CUT_ESCAPE =
  /(?:\\(?:u[\da-f]{0,3}|u\{[\da-f]{0,7}|x[\da-f]?|[01][0-7]?)?|%(?:[\da-f]|u[\da-f]{0,3})?|&(?:#[\dx]?[\da-f]{0,8}|[a-z]{0,8}))$/i;

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

/**
 * Matches escapes of ASCII characters only, because keys have no other characters. A numeric escape may lack its semicolon. In
 * that case, only the code of a printable character matches.
 */
const ESCAPES = new RegExp(
  [
    String.raw`(?:\\x|\\u00|%|%u00)(?<byte>[0-7][\da-f])`,
    String.raw`\\u\{0{0,6}(?<codePoint>[\da-f]{1,2})\}`,
    String.raw`\\(?<octal>[01][0-7]{2})`,
    String.raw`\\(?<itself>["'\\/])`,
    String.raw`\\(?<space>[bfnrtv])`,
    String.raw`&#0{0,6}(?:(?<decimal>\d{1,7});|(?<bareDecimal>3[2-9]|[4-9]\d|1[01]\d|12[0-6]))`,
    String.raw`&#x0{0,6}(?:(?<hexadecimal>[\da-f]{1,6});|(?<bareHexadecimal>[2-7][\da-f]))`,
    String.raw`&(?<name>[a-z]{2,8});?`,
  ].join('|'),
  'gi',
);
/** HTML's names of ASCII characters, each followed by its character. */
const NAMED = new Map(
  (
    "amp& apos' ast* bsol\\ colon: comma, commat@ dollar$ equals= excl! grave` gt> hat^ lbrace{ lbrack[ lcub{ lowbar_ lpar( " +
    'lsqb[ lt< midast* num# percnt% period. plus+ quest? quot" rbrace} rbrack] rcub} rpar) rsqb] semi; sol/ underbar_ verbar| vert|'
  )
    .split(' ')
    .map((each) => [each.slice(0, -1), each.slice(-1)] as const),
);

/** Matches gaps inside an echoed key: line breaks, spaces, and the plus sign, which means a space in a URL. */
const GAPS = /[\s+\u00ad\u200b]+|<w?br ?\/?>|&(?:nbsp|newline|tab);/gi;

function characterOf({ groups = {} }: RegExpExecArray): string | undefined {
  if (groups['itself'] !== undefined) return groups['itself'];
  if (groups['space'] !== undefined) return ' ';
  if (groups['name'] !== undefined) return NAMED.get(groups['name'].toLowerCase());
  const { octal, decimal = groups['bareDecimal'] } = groups;
  const { byte, codePoint, hexadecimal, bareHexadecimal } = groups;
  const code =
    decimal === undefined
      ? Number.parseInt(
          octal ?? byte ?? codePoint ?? hexadecimal ?? bareHexadecimal ?? '',
          octal === undefined ? 16 : 8,
        )
      : Number(decimal);
  return code < 0x80 ? String.fromCharCode(code) : undefined;
}

/** Replaces each match by one character or by nothing. If `replacementOf` returns undefined, the match stays. */
function replaceAll(
  original: Decoded,
  pattern: RegExp,
  replacementOf: (match: RegExpExecArray) => string | undefined,
): Decoded {
  const { text, starts, ends } = original;
  if (text.search(pattern) === -1) return original;
  const pieces: string[] = [];
  const replaced = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  let at = 0;
  let length = 0;
  const keep = (piece: string, from: number, to: number): void => {
    pieces.push(piece);
    replaced.starts.set(starts.subarray(from, to), length);
    replaced.ends.set(ends.subarray(from, to), length);
    length += to - from;
  };
  for (const match of text.matchAll(pattern)) {
    const replacement = replacementOf(match);
    if (replacement === undefined) continue;
    keep(text.slice(at, match.index), at, match.index);
    at = match.index + match[0].length;
    if (replacement === '') continue;
    keep(replacement, match.index, match.index + 1);
    replaced.ends[length - 1] = ends[at - 1] ?? 0;
  }
  keep(text.slice(at), at, text.length);
  return {
    text: pieces.join(''),
    starts: replaced.starts.subarray(0, length),
    ends: replaced.ends.subarray(0, length),
  };
}
