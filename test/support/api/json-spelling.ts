// Reads JSON values without loss. Writes each value in many spellings: order of members, white space, number forms, escapes.
// It shares no code with the gateway's reader, so that the tests can judge that reader.

import fc from 'fast-check';

/** The exact number coefficient × 10^exponent. */
export class Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
  constructor(coefficient: bigint, exponent: number) {
    this.coefficient = coefficient;
    this.exponent = exponent;
  }
}

export type Members = ReadonlyMap<string, Value>;
export type Value = null | boolean | string | Decimal | readonly Value[] | Members;

const lone = fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff');
const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '__proto__',
      'a/b',
      '~',
      '~1',
      '"',
      '\\',
      '/',
      '\u0000',
      '\u2028',
      'e\u0301',
      '\u00e9',
      'toString',
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.string({ maxLength: 3 }), lone).map((parts) => parts.join('')) },
);
const decimal = fc
  .oneof(
    fc.record({
      coefficient: fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }),
      exponent: fc.integer({ min: -4, max: 4 }),
    }),
    fc.record({
      coefficient: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      exponent: fc.integer({ min: -500, max: 500 }),
    }),
    fc.constantFrom(
      { coefficient: 0n, exponent: 0 },
      { coefficient: 9007199254740993n, exponent: 0 },
      { coefficient: 1n, exponent: 400 },
    ),
  )
  .map(({ coefficient, exponent }) => new Decimal(coefficient, exponent));

const membersOf = (value: fc.Arbitrary<Value>): fc.Arbitrary<Members> =>
  fc
    .uniqueArray(fc.tuple(text, value), { selector: ([name]) => name, maxLength: 5 })
    .map((entries) => new Map(entries));

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), text, decimal),
    fc.array(tie('value'), { maxLength: 5 }),
    membersOf(tie('value')),
  ),
}));

/** Any JSON object without repeated members. */
export const anyObject: fc.Arbitrary<Members> = membersOf(value);

/** Picks a whole number from 0 to `below` - 1. */
export type Pick = (below: number) => number;

/** Returns a picker of random numbers. The same seed gives the same numbers. */
export function picksOf(seed: number): Pick {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Writes a value in a random spelling. */
export function spell(spelt: Value, pick: Pick): string {
  const space = (): string => ['', '', '', ' ', '\n', '\t ', ' \r\n'][pick(7)] ?? '';
  const list = (items: readonly string[], open: string, close: string): string =>
    `${open}${items.length === 0 ? space() : items.map((item) => space() + item + space()).join(',')}${close}`;
  if (spelt === null || typeof spelt === 'boolean') return String(spelt);
  if (typeof spelt === 'string') return spellText(spelt, pick);
  if (spelt instanceof Decimal) return spellDecimal(spelt, pick);
  if (isList(spelt))
    return list(
      spelt.map((item) => spell(item, pick)),
      '[',
      ']',
    );
  const members = shuffle([...spelt], pick).map(
    ([name, member]) => `${spellText(name, pick)}${space()}:${space()}${spell(member, pick)}`,
  );
  return list(members, '{', '}');
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMembers(value: Value): value is Members {
  return value instanceof Map;
}

function shuffle<T>(items: readonly T[], pick: Pick): T[] {
  const left = [...items];
  return items.map(() => left.splice(pick(left.length), 1)[0] as T);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function spellText(spelt: string, pick: Pick): string {
  const escaped = (unit: string): string => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${pick(2) === 0 ? hex : hex.toUpperCase()}`;
  };
  const characters = [...spelt].map((character) => {
    const short = SHORT_ESCAPES[character];
    if (short !== undefined && pick(2) === 0) return short;
    const mayBeRaw = character.isWellFormed() && character >= ' ' && character !== '"' && character !== '\\';
    return mayBeRaw && pick(3) > 0 ? character : character.split('').map(escaped).join('');
  });
  return `"${characters.join('')}"`;
}

function spellDecimal({ coefficient, exponent }: Decimal, pick: Pick): string {
  const sign = coefficient < 0n ? '-' : coefficient === 0n && pick(2) === 0 ? '-' : '';
  const zeros = pick(4);
  const digits = String(coefficient < 0n ? -coefficient : coefficient) + '0'.repeat(zeros);
  // Puts the decimal point at a random place and corrects the exponent.
  const fraction = pick(digits.length + 3);
  const padded = digits.padStart(fraction + 1, '0');
  const whole = padded.slice(0, padded.length - fraction).replace(/^0+(?=\d)/, '');
  const power = exponent - zeros + fraction;
  const tail = fraction === 0 ? '' : `.${padded.slice(padded.length - fraction)}`;
  if (power === 0 && pick(2) === 0) return sign + whole + tail;
  const plus = power >= 0 && pick(2) === 0 ? '+' : '';
  return `${sign}${whole}${tail}${pick(2) === 0 ? 'e' : 'E'}${plus}${power}`;
}

/** The value with one change, and the JSON pointer to the change. Undefined if nothing can be changed. */
export function changeOne(members: Members, pick: Pick): { changed: Members; pointer: string } | undefined {
  if (members.size === 0) return undefined;
  const [name, member] = [...members][pick(members.size)] ?? ['', null];
  const inner = changeWithin(member, pick);
  return {
    changed: new Map([...members].map(([key, kept]) => [key, key === name ? inner.changed : kept])),
    pointer: `/${escapePointer(name)}${inner.pointer}`,
  };
}

function changeWithin(changing: Value, pick: Pick): { changed: Value; pointer: string } {
  if (isMembers(changing) && changing.size > 0 && pick(4) > 0)
    return changeOne(changing, pick) ?? { changed: null, pointer: '' };
  if (isList(changing) && changing.length > 0 && pick(4) > 0) {
    const at = pick(changing.length);
    const inner = changeWithin(changing[at] as Value, pick);
    return { changed: changing.with(at, inner.changed), pointer: `/${at}${inner.pointer}` };
  }
  return { changed: otherThan(changing as Value, pick), pointer: '' };
}

/** Returns a different value, of the same type or of another type. */
function otherThan(old: Value, pick: Pick): Value {
  if (old instanceof Decimal) {
    const near = [
      new Decimal(old.coefficient + 1n, old.exponent),
      String(old.coefficient),
      new Decimal(-old.coefficient || 7n, old.exponent),
    ];
    return near[pick(near.length)] as Value;
  }
  if (typeof old === 'string') return pick(3) === 0 ? null : pick(2) === 0 ? `${old} ` : `x${old}`;
  if (typeof old === 'boolean') return pick(2) === 0 ? !old : String(old);
  if (old === null) return ([false, '', new Decimal(0n, 0), [], new Map()] as Value[])[pick(5)] ?? false;
  return null;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
