// Finds the lines of a sale in a record's content, by usual names of JSON members. Values stay as the till wrote them, and
// nothing is calculated. Members with unknown names are left out. Pure.

export interface ReceiptLine {
  readonly name: string;
  /** The quantity as the till sent it; null if the line has none. */
  readonly quantity: string | null;
  readonly price: string | null;
  readonly total: string | null;
}

/** A number that keeps its text from the JSON source. */
class Exact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

const LINES =
  /^(lines?|items?|positions?|articles?|products?|rows?|(order|sale|sales|line|receipt)(lines?|items?)|regels?|artikelen|artikel|posten|positionen|zeilen)$/;
const NAMES = [
  /^(description|omschrijving|bezeichnung|beschreibung)$/,
  /^(name|naam|title|titel|label|text|product|article|artikel|item)$/,
];
const QUANTITIES = [/^(quantity|qty|aantal|menge|anzahl|count|units|number)$/];
const PRICES = [/^((unit|item|piece)price|price(perunit|each)?|stuksprijs|prijs|(einzel|stueck|stück)?preis)$/];
const TOTALS = [
  /^((line|row|item)?(total|amount|sum)(price|amount)?|bedrag|totaal|regeltotaal|betrag|gesamt(preis|betrag)?|summe)$/,
];

/** Maximum JSON depth at which lines are searched. The content itself has depth 1, its members depth 2. */
const MAX_DEPTH = 4;
/** Maximum lines of a receipt. A longer list is not shown, because nobody would read it. */
const MAX_LINES = 500;

/** Returns an empty list if the content is not JSON, or if it contains no recognised lines of a sale. */
export function receiptLines(body: string): readonly ReceiptLine[] {
  const list = findLines(parse(body), 1);
  if (list === undefined || list.length > MAX_LINES) return [];
  const lines = list.map(lineOf);
  // If one entry has no name, the entries are not lines of a sale.
  return lines.every((line) => line !== undefined) ? lines : [];
}

/**
 * Parses JSON and keeps the source text of each number. Returns undefined if the text is not JSON, or if the browser cannot
 * give the source text.
 */
function parse(body: string): unknown {
  const keepSource = (_name: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== 'number') return value;
    if (context?.source === undefined) throw new TypeError('This browser does not give the source text of numbers.');
    return new Exact(context.source);
  };
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''), keepSource);
  } catch {
    return undefined;
  }
}

function findLines(value: unknown, depth: number): readonly object[] | undefined {
  if (!isObject(value) || depth > MAX_DEPTH) return undefined;
  const members = Object.entries(value);
  for (const [name, member] of members)
    if (LINES.test(plain(name)) && Array.isArray(member) && member.length > 0 && member.every(isObject)) return member;
  for (const [, member] of members) {
    const found = findLines(member, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function lineOf(line: object): ReceiptLine | undefined {
  const name = nameIn(line);
  const quantity = textIn(line, QUANTITIES);
  const price = textIn(line, PRICES);
  const total = textIn(line, TOTALS);
  return name === null || (quantity ?? price ?? total) === null ? undefined : { name, quantity, price, total };
}

/** Finds the name of a line. It may be in the line itself or in its product. */
function nameIn(line: object): string | null {
  const direct = textIn(line, NAMES);
  if (direct !== null) return direct;
  const inner = Object.entries(line).find(
    ([name, value]) => /^(product|article|artikel|item)$/.test(plain(name)) && isObject(value),
  );
  return inner === undefined ? null : textIn(inner[1] as object, NAMES);
}

/** Tries the patterns in order. Returns the value of the first member whose name matches; null if none does. */
function textIn(line: object, patterns: readonly RegExp[]): string | null {
  for (const pattern of patterns)
    for (const [name, value] of Object.entries(line)) {
      if (!pattern.test(plain(name))) continue;
      if (value instanceof Exact) return value.source;
      if (typeof value === 'string' && value !== '') return value;
    }
  return null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

/** Normalises a name, so that `unit_price` and `unitPrice` are equal. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}]/gu, '');
}
