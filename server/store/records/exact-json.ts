// Reads JSON without loss. Numbers keep their exact decimal value, and strings keep every UTF-16 unit. Repeated member names
// are reported, and `__proto__` is an ordinary name. The text must be valid JSON, nested no deeper than the contract allows;
// intake has checked this.

import { extendPointer } from '../../lib/json-pointer.ts';

/**
 * A JSON value without loss. It uses little memory, because a megabyte of JSON may hold half a million values. Whole numbers of
 * up to fifteen digits are JavaScript numbers; all other numbers are `ExactNumber`.
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | ExactNumber
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | Unread;

export class ExactNumber {
  readonly canonical: string;
  constructor(canonical: string) {
    this.canonical = canonical;
  }
}

/** The text of a nested object or array that was not parsed. */
export class Unread {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const EMPTY_OBJECT: ReadonlyMap<string, Value> = new Map();
const EMPTY_ARRAY: readonly Value[] = [];

interface Document {
  readonly root: Value;
  /** JSON pointers of the objects in which a member name is repeated. */
  readonly repeated: readonly string[];
}

/** Maximum digits of an exponent. A number whose exponent has more digits is compared as written. */
const MAX_EXPONENT_DIGITS = 1000;
/** Maximum repeated names that are listed. */
const MAX_REPEATED = 50;

/** The members picked from an object; nested values are `Unread`. */
export interface Picked {
  /** Number of members, counting repetitions. */
  readonly size: number;
  /** The values by name. If a name is repeated, its last value counts. */
  readonly members: ReadonlyMap<string, Value>;
  readonly repeatedNames: readonly string[];
}

/**
 * Reads only the members with these names from the text of a JSON object. Returns undefined if the text is not an object. Skips
 * the other members, because there may be a hundred thousand. Also safe for texts with escapes, where JSON.parse of Node 24 may
 * confuse member names (nodejs/node#63785).
 */
export function pickMembers(text: string, names: readonly string[]): Picked | undefined {
  const reader = openReader(text, () => {});
  if (!reader.takes('{')) return undefined;
  const members = new Map<string, Value>();
  const repeatedNames = new Set<string>();
  let size = 0;
  if (reader.takes('}')) return { size, members, repeatedNames: [] };
  do {
    const name = reader.readName();
    size += 1;
    if (!names.includes(name)) reader.passOver();
    else {
      if (members.has(name)) repeatedNames.add(name);
      members.set(name, reader.readFlat());
    }
  } while (reader.takes(','));
  return { size, members, repeatedNames: [...repeatedNames] };
}

/**
 * Simplifies members for a schema that checks only types and texts. Replaces a nested object or array by an empty object or
 * array, and an exact number by NaN.
 */
export function outlineMembers(members: ReadonlyMap<string, Value>): Record<string, unknown> {
  return Object.fromEntries([...members].map(([name, value]) => [name, outline(value)]));
}

function outline(value: Value): unknown {
  if (value instanceof Unread) return value.text.startsWith('{') ? {} : [];
  return value instanceof ExactNumber ? Number.NaN : value;
}

export const isObject = (value: Value | undefined): value is ReadonlyMap<string, Value> => value instanceof Map;

/** Reads a JSON number without loss. */
export function readNumber(text: string): number | ExactNumber {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const canonical = canonicalDecimal(text);
  const [, digits = '', power = ''] = /^-?(\d{1,15})e(\d{1,2})$/.exec(canonical) ?? [];
  const isShortWhole = canonical === '0' || (digits !== '' && digits.length + Number(power) <= 15);
  return isShortWhole ? Number(canonical) : new ExactNumber(canonical);
}

/** The digits of a whole number, or undefined for any other value. */
export function wholeNumberText(value: Value | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  const canonical = value instanceof ExactNumber ? value.canonical : '';
  const [, digits = '', zeros = ''] = /^(-?\d+)e(\d{1,4})$/.exec(canonical) ?? [];
  return digits === '' ? undefined : digits + '0'.repeat(Number(zeros));
}

/** Reads a complete JSON text. */
export function readDocument(text: string): Document {
  const repeated: string[] = [];
  const reader = openReader(text, (path) => {
    if (repeated.length < MAX_REPEATED) repeated.push(pointerOf(path));
  });
  return { root: reader.readValue(), repeated };
}

export interface Reader {
  /** Consumes `mark` if it comes next, and returns whether it did. */
  takes(mark: string): boolean;
  /** Reads the name of a member and the colon after it. */
  readName(): string;
  readValue(): Value;
  /** Reads a value. Returns an object or array as `Unread`, without parsing it. */
  readFlat(): Value;
  /** Skips a value. */
  passOver(): void;
  /** Skips a value and returns its text. */
  passText(): string;
}

/**
 * Opens a reader at the start of a JSON text. When an object repeats a name, calls `onRepeated` with the path of that object.
 */
export function openReader(text: string, onRepeated: (path: readonly (string | number)[]) => void): Reader {
  const path: (string | number)[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
  };
  const takes = (mark: string): boolean => {
    skipSpace();
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  };

  const readString = (): string => {
    const start = at;
    at = endOfString(text, start) + 1;
    const inner = text.slice(start + 1, at - 1);
    return inner.includes('\\') ? (JSON.parse(text.slice(start, at)) as string) : inner;
  };

  const readName = (): string => {
    skipSpace();
    const name = readString();
    takes(':');
    return name;
  };

  const skipWord = (): void => {
    while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at += 1;
  };

  const passOver = (): void => {
    skipSpace();
    let depth = 0;
    do {
      const character = text[at];
      if (character === '"') at = endOfString(text, at);
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
      else if (depth === 0) return skipWord();
      at += 1;
    } while (depth > 0);
  };

  const readObject = (): Value => {
    if (takes('}')) return EMPTY_OBJECT;
    const members = new Map<string, Value>();
    let isRepeated = false;
    do {
      const name = readName();
      path.push(name);
      isRepeated ||= members.has(name);
      members.set(name, readValue());
      path.pop();
    } while (takes(','));
    takes('}');
    if (isRepeated) onRepeated(path);
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
    return items.slice(); // saves memory: a list that grew has spare capacity, and its copy has none
  };

  const readValue = (): Value => {
    skipSpace();
    if (text[at] === '"') return readString();
    if (takes('{')) return readObject();
    if (takes('[')) return readArray();
    const start = at;
    skipWord();
    const word = text.slice(start, at);
    if (word === 'null') return null;
    if (word === 'true' || word === 'false') return word === 'true';
    return readNumber(word);
  };

  const passText = (): string => {
    skipSpace();
    const start = at;
    passOver();
    return text.slice(start, at);
  };

  const readFlat = (): Value => {
    skipSpace();
    return text[at] === '{' || text[at] === '[' ? new Unread(passText()) : readValue();
  };

  return { takes, readName, readValue, readFlat, passOver, passText };
}

/** The index of the quote that closes the string opened at `start`, or the length of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1); // ten times as fast in a long text as a loop over its characters
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns the pointer for a path. If it would be too long, leaves out the last steps. */
function pointerOf(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const step of path) {
    const below = extendPointer(pointer, step);
    if (below === undefined) break;
    pointer = below;
  }
  return pointer;
}

/**
 * Returns the same text for all spellings of a decimal value. The text has the sign, the digits without zeros at either end,
 * and the power of ten. 12.50 and 1.25e1 are both `125e-1`.
 */
export function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1; // a regular expression would take quadratic time
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  // Adding to an exponent of a million digits would take seconds. So a number with a very long exponent stays as written.
  if (exponent.length > MAX_EXPONENT_DIGITS) return text.toLowerCase();
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
