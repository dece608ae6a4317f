/**
 * The HTTP/1.1 client of the generator. It builds the head of the requests before the load starts. It reads only the status
 * line, Content-Length and the body, which may arrive in several chunks. Any status except the expected one is an error.
 */
import type { Scan, Target, Wire } from './load.ts';

const expected = 'HTTP/1.1 201 ';
const headEnd = '\r\n\r\n';
const contentLength = /\r\ncontent-length: *(\d+)/i;

export function createHttpWire(target: Extract<Target, { wire: 'http' }>): Wire {
  const heads = (target.tokens.length === 0 ? [undefined] : target.tokens).map((token) =>
    [
      'POST /v1/raw_transactions HTTP/1.1',
      `Host: ${target.host}:${target.port}`,
      ...(token === undefined ? [] : [`token: ${token}`]),
      'Content-Type: application/json',
      'Content-Length: ',
    ].join('\r\n'),
  );
  return {
    greeting: '',
    createGreetingScan: createScan,
    createScan,
    request: ({ body }, connection) => `${heads[connection % heads.length]}${body.length}${headEnd}${body}`,
  };
}

function createScan(): Scan {
  let pending = '';
  return (bytes) => {
    const text = pending + bytes.toString('latin1');
    const headLength = text.indexOf(headEnd);
    if (headLength === -1) return keep(text);
    const length = contentLength.exec(text)?.[1];
    if (length === undefined) return 'answer without Content-Length';
    const missing = headLength + headEnd.length + Number(length) - text.length;
    if (missing > 0) return keep(text);
    pending = '';
    if (missing < 0) return 'more bytes than the answer should have';
    return text.startsWith(expected) ? 'done' : text.slice(0, text.indexOf('\r\n'));
  };

  function keep(text: string): 'partial' {
    pending = text;
    return 'partial';
  }
}
