// A body as readable lines. The text is cut and indented, but never parsed and written again. So numbers, texts and the order
// of members stay as they were sent. Pure.

export interface Line {
  readonly depth: number;
  readonly text: string;
  /** JSON pointer of the value that starts or ends on this line. */
  readonly pointer: string;
  /** Whether the line is only the closing bracket. */
  readonly isEnd: boolean;
}

/** The next token of JSON: a text, a bracket, a comma, a colon, or other characters up to one of these. */
const TOKEN = /[ \t\r\n]*("[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\],:]|[^ \t\r\n{}[\],:"]+)/y;

interface Open {
  readonly pointer: string;
  readonly close: '}' | ']';
  /** The index of the next item in an array. */
  index: number;
}

/** The lines of a JSON text, without a byte order mark. Undefined if the text is not JSON. */
export function linesOfJson(json: string): Line[] | undefined {
  const pieces = tokensOf(json.replace(/^\uFEFF/, ''));
  if (pieces === undefined) return undefined;
  const lines: Line[] = [];
  const open: Open[] = [];
  let name: string | undefined; // the member's name as it was sent, until its value follows
  const stepInto = (): string => {
    const inside = open.at(-1);
    if (inside === undefined) return '';
    return `${inside.pointer}/${name === undefined ? String(inside.index++) : escaped(name)}`;
  };
  const add = (text: string, pointer: string): void => {
    lines.push({ depth: open.length, text: name === undefined ? text : `${name}: ${text}`, pointer, isEnd: false });
    name = undefined;
  };
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] ?? '';
    const next = pieces[i + 1];
    if (piece === '{' || piece === '[') {
      const close = piece === '{' ? '}' : ']';
      const pointer = stepInto();
      if (next === close) {
        add(piece + close, pointer);
        i++;
      } else {
        add(piece, pointer);
        open.push({ pointer, close, index: 0 });
      }
    } else if (piece === '}' || piece === ']') {
      const closed = open.pop();
      if (closed?.close !== piece) return undefined;
      lines.push({ depth: open.length, text: piece, pointer: closed.pointer, isEnd: true });
    } else if (piece === ',') {
      const last = lines.pop();
      if (last === undefined) return undefined;
      lines.push({ ...last, text: `${last.text},` });
    } else if (next === ':' && name === undefined) {
      name = piece;
      i++;
    } else {
      add(piece, stepInto());
    }
  }
  return open.length === 0 && lines.length > 0 ? lines : undefined;
}

function tokensOf(json: string): string[] | undefined {
  const pieces: string[] = [];
  const end = json.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    const piece = TOKEN.exec(json)?.[1];
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return pieces;
}

/** A member name as a step of a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  let plain: string;
  try {
    plain = String(JSON.parse(name));
  } catch {
    plain = name;
  }
  return plain.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A query string with one parameter per line. */
export function linesOfQuery(query: string): Line[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=').map(decoded);
      return {
        depth: 0,
        text: `${name} = ${value.join('=')}`,
        pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        isEnd: false,
      };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const INDENT = '  ';

export function indented({ depth, text }: Line): string {
  return INDENT.repeat(depth) + text;
}
