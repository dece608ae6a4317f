// Decides whether two bodies say the same (design, section 5: "what is compared", "identical"). JSON is read without
// loss: numbers by exact decimal value, never through a float; strings by UTF-16 unit, so lone surrogates stay apart;
// members in any order; a repeated member name makes a body equal to nothing but its own bytes.
// What differs below a name that is too long for a pointer is told by the member that holds it.
// Both bodies were accepted by intake, so they are valid JSON and nested no deeper than the contract allows.

import { extendPointer } from '../json-pointer.ts';

/**
 * A JSON value without loss. It is kept small, because a megabyte may hold half a million values: whole numbers of up to
 * fifteen digits are numbers, every other one is its canonical text.
 */
type Value = null | boolean | string | number | ExactNumber | readonly Value[] | ReadonlyMap<string, Value>;

class ExactNumber {
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

/** How many differences are listed at the most; what differs beyond them is not named. */
const MAX_DIFFERENCES = 50;
/** The members that make up a record's content; others are kept but not compared. */
const COMPARED_MEMBERS = ['type', 'timestamp', 'object'];

/**
 * Lists where a resent body differs from the original, as JSON pointers (RFC 6901), at most fifty.
 * An empty list means that they say the same.
 */
export function listDifferences(original: Uint8Array, resent: Uint8Array): string[] {
  const before = readDocument(original);
  const after = readDocument(resent);
  const found = new Set<string>([...before.repeated, ...after.repeated]);
  for (const name of COMPARED_MEMBERS) {
    collectDifferences(memberOf(before.root, name), memberOf(after.root, name), `/${name}`, found);
  }
  return [...found].slice(0, MAX_DIFFERENCES);
}

function memberOf(root: Value, name: string): Value | undefined {
  return isObject(root) ? root.get(name) : undefined;
}

const isObject = (value: Value | undefined): value is ReadonlyMap<string, Value> => value instanceof Map;
const isArray = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

function collectDifferences(a: Value | undefined, b: Value | undefined, pointer: string, found: Set<string>): void {
  if (found.size >= MAX_DIFFERENCES) return;
  if (isArray(a) && isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) collectBelow(a[i], b[i], pointer, i, found);
  } else if (isObject(a) && isObject(b)) {
    for (const name of new Set([...a.keys(), ...b.keys()]))
      collectBelow(a.get(name), b.get(name), pointer, name, found);
  } else if (a instanceof ExactNumber && b instanceof ExactNumber) {
    if (a.canonical !== b.canonical) found.add(pointer);
  } else if (a !== b) {
    found.add(pointer);
  }
}

function collectBelow(
  a: Value | undefined,
  b: Value | undefined,
  pointer: string,
  step: string | number,
  found: Set<string>,
): void {
  const below = extendPointer(pointer, step);
  if (below !== undefined) return collectDifferences(a, b, below, found);
  if (found.has(pointer)) return;
  const inside = new Set<string>();
  collectDifferences(a, b, '', inside);
  if (inside.size > 0) found.add(pointer);
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
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
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

function readNumber(text: string): number | ExactNumber {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const canonical = canonicalDecimal(text);
  const [, digits = '', power = ''] = /^-?(\d{1,15})e(\d{1,2})$/.exec(canonical) ?? [];
  const isShortWhole = canonical === '0' || (digits !== '' && digits.length + Number(power) <= 15);
  return isShortWhole ? Number(canonical) : new ExactNumber(canonical);
}

function readDocument(bytes: Uint8Array): Document {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
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
    if (isRepeated && repeated.length < MAX_DIFFERENCES) repeated.push(pointerOf(path));
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
