// Edge cases of HTTP. Each form of a call has a fixed result: ambiguous calls are refused, and no call gets the answer to
// another call.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { anyText } from '../../support/api/matchers.ts';
import { expectProblem, expectRefused, PATHS, type Refusal } from '../../support/api/refusal-table.ts';
import { bodyOf, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openRawConnection, rawCall } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const [PATH = ''] = PATHS;
const { secret } = gateway.production;
const TARGET = `${PATH}?${rangeParameters()}`;
const HEADERS = ['Host: gateway', `token: ${secret}`, 'Content-Type: application/json'];

const lines = (all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const get = (line: string, headers: readonly string[] = HEADERS): string => lines([line, ...headers]);
const GET = `GET ${TARGET} HTTP/1.1`;
/** A POST with the further header lines `more` and then `text`, all unchanged. */
const post = (more: readonly string[], text: string, version = 'HTTP/1.1'): string =>
  lines([`POST ${PATH} ${version}`, ...HEADERS, ...more]) + text;
/** A valid POST. */
const goodPost = (): string => {
  const text = bodyOf();
  return post([`Content-Length: ${text.length}`], text);
};
const inChunks = (text: string, size = text.length.toString(16)): string => `${size}\r\n${text}\r\n0\r\n\r\n`;
const body = bodyOf({ external_id: 'form' });
const extended = bodyOf({ external_id: 'chunk extension' });

const unparsed: Refusal = { status: 400, code: 'request_malformed', label: null, headers: { connection: 'close' } };
const nowhere = { method: '', path: '' };

describe('an unreadable call is 400, and the connection is closed', () => {
  test.each([
    ['Content-Length and Transfer-Encoding', post(['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
    ['Transfer-Encoding and Content-Length', post(['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n')],
    ['two equal Content-Lengths', post([`Content-Length: ${body.length}`, `Content-Length: ${body.length}`], body)],
    ['two different Content-Lengths', post([`Content-Length: ${body.length}`, 'Content-Length: 5'], body)],
    ['a list of Content-Lengths', post([`Content-Length: ${body.length}, ${body.length}`], body)],
    ['a signed Content-Length', post([`Content-Length: +${body.length}`], body)],
    ['a negative Content-Length', post(['Content-Length: -1'], body)],
    ['a hexadecimal Content-Length', post(['Content-Length: 0x10'], body)],
    ['an empty Content-Length', post(['Content-Length: '], body)],
    ['a Content-Length with a space before the colon', post([`Content-Length : ${body.length}`], body)],
    ['a Transfer-Encoding with a space before the colon', post(['Transfer-Encoding : chunked'], inChunks(body))],
    ['Transfer-Encoding: identity', post(['Transfer-Encoding: identity', `Content-Length: ${body.length}`], body)],
    [
      'Transfer-Encoding: chunked twice',
      post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], inChunks(body)),
    ],
    ['Transfer-Encoding: chunked, gzip', post(['Transfer-Encoding: chunked, gzip'], inChunks(body))],
    ['Transfer-Encoding with a control character', post(['Transfer-Encoding: \x0bchunked'], inChunks(body))],
    ['a folded header', get(GET, [...HEADERS, 'X-A: 1\r\n 2'])],
    ['a space before the colon', get(GET, [...HEADERS, 'X-A : 1'])],
    ['a header without colon', get(GET, [...HEADERS, 'X-A'])],
    ['a header without name', get(GET, [...HEADERS, ': 1'])],
    ['NUL in a header', get(GET, [...HEADERS, 'X-A: 1\0'])],
    ['a bare line feed in a header', get(GET, [...HEADERS, 'X-A: 1\nX-B: 2'])],
    ['a bare carriage return in a header', get(GET, [...HEADERS, 'X-A: 1\rX-B: 2'])],
    ['bare line feeds in all lines', get(GET).replaceAll('\r\n', '\n')],
    ['a bare line feed after the request line', get(GET).replace('\r\n', '\n')],
    ['an unknown method', get(`BREW ${TARGET} HTTP/1.1`)],
    ['a method in lower case', get(`get ${TARGET} HTTP/1.1`)],
    ['a tab for a space', get(GET.replaceAll(' ', '\t'))],
    ['a space in the target', get(`GET ${TARGET} x HTTP/1.1`)],
    ['a raw byte above ASCII in the target', get('GET /v1/\xe9 HTTP/1.1')],
    ['a leading space', ` ${get(GET)}`],
    ['HTTP/1.2', get(`GET ${TARGET} HTTP/1.2`)],
    ['HTTP in lower case', get(`GET ${TARGET} http/1.1`)],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a Redis command', '*1\r\n$4\r\nPING\r\n'],
  ])('%s', async (_name, bytes) => {
    await expectRefused(gateway, unparsed, nowhere, () => rawCall(gateway.apiUrl, bytes));
  });

  test.each([
    ['headers of 17,000 bytes', get(GET, [...HEADERS, `X-A: ${'a'.repeat(17_000)}`])],
    ['a target of 17,000 bytes', get(`GET ${TARGET}&x=${'a'.repeat(17_000)} HTTP/1.1`)],
  ])('%s (431)', async (_name, bytes) => {
    const refusal: Refusal = { ...unparsed, status: 431, code: 'headers_too_large' };
    await expectRefused(gateway, refusal, nowhere, () => rawCall(gateway.apiUrl, bytes));
  });
});

describe('an unreadable body is 400 to its own call, and the connection is closed', () => {
  const chunked = (text: string): string => post(['Transfer-Encoding: chunked'], text);
  test.each([
    ['a chunk size that is no number', chunked(inChunks(body, 'zz'))],
    ['a negative chunk size', chunked(inChunks(body, '-5'))],
    ['a chunk size with 0x', chunked(inChunks(body, `0x${body.length.toString(16)}`))],
    ['a chunk size too large for a number', chunked(inChunks(body, 'f'.repeat(17)))],
    ['a missing chunk size', chunked(inChunks(body, ''))],
    ['a chunk size with a space before it', chunked(inChunks(body, ` ${body.length.toString(16)}`))],
    ['a chunk longer than its size', chunked(inChunks(body, '3'))],
    ['chunks split by bare line feeds', chunked(inChunks(body).replaceAll('\r\n', '\n'))],
    ['a chunk extension of 20,000 bytes', chunked(inChunks(body, `${body.length.toString(16)};${'a'.repeat(20_000)}`))],
    ['a transfer coding that does not end with chunked', post(['Transfer-Encoding: xchunked'], inChunks(body))],
  ])('%s', async (_name, bytes) => {
    const refusal: Refusal = { status: 400, code: 'request_malformed', headers: { connection: 'close' } };
    await expectRefused(gateway, refusal, { method: 'POST', path: PATH }, () => rawCall(gateway.apiUrl, bytes));
  });

  test('a body in a transfer coding other than chunked is 415', async () => {
    const bytes = post(['Transfer-Encoding: gzip, chunked'], inChunks(bodyOf()));
    await expectRefused(gateway, { status: 415, code: 'encoding_unsupported' }, { method: 'POST', path: PATH }, () =>
      rawCall(gateway.apiUrl, bytes),
    );
  });
});

describe('Host and version', () => {
  test.each([
    ['two Host headers', 'GET', get(GET, [...HEADERS, 'Host: elsewhere'])],
    ['two equal Host headers', 'GET', get(GET, [...HEADERS, HEADERS[0] ?? ''])],
    ['two Host headers in different case', 'GET', get(GET, [...HEADERS, 'hOsT: gateway'])],
    ['two Host headers on a POST', 'POST', post(['Host: elsewhere', `Content-Length: ${body.length}`], body)],
    [
      'two Host headers on a POST that expects 100-continue',
      'POST',
      post(['Host: elsewhere', 'Expect: 100-continue', 'Content-Length: 5'], ''),
    ],
    ['no Host header', 'GET', get(GET, HEADERS.slice(1))],
    ['no Host header on a POST', 'POST', goodPost().replace('Host: gateway\r\n', '')],
    ['a request line without version', 'GET', get(`GET ${TARGET}`)],
    ['a request line without version, and no headers', 'GET', `GET ${TARGET}\r\n\r\n`],
    ['a POST without version', 'POST', goodPost().replace(' HTTP/1.1', '')],
    ['HTTP/0.9', 'GET', get(`GET ${TARGET} HTTP/0.9`)],
    ['HTTP/2.0', 'GET', get(`GET ${TARGET} HTTP/2.0`)],
  ])('%s → 400', async (_name, method, bytes) => {
    await expectRefused(gateway, { status: 400, code: 'request_malformed', label: null }, { method, path: PATH }, () =>
      rawCall(gateway.apiUrl, bytes),
    );
  });

  test.each([
    ['HTTP/1.0', get(`GET ${TARGET} HTTP/1.0`), 200],
    ['HTTP/1.0 without Host', get(`GET ${TARGET} HTTP/1.0`, HEADERS.slice(1)), 200],
    ['a POST by HTTP/1.0', goodPost().replace('HTTP/1.1', 'HTTP/1.0'), 201],
    ['an empty Host', get(GET, ['Host:', ...HEADERS.slice(1)]), 200],
    ['an absolute target', get(`GET http://gateway${TARGET} HTTP/1.1`), 200],
    ['empty lines before the request', `\r\n\r\n${get(GET)}`, 200],
    ['two spaces before the target', get(GET.replace('GET ', 'GET  ')), 200],
    ['an Upgrade header', get(GET, [...HEADERS, 'Connection: Upgrade', 'Upgrade: websocket']), 200],
    ['header names in another case', get(GET, ['HOST: gateway', `ToKeN: ${secret}`]), 200],
    ['a GET with a body', get(GET, [...HEADERS, 'Content-Length: 5']) + 'hello', 200],
  ])('%s is accepted', async (_name, bytes, status) => {
    expect((await rawCall(gateway.apiUrl, bytes))?.status).toBe(status);
  });

  test.each([
    [
      'chunks with extensions and trailers',
      post(
        ['Transfer-Encoding: chunked'],
        inChunks(extended, `${extended.length.toString(16)};a=b`).replace(/\r\n$/, 'X-Trailer: 1\r\n\r\n'),
      ),
    ],
    [
      'one byte per chunk',
      post(['Transfer-Encoding: chunked'], `${[...bodyOf()].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`),
    ],
  ])('%s are accepted', async (_name, bytes) => {
    expect((await rawCall(gateway.apiUrl, bytes))?.status).toBe(201);
  });

  test('CONNECT is not answered: the connection is closed', async () => {
    expect(await rawCall(gateway.apiUrl, get('CONNECT upstream:443 HTTP/1.1'))).toBeUndefined();
  });

  test.each(['*', 'http://[::1/v1/raw_transactions', 'http://', '//', '/\\..'])(
    'the target %j is 404',
    async (target) => {
      const refusal: Refusal = { status: 404, code: 'not_found', label: null };
      const path = anyText;
      await expectRefused(gateway, refusal, { method: 'OPTIONS', path }, () =>
        rawCall(gateway.apiUrl, get(`OPTIONS ${target} HTTP/1.1`)),
      );
    },
  );

  test('after a chunked HTTP/1.0 message the connection is closed (RFC 9112, 6.1)', async () => {
    const connection = await openRawConnection(gateway.apiUrl);
    onTestFinished(() => connection.destroy());
    connection.send(
      post(['Connection: keep-alive', 'Transfer-Encoding: chunked'], inChunks(bodyOf()), 'HTTP/1.0') +
        get(GET, [...HEADERS, 'Connection: close']),
    );
    expect(await connection.rest()).toHaveLength(1);
  });
});

describe('a call followed by garbage on its connection gets its own answer', () => {
  const GARBAGE = 'GARBAGE\r\n\r\n';
  test.each([
    ['a POST', goodPost(), [201]],
    ['a GET', get(GET), [200]],
    ['two POSTs', goodPost() + goodPost(), [201, 201]],
    ['a POST and a GET', goodPost() + get(GET), [201, 200]],
    ['a refused POST', goodPost().replace(secret, 'unknown'), [401]],
    ['a call of an unknown path', get('GET /nowhere HTTP/1.1'), [404]],
    ['a health check', get('GET /healthz HTTP/1.1'), [200]],
  ])('%s', async (_name, calls, statuses) => {
    const connection = await openRawConnection(gateway.apiUrl);
    onTestFinished(() => connection.destroy());
    connection.send(calls + GARBAGE);
    const answers = await connection.rest();
    expect(answers.slice(0, statuses.length).map(({ status }) => status)).toEqual(statuses);
    // The gateway may answer the garbage too, after all other answers.
    for (const more of answers.slice(statuses.length)) expectProblem(more, { status: 400, code: 'request_malformed' });
  });

  test('a valid POST and then a POST with a broken body each get their own answer', async () => {
    const connection = await openRawConnection(gateway.apiUrl);
    onTestFinished(() => connection.destroy());
    connection.send(goodPost() + post(['Transfer-Encoding: chunked'], inChunks(body, 'zz')));
    const [first, second, ...more] = await connection.rest();
    expect(first?.status).toBe(201);
    expectProblem(second!, { status: 400, code: 'request_malformed' }); // `!`: expectProblem fails without an answer
    expect(more).toEqual([]);
  });
});
