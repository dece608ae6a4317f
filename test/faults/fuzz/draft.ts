// Describes a call before it is sent. A draft starts valid, and mutations make it invalid. Texts are Latin-1: one character
// for each byte on the wire.

export interface Draft {
  readonly method: string;
  /** The encoded path, with its leading slash. */
  readonly path: string;
  /** The parameters, each encoded as `name=value`. */
  readonly query: readonly string[];
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
  readonly framing: Framing;
  readonly fate: Fate;
}

/** How the call states the length of its body. */
export const FRAMINGS = [
  'length',
  'chunked',
  'none',
  'too long',
  'too short',
  'both',
  'twice',
  'no number',
  'no chunk size',
  'chunk too long',
  'endless chunk size',
  'no last chunk',
  'trailers',
  'unknown coding',
] as const;
export type Framing = (typeof FRAMINGS)[number];

/** How a call is sent. `at` is a position in its bytes, from 0 to 1. */
export type Fate =
  | { readonly kind: 'whole' }
  /** Sends the bytes up to `at`, then ends this side of the connection. */
  | { readonly kind: 'half'; readonly at: number }
  /** Sends the bytes up to `at`, then drops the connection. */
  | { readonly kind: 'dropped'; readonly at: number }
  | { readonly kind: 'in parts'; readonly parts: number }
  | { readonly kind: 'pipelined'; readonly times: number };

export function wireOf({ method, path, query, version, headers, body, framing }: Draft): Buffer {
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const { lines, bytes } = framed(body, framing);
  const head = [
    `${method} ${target} ${version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lines,
    '\r\n',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}

function framed(
  body: Buffer | undefined,
  framing: Framing,
): { readonly lines: readonly string[]; readonly bytes: Buffer } {
  if (body === undefined) return { lines: [], bytes: Buffer.alloc(0) };
  const length = (text: string | number): string => `Content-Length: ${text}`;
  const chunked = 'Transfer-Encoding: chunked';
  const chunks = (size: string, end = '0\r\n\r\n'): Buffer =>
    Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(`\r\n${end}`)]);
  const size = body.length.toString(16);
  switch (framing) {
    case 'length':
      return { lines: [length(body.length)], bytes: body };
    case 'chunked':
      return { lines: [chunked], bytes: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunks(size) };
    case 'none':
      return { lines: [], bytes: body };
    case 'too long':
      return { lines: [length(body.length + 10)], bytes: body };
    case 'too short':
      return { lines: [length(Math.max(0, body.length - 5))], bytes: body };
    case 'both':
      return { lines: [length(body.length), chunked], bytes: chunks(size) };
    case 'twice':
      return { lines: [length(body.length), length(body.length + 1)], bytes: body };
    case 'no number':
      return { lines: [length('-1')], bytes: body };
    case 'no chunk size':
      return { lines: [chunked], bytes: chunks('what') };
    case 'chunk too long':
      return { lines: [chunked], bytes: chunks((body.length + 16).toString(16)) };
    case 'endless chunk size':
      return { lines: [chunked], bytes: chunks('f'.repeat(40)) };
    case 'no last chunk':
      return { lines: [chunked], bytes: chunks(size, '') };
    case 'trailers':
      return { lines: [chunked], bytes: chunks(`${size};a=b`, '0\r\nToken: x\r\n\r\n') };
    case 'unknown coding':
      return { lines: ['Transfer-Encoding: gzip, chunked'], bytes: chunks(size) };
  }
}
