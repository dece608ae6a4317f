// Decides whether two bodies say the same (design, section 5: "what is compared", "identical"). JSON is read without
// loss: numbers by exact decimal value, never through a float; strings by UTF-16 unit, so lone surrogates stay apart;
// members in any order; a repeated member name makes a body equal to nothing but its own bytes.
// Both bodies were accepted by intake, so they are valid JSON and nested no deeper than the contract allows.

/** A JSON value without loss; a number is its canonical text. */
type Value = null | boolean | string | ExactNumber | readonly Value[] | ReadonlyMap<string, Value>;

class ExactNumber {
  readonly canonical: string;
  constructor(text: string) {
    this.canonical = canonicalDecimal(text);
  }
}

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
  return root instanceof Map ? root.get(name) : undefined;
}

function collectDifferences(a: Value | undefined, b: Value | undefined, pointer: string, found: Set<string>): void {
  if (found.size >= MAX_DIFFERENCES) return;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) collectDifferences(a[i], b[i], `${pointer}/${i}`, found);
  } else if (a instanceof Map && b instanceof Map) {
    for (const name of new Set([...a.keys(), ...b.keys()])) {
      collectDifferences(a.get(name), b.get(name), `${pointer}/${escapePointer(name)}`, found);
    }
  } else if (a instanceof ExactNumber && b instanceof ExactNumber) {
    if (a.canonical !== b.canonical) found.add(pointer);
  } else if (a !== b) {
    found.add(pointer);
  }
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** One text per decimal value: sign, digits without zeros at either end, power of ten. 12.50 and 1.25e1 are `125e-1`. */
export function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
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
    const members = new Map<string, Value>();
    let isRepeated = false;
    if (!takes('}')) {
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
    }
    if (isRepeated) repeated.push(path.map((step) => `/${escapePointer(String(step))}`).join(''));
    return members;
  };

  const readArray = (): Value => {
    const items: Value[] = [];
    if (takes(']')) return items;
    do {
      path.push(items.length);
      items.push(readValue());
      path.pop();
    } while (takes(','));
    takes(']');
    return items;
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
    return new ExactNumber(word);
  };

  return { root: readValue(), repeated };
}
