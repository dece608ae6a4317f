// Reads the rows of a CSV text (RFC 4180), each with its line number. Lines may end in CRLF, LF or CR, and the text may begin
// with a byte order mark. A row with a faulty quote is returned as broken. docs/decisions says why we use no library.

export interface CsvRow {
  /** Number of the row's first line in the text, from 1. A quoted cell may span several lines. */
  readonly line: number;
  readonly cells: readonly string[];
  /** True if a quote is never closed, or is closed before the end of its cell. */
  readonly isBroken: boolean;
}

const BYTE_ORDER_MARK = '\uFEFF';
const [QUOTE, CR, LF] = ['"', '\r', '\n'].map((mark) => mark.charCodeAt(0));

/** Reads rows lazily: only as many as the caller takes. `delimiter` is one character. */
export function* readRows(text: string, delimiter: string): Generator<CsvRow, void> {
  const mark = delimiter.charCodeAt(0);
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const row: CsvRow & { cells: string[]; isBroken: boolean } = { line, cells: [], isBroken: false };
    for (;;) {
      const cell = text.charCodeAt(at) === QUOTE ? readQuoted(text, at, mark) : readBare(text, at, mark);
      row.cells.push(cell.value);
      row.isBroken ||= cell.isBroken;
      line += cell.lines;
      at = cell.end;
      if (text.charCodeAt(at) !== mark) break;
      at += 1;
    }
    if (at < text.length) line += 1;
    at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
    yield row;
  }
}

interface Cell {
  readonly value: string;
  /** Position of the delimiter or line end after the cell. */
  readonly end: number;
  /** Number of line ends in the cell. */
  readonly lines: number;
  readonly isBroken: boolean;
}

function readBare(text: string, from: number, mark: number): Cell {
  const end = endOfBare(text, from, mark);
  return { value: text.slice(from, end), end, lines: 0, isBroken: false };
}

function endOfBare(text: string, from: number, mark: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === mark || code === CR || code === LF) break;
  }
  return at;
}

/** Reads a quoted cell. Two quotes inside the cell mean one quote character. */
function readQuoted(text: string, from: number, mark: number): Cell {
  let close = text.indexOf('"', from + 1);
  while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  const inner = text.slice(from + 1, close === -1 ? text.length : close);
  const value = inner.includes('"') ? inner.replaceAll('""', '"') : inner;
  const lines = countLineEnds(inner);
  if (close === -1) return { value, end: text.length, lines, isBroken: true };
  const end = endOfBare(text, close + 1, mark);
  return { value: value + text.slice(close + 1, end), end, lines, isBroken: end > close + 1 };
}

function countLineEnds(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) lines += 1;
  }
  return lines;
}
