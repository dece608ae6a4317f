// JSON read without loss: numbers by exact decimal value, never through a float; strings by UTF-16 unit, so lone
// surrogates stay apart; repeated member names noticed; `__proto__` a name like any other. The text must be valid JSON,
// nested no deeper than the contract allows: intake has seen to both.

import { extendPointer } from '../json-pointer.ts';

/**
 * A JSON value without loss. It is kept small, because a megabyte may hold half a million values: whole numbers of up to
 * fifteen digits are numbers, every other one is its canonical text.
 */
export type Value = null | boolean | string | number | ExactNumber | readonly Value[] | ReadonlyMap<string, Value>;

export class ExactNumber {
  readonly canonical: string;
  constructor(canonical: string) {
    this.canonical = canonical;
  }
}

const EMPTY_OBJECT: ReadonlyMap<string, Value> = new Map();
const EMPTY_ARRAY: readonly Value[] = [];

interface Document {
  readonly root: Value;
  /** JSON pointers of the objects in which a member name is repeated. */
  readonly repeated: readonly string[];
}

/** Exponents beyond this are compared as they are written. */
const MOST_EXPONENT_DIGITS = 1000;
/** How many repetitions are listed at the most. */
const MOST_REPEATED = 50;

/**
 * The top level of a text; of its objects and numbers only what they are. For a text with escapes, where JSON.parse of
 * Node 24 may take one member name for another that it has seen before (nodejs/node#63785).
 */
export function readTopLevel(text: string): unknown {
  const { root } = readDocument(text);
  if (!isObject(root)) return outline(root);
  return Object.fromEntries([...root].map(([name, value]) => [name, outline(value)]));
}

function outline(value: Value): unknown {
  if (isObject(value)) return {};
  return value instanceof ExactNumber ? Number.NaN : value;
}

export const isObject = (value: Value | undefined): value is ReadonlyMap<string, Value> => value instanceof Map;

function readNumber(text: string): number | ExactNumber {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const canonical = canonicalDecimal(text);
  const [, digits = '', power = ''] = /^-?(\d{1,15})e(\d{1,2})$/.exec(canonical) ?? [];
  const isShortWhole = canonical === '0' || (digits !== '' && digits.length + Number(power) <= 15);
  return isShortWhole ? Number(canonical) : new ExactNumber(canonical);
}

/** Reads a whole text. */
export function readDocument(text: string): Document {
  const path: (string | number)[] = [];
  const repeated: string[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
  };
  /** Consumes `mark` if it comes next. */
  const takes = (mark: string): boolean => {
    skipSpace();
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  };

  const readString = (): string => {
    const start = at;
    let isEscaped = false;
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] !== '\\') continue;
      isEscaped = true;
      at += 1;
    }
    at += 1;
    return isEscaped ? (JSON.parse(text.slice(start, at)) as string) : text.slice(start + 1, at - 1);
  };

  const readObject = (): Value => {
    if (takes('}')) return EMPTY_OBJECT;
    const members = new Map<string, Value>();
    let isRepeated = false;
    do {
      skipSpace();
      const name = readString();
      takes(':');
      path.push(name);
      isRepeated ||= members.has(name);
      members.set(name, readValue());
      path.pop();
    } while (takes(','));
    takes('}');
    if (isRepeated && repeated.length < MOST_REPEATED) repeated.push(pointerOf(path));
    return members;
  };

  const readArray = (): Value => {
    if (takes(']')) return EMPTY_ARRAY;
    const items: Value[] = [];
    do {
      path.push(items.length);
      items.push(readValue());
      path.pop();
    } while (takes(','));
    takes(']');
    return items.slice(); // a copy is as long as its items, a list that grew is not
  };

  const readValue = (): Value => {
    skipSpace();
    const first = text[at];
    if (first === '"') return readString();
    if (takes('{')) return readObject();
    if (takes('[')) return readArray();
    const start = at;
    while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at += 1;
    const word = text.slice(start, at);
    if (word === 'null') return null;
    if (word === 'true' || word === 'false') return word === 'true';
    return readNumber(word);
  };

  return { root: readValue(), repeated };
}

/** The pointer of a path, or of as much of it as fits. */
function pointerOf(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const step of path) {
    const below = extendPointer(pointer, step);
    if (below === undefined) break;
    pointer = below;
  }
  return pointer;
}

/** One text per decimal value: sign, digits without zeros at either end, power of ten. 12.50 and 1.25e1 are `125e-1`. */
export function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1; // a pattern for zeros at the end takes quadratic time
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  // Adding to a number of a thousand digits takes no time, to one of a million it takes seconds: that one stays as written.
  if (exponent.length > MOST_EXPONENT_DIGITS) return text.toLowerCase();
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
