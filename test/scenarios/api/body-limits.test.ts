// Limits on the size of a body, how its length is declared, and bodies whose length differs from the declared length.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../../server/contract/codes.ts';
import { expectProblem, expectRefused, PATHS, type Refusal, refusalsOf } from '../../support/api/refusal-table.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openRawConnection, rawCall, type RawConnection } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const tooLarge: Refusal = { status: 413, code: 'body_too_large' };
const malformed: Refusal = { status: 400, code: 'request_malformed' };

/** A valid body of exactly this number of bytes. */
function bodyOfLength(bytes: number): string {
  const empty = bodyOf({ object: '{"pad":""}' });
  return empty.replace('"pad":""', `"pad":"${'x'.repeat(bytes - empty.length)}"`);
}

/** The head of a POST. `more` are further header lines. */
function head(path: string, more: readonly string[], token: string | undefined = gateway.production.secret): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    'Content-Type: application/json',
    ...(token === '' ? [] : [`token: ${token}`]),
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

async function connectTo(url: string): Promise<RawConnection> {
  const connection = await openRawConnection(url);
  onTestFinished(() => connection.destroy());
  return connection;
}

describe.each(PATHS)('the length of a body (%s)', (path) => {
  const log = { method: 'POST', path };

  test('1 MiB is accepted', async () => {
    const answer = await postBody(gateway.apiUrl, gateway.production.secret, bodyOfLength(MAX_BODY_BYTES), path);
    expect(answer.json()).toMatchObject({ status: 'NEW' });
    expect(gateway.readBody(Number(answer.json()['record_id'])).length).toBe(MAX_BODY_BYTES);
  });

  test('1 MiB in chunks is accepted', async () => {
    const text = bodyOfLength(MAX_BODY_BYTES);
    const chunks = [text.slice(0, 1), text.slice(1, 70_000), text.slice(70_000)].map(chunk).join('');
    expect(
      (await rawCall(gateway.apiUrl, `${head(path, ['Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`))?.status,
    ).toBe(201);
  });

  test('one byte more is 413', async () => {
    await expectRefused(gateway, tooLarge, log, () =>
      postBody(gateway.apiUrl, gateway.production.secret, bodyOfLength(MAX_BODY_BYTES + 1), path),
    );
  });

  test('one byte more in chunks is 413', async () => {
    const chunks = chunk(bodyOfLength(MAX_BODY_BYTES + 1));
    await expectRefused(gateway, tooLarge, log, () =>
      rawCall(gateway.apiUrl, `${head(path, ['Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`),
    );
  });

  test('a declared 10 GB is 413 before any of the body is sent', async () => {
    await expectRefused(gateway, tooLarge, log, () =>
      rawCall(gateway.apiUrl, head(path, ['Content-Length: 10737418240'])),
    );
  });

  test('a declared 10 GB without a key is 401 before any of the body is sent', async () => {
    const noKey: Refusal = { status: 401, code: 'key_missing', label: null };
    await expectRefused(gateway, noKey, log, () =>
      rawCall(gateway.apiUrl, head(path, ['Content-Length: 10737418240'], '')),
    );
  });

  test('a length too large for a number is 400', async () => {
    await expectRefused(gateway, { ...malformed, label: null }, { method: '', path: '' }, () =>
      rawCall(gateway.apiUrl, head(path, [`Content-Length: ${'9'.repeat(30)}`])),
    );
  });
});

test('the connection accepts the next call after a body that was too large', async () => {
  const connection = await connectTo(gateway.apiUrl);
  const large = bodyOfLength(MAX_BODY_BYTES + 1);
  connection.send(`${head(PATHS[0] ?? '', [`Content-Length: ${large.length}`])}${large}`);
  expect((await connection.next())?.status).toBe(413);
  const text = bodyOf();
  connection.send(`${head(PATHS[0] ?? '', [`Content-Length: ${text.length}`])}${text}`);
  expect((await connection.next())?.status).toBe(201);
});

test('a refused sender that continues to send is disconnected, and the gateway stops reading', async () => {
  const connection = await connectTo(gateway.apiUrl);
  const endless = 32 * 1024 * 1024;
  connection.send(head(PATHS[0] ?? '', [`Content-Length: ${endless}`], ''));
  expect((await connection.next())?.status).toBe(401);
  connection.send(Buffer.alloc(endless, ' '));
  connection.send('GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n');
  expect(await connection.next()).toBeUndefined();
});

describe.each(PATHS)('a wrong Content-Length (%s)', (path) => {
  const log = { method: 'POST', path };
  const text = bodyOf({ external_id: 'lies' });

  test('shorter than the body: the truncated part becomes no record, and the rest gets no answer of its own', async () => {
    const connection = await connectTo(gateway.apiUrl);
    const before = await gateway.countRecords();
    connection.send(`${head(path, ['Content-Length: 20'])}${text}`);
    const answers = await connection.rest();
    expect(answers).toHaveLength(1);
    // `!`: toHaveLength has checked that the answer exists
    expectProblem(answers[0]!, { status: 400, code: 'json_malformed', pointers: [''] });
    expect(await gateway.countRecords()).toEqual(before);
  });

  test('longer than the body, then the sender closes its side: 400', async () => {
    await expectRefused(gateway, malformed, log, async () => {
      const connection = await connectTo(gateway.apiUrl);
      connection.send(`${head(path, [`Content-Length: ${text.length + 1}`])}${text}`);
      connection.end();
      return connection.next();
    });
  });

  test('half a chunked body, then the sender closes its side: 400', async () => {
    await expectRefused(gateway, malformed, log, async () => {
      const connection = await connectTo(gateway.apiUrl);
      connection.send(`${head(path, ['Transfer-Encoding: chunked'])}${chunk(text)}`);
      connection.end();
      return connection.next();
    });
  });

  test('half a body, then the connection drops: no record, and the gateway continues', async () => {
    const before = await gateway.countRecords();
    const dropped = await Promise.all(Array.from({ length: 20 }, () => connectTo(gateway.apiUrl)));
    for (const connection of dropped) {
      connection.send(`${head(path, [`Content-Length: ${text.length}`])}${text.slice(0, -1)}`);
      connection.destroy();
    }
    expect((await postBody(gateway.apiUrl, gateway.production.secret, bodyOf(), path)).status).toBe(201);
    expect(await gateway.countRecords()).toEqual({ ...before, NEW: before.NEW + 1 });
  });

  test('a call gets its answer even if the sender closes its side afterwards', async () => {
    const connection = await connectTo(gateway.apiUrl);
    const whole = bodyOf();
    connection.send(`${head(path, [`Content-Length: ${whole.length}`])}${whole}`);
    connection.end();
    expect((await connection.next())?.status).toBe(201);
  });
});

describe.each(PATHS)('Expect (%s)', (path) => {
  const log = { method: 'POST', path };
  const text = bodyOf({ external_id: `expected ${path}` });
  const expecting = (expectation: string, length = text.length): string[] => [
    `Expect: ${expectation}`,
    `Content-Length: ${length}`,
  ];

  test('100-continue: the sender is told to continue, and its record is accepted', async () => {
    const connection = await connectTo(gateway.apiUrl);
    connection.send(head(path, expecting('100-continue')));
    expect((await connection.next())?.status).toBe(100);
    connection.send(text);
    expect((await connection.next())?.status).toBe(201);
  });

  test.each([
    ['without a key', head(path, expecting('100-continue'), ''), { status: 401, code: 'key_missing', label: null }],
    ['with a length beyond 1 MiB', head(path, expecting('100-continue', MAX_BODY_BYTES + 1)), tooLarge],
    [
      'with a Content-Encoding',
      head(path, [...expecting('100-continue'), 'Content-Encoding: gzip']),
      { status: 415, code: 'encoding_unsupported' },
    ],
  ] satisfies [string, string, Refusal][])(
    '100-continue %s: refused before the body is sent, and the connection closed',
    async (_name, bytes, refusal) => {
      await expectRefused(gateway, { ...refusal, headers: { connection: 'close' } }, log, async () => {
        const connection = await connectTo(gateway.apiUrl);
        connection.send(bytes);
        const answers = await connection.rest();
        expect(answers).toHaveLength(1);
        return answers[0];
      });
    },
  );

  test('another expectation is 417', async () => {
    await expectRefused(gateway, { status: 417, code: 'expectation_unsupported', label: null }, log, () =>
      rawCall(gateway.apiUrl, head(path, expecting('204-no-content'))),
    );
  });

  test('an HTTP/1.0 sender never gets 100 Continue (RFC 9110, 10.1.1)', async () => {
    const connection = await connectTo(gateway.apiUrl);
    const whole = bodyOf();
    connection.send(head(path, expecting('100-continue', whole.length)).replace('HTTP/1.1', 'HTTP/1.0') + whole);
    expect((await connection.rest()).map(({ status }) => status)).toEqual([201]);
  });
});

describe('silence', () => {
  // This test is slow, because it waits for all time-outs of the gateway.
  test('a call that stops half-way is 408 and its connection is closed; nothing of it is stored', async () => {
    const before = await gateway.countRecords();
    const text = bodyOf();
    const stalls = [
      `POST ${PATHS[0]} HTTP/1.1\r\nHost: gateway\r\ntoken: `,
      `${head(PATHS[0] ?? '', [`Content-Length: ${text.length}`])}${text.slice(0, -1)}`,
      `${head(PATHS[1] ?? '', ['Transfer-Encoding: chunked'])}${chunk(text)}`,
    ];
    const { answer: refused, log } = await refusalsOf(
      gateway,
      () =>
        Promise.all(
          stalls.map(async (bytes) => {
            const connection = await connectTo(gateway.apiUrl);
            connection.send(bytes);
            return connection.rest();
          }),
        ),
      stalls.length,
    );
    for (const answers of refused) {
      expect(answers).toHaveLength(1);
      // `!`: toHaveLength has checked that the answer exists
      expectProblem(answers[0]!, { status: 408, code: 'request_timeout' });
    }
    expect(await gateway.countRecords()).toEqual(before);
    const logged = log.map(({ code, path, label }) => ({ code, path, label }));
    expect(logged.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { code: 'request_timeout', path: '', label: null },
      { code: 'request_timeout', path: PATHS[1], label: 'Counter' },
      { code: 'request_timeout', path: PATHS[0], label: 'Counter' },
    ]);
  });
});
