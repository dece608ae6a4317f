// Tests the simulated till against a small gateway that can lose answers, ask for retries or give wrong answers. Other tests
// rely on this till to notice wrong answers.

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { exitOf, spawnProgram } from '../support/gateway-process.ts';
import { CURRENT, earlierDialect, METHODS } from '../support/till/dialect.ts';
import { openPlan } from '../support/till/plan.ts';
import { replaySales } from '../support/till/replay.ts';
import { openSales, type Part } from '../support/till/sales.ts';
import { openWire } from '../support/till/wire.ts';
import { type ModelAnswer, openModelGateway } from './model-gateway.ts';

function makeSales(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) =>
    Buffer.from(
      JSON.stringify({
        type: 'sale',
        external_id: `S${i}`,
        timestamp: '2026-11-20T10:00:00Z',
        object: { total: i, items: ['Tea', null, true] },
      }),
    ),
  );
}

/** Writes the lines to a file, with an empty line between them. The file does not end with a line feed. */
async function writeLines(lines: readonly (string | Buffer)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-till-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'sales.jsonl'), lines.join('\n\n'));
  return join(folder, 'sales.jsonl');
}

const REFUSAL = { title: '', detail: 'in a test' };

test('the bakery’s sales are the source’s, byte for byte', async () => {
  const hash = createHash('sha256');
  for await (const body of openSales()) hash.update(body).update('\n');
  expect(hash.digest('hex')).toBe('c8e721f5f4f8ba92f7d0c8c5e7c1dcbe9d42746d740999f579a61381f5a8f277');
});

test('the lines of a file are sent byte for byte, whatever characters they contain', async () => {
  const gateway = await openModelGateway();
  const lines = [
    ' {"external_id" : "a", "object": {"n": 1.50, "big": 12345678901234567890}} ',
    '{"external_id":"b\u2028b","object":"\\u0041"}\r',
    `{"external_id":"c","object":"${'é'.repeat(100_000)}"}`,
  ];
  const summary = await replaySales({
    url: gateway.url,
    keys: ['k'],
    sales: openSales(await writeLines(lines)),
    tills: 1,
    duplicates: 100,
  });
  expect(summary).toMatchObject({ ok: true, sales: 3, duplicates: 3 });
  expect(new Set(gateway.received.map(({ body }) => body))).toEqual(new Set(lines));
});

test('the parts of the bakery’s sales make up the whole, and no sale is in two parts', async () => {
  const read = async (part?: Part): Promise<string[]> =>
    (await Array.fromAsync(openSales(undefined, part))).map(String);
  const parts = await Promise.all([1, 2, 3].map((nth) => read({ nth, of: 3 })));
  expect(parts.map((part) => part.length)).toEqual([3177, 3177, 3177]);
  const [first = [], second = [], third = []] = parts;
  expect(first.flatMap((sale, i) => [sale, second[i], third[i]])).toEqual(await read());
});

test.for([
  ['POST', ''],
  ['GET', '"'],
] as const)('on the earlier interface a sale is the parameters of a %s, at any address', async ([method, quote]) => {
  const gateway = await openModelGateway();
  const object =
    '{"total":1.50,"big":12345678901234567890,"cash":true,"items":["Tea & milk ",{"n":1}],"note":null,"who":"Zoë=+"}';
  const summary = await replaySales({
    url: `${gateway.url}/c/shop/12/`,
    keys: ['k'],
    dialect: earlierDialect(method),
    sales: [Buffer.from(`{"type":"sale","external_id":"S 1","timestamp":"2026-11-20T10:00:00Z","object":${object}}`)],
    duplicates: 100,
  });
  expect(summary).toMatchObject({ ok: true, answers: { NEW: 1, IGNORED: 1, ERROR: 0 } });
  const [sale, repeat] = gateway.received;
  expect(sale).toMatchObject({ method, path: '/c/shop/12/v1/transaction', key: 'Bearer k' });
  expect(sale?.body).toBe(
    '{"transactionid":"S 1","timestamp":"2026-11-20T10:00:00Z",' +
      `"total":${quote}1.50${quote},"big":${quote}12345678901234567890${quote},"cash":${quote}true${quote},` +
      String.raw`"items":"[\"Tea & milk \",{\"n\":1}]","note":"null","who":"Zoë=+"}`,
  );
  expect(repeat?.body).toBe(sale?.body);
});

test.for(METHODS)('a changed resend by %s differs from its sale in one parameter, never in the id', async (method) => {
  const gateway = await openModelGateway();
  const pointers = new Set<string | undefined>();
  const summary = await replaySales({
    url: gateway.url,
    keys: ['k'],
    dialect: earlierDialect(method),
    sales: makeSales(50),
    changed: 100,
    onAnswer: ({ changedPointer }) => pointers.add(changedPointer),
  });
  expect(summary).toMatchObject({ ok: true, answers: { NEW: 50, IGNORED: 0, ERROR: 50 } });
  expect(pointers).toEqual(new Set([undefined, '/timestamp', '/total', '/items']));
});

test.for(METHODS)('an invalid record is also sent by %s, and must be refused', async (method) => {
  const dialect = earlierDialect(method);
  const { query, body } = dialect.pack(dialect.bodyOf(Buffer.from('no & record')));
  expect({ query, body: body?.toString() }).toEqual(
    method === 'GET' ? { query: '?no+%26+record=', body: undefined } : { query: '', body: 'no & record' },
  );
});

test('the same seed sends the same sales with any number of tills; another seed does not', async () => {
  const sent = async (seed: number, tills: number): Promise<string[]> => {
    const gateway = await openModelGateway();
    const summary = await replaySales({
      url: gateway.url,
      keys: ['k'],
      sales: makeSales(300),
      tills,
      seed,
      duplicates: 20,
      changed: 20,
    });
    expect(summary).toMatchObject({ ok: true, sales: 300 });
    return gateway.received.map(({ body }) => body).toSorted();
  };
  const once = await sent(7, 1);
  expect(once.length).toBeGreaterThan(380);
  expect(await sent(7, 8)).toEqual(once);
  expect(await sent(8, 1)).not.toEqual(once);
});

test('a changed resend differs from its sale in one value, and big numbers stay exact', () => {
  const plan = openPlan({ duplicates: 0, changed: 100, seed: 1, dialect: CURRENT });
  const body = Buffer.from(
    '{"type":"sale","external_id":"S","timestamp":"2026-11-20T10:00:00Z","object":{"big":12345678901234567890,"half":1.50,"a/b":[{},-0,null,false]}}',
  );
  const changes = Array.from({ length: 200 }, () => plan(body).resends[0]?.call);
  expect(new Set(changes.map((call) => call?.changedPointer))).toEqual(
    new Set([
      '/type',
      '/timestamp',
      '/object/big',
      '/object/half',
      '/object/a~1b/1',
      '/object/a~1b/2',
      '/object/a~1b/3',
    ]),
  );
  const sent = (pointer: string): string =>
    changes.find((call) => call?.changedPointer === pointer)?.body.toString() ?? '';
  expect(sent('/object/big')).toBe(body.toString().replace('12345678901234567890', '0'));
  expect(sent('/object/half')).toBe(body.toString().replace('1.50', '0'));
  expect(sent('/object/a~1b/1')).toBe(body.toString().replace('-0', '1'));
  expect(sent('/object/a~1b/2')).toBe(body.toString().replace('null', 'true'));
  expect(sent('/timestamp')).toBe(body.toString().replace('11-20', '11-21'));
});

test('IGNORED after a lost answer is right, and is counted separately', async () => {
  const gateway = await openModelGateway((answer, n) => (n === 3 || n === 4 ? 'drop after' : answer));
  const summary = await replaySales({ url: gateway.url, keys: ['k'], sales: makeSales(5), tills: 1 });
  expect(summary).toMatchObject({ ok: true, answers: { NEW: 4, IGNORED: 1, ERROR: 0 }, repeated: 1, lost: 2 });
  expect(gateway.records()).toBe(7);
});

test('a call whose connection broke before it was kept is sent again until it is kept', async () => {
  const gateway = await openModelGateway((answer, n) => (n < 4 ? 'drop before' : answer));
  const summary = await replaySales({ url: gateway.url, keys: ['k'], sales: makeSales(2), tills: 1 });
  expect(summary).toMatchObject({ ok: true, answers: { NEW: 2, IGNORED: 0 }, repeated: 0, lost: 3 });
});

test('an attempt may have been kept if its answer was lost or cut, but not if the connection failed', async () => {
  const gateway = await openModelGateway((answer, n) => (n === 1 ? 'drop after' : n === 2 ? 'cut' : answer));
  const wire = openWire(gateway.url, 'k', CURRENT);
  onTestFinished(() => wire.close());
  const [body = Buffer.alloc(0)] = makeSales(1);
  expect(await wire.attempt(body)).toMatchObject({ kind: 'failed', mayBeKept: true });
  expect(await wire.attempt(body)).toMatchObject({ kind: 'failed', mayBeKept: true });
  expect(await wire.attempt(body)).toMatchObject({ kind: 'kept', receipt: { status: 'IGNORED' } });

  await gateway.close();
  const lateWire = openWire(gateway.url, 'k', CURRENT);
  onTestFinished(() => lateWire.close());
  expect(await lateWire.attempt(body)).toMatchObject({ kind: 'failed', cause: 'ECONNREFUSED', mayBeKept: false });
});

test('a till that must retry waits as long as Retry-After says', async () => {
  const refusals: Record<number, ModelAnswer> = {
    1: { http: 503, body: { code: 'store_full', ...REFUSAL }, headers: { 'retry-after': '1' } },
    3: { http: 429, body: { code: 'query_busy', ...REFUSAL } },
    4: { http: 502, body: {} },
  };
  const gateway = await openModelGateway((answer, n) => refusals[n] ?? answer);
  const summary = await replaySales({ url: gateway.url, keys: ['k'], sales: makeSales(2), tills: 1 });
  expect(summary).toMatchObject({
    ok: true,
    answers: { NEW: 2 },
    retries: { '503 store_full': 1, '429 query_busy': 1, 'HTTP 502': 1 },
    lost: 1,
  });
  const [first, second] = gateway.received;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990);
});

test('a refused call is reported by its code, and its sale is never sent again', async () => {
  const gateway = await openModelGateway((answer, n) =>
    n === 2 ? { http: 400, body: { code: 'field_invalid', ...REFUSAL } } : answer,
  );
  const summary = await replaySales({ url: gateway.url, keys: ['k'], sales: makeSales(3), tills: 1, duplicates: 100 });
  expect(summary).toMatchObject({
    ok: false,
    complete: true,
    sales: 3,
    duplicates: 2,
    refused: { field_invalid: 1 },
  });
  expect(summary.retries).toEqual({});
  expect(gateway.received).toHaveLength(5);
  expect(summary.faults).toEqual(['S1 was refused (field_invalid): in a test']);
});

const LIES: Record<string, (answer: ModelAnswer) => ModelAnswer> = {
  'a sale IGNORED that nobody sent before': ({ body }) => ({
    http: 200,
    body: { ...body, status: 'IGNORED', original_record_id: 1 },
  }),
  'a repeat NEW': ({ body }) => ({ http: 201, body: { ...body, status: 'NEW' } }),
  'a changed resend IGNORED': ({ http, body }) => ({
    http,
    body: { ...body, status: body['status'] === 'ERROR' ? 'IGNORED' : body['status'] },
  }),
  'another sale’s answer': ({ http, body }) => ({ http, body: { ...body, external_id: 'S999' } }),
  'a duplicate compared with another record': ({ http, body }) => ({
    http,
    body: { ...body, ...('original_record_id' in body && { original_record_id: 999 }) },
  }),
  'a difference that does not exist': ({ http, body }) => ({
    http,
    body: { ...body, ...('differences' in body && { differences: ['/type', '/object'] }) },
  }),
  'NEW with HTTP 200': ({ body }) => ({ http: 200, body }),
  'no receipt at all': ({ http }) => ({ http, body: {} }),
};

test.for(Object.keys(LIES))('a gateway that answers %s is caught', async (name) => {
  const gateway = await openModelGateway((answer) => LIES[name]?.(answer) ?? answer);
  const summary = await replaySales({
    url: gateway.url,
    keys: ['k'],
    sales: makeSales(20),
    tills: 2,
    duplicates: 100,
    changed: 100,
  });
  expect(summary).toMatchObject({ ok: false, complete: true });
  expect(summary.faults).not.toEqual([]);
});

test('a gateway that answers 201 on the earlier interface is caught', async () => {
  const gateway = await openModelGateway(({ body }) => ({ http: 201, body }));
  const summary = await replaySales({
    url: gateway.url,
    keys: ['k'],
    dialect: earlierDialect('GET'),
    sales: makeSales(1),
  });
  expect(summary).toMatchObject({ ok: false, faults: ['S0 was answered NEW with HTTP 201, not 200'] });
});

async function runTill(...args: string[]) {
  const till = spawnProgram('test/support/till.ts', args);
  onTestFinished(() => void till.kill('SIGKILL'));
  const [stdout, stderr, { code }] = await Promise.all([text(till.stdout), text(till.stderr), exitOf(till)]);
  return { code, stdout, stderr };
}

test.for([
  ['a key is missing', ['--url', 'http://127.0.0.1:1']],
  ['the address is invalid', ['--url', 'till', '--key', 'k']],
  ['the file does not exist', ['--url', 'http://127.0.0.1:1', '--key', 'k', '--file', 'no-such-file.jsonl']],
  ['a percentage is above 100', ['--url', 'http://127.0.0.1:1', '--key', 'k', '--changed', '101']],
  ['the part does not exist', ['--url', 'http://127.0.0.1:1', '--key', 'k', '--part', '3/2']],
  ['the current interface is given a method', ['--url', 'http://127.0.0.1:1', '--key', 'k', '--method', 'GET']],
] as const)('the till ends with 2 and names the reason when %s', async ([, args]) => {
  const { code, stdout, stderr } = await runTill(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .+/);
});

test('the till ends with 0 and a summary when all answers are as expected', async () => {
  const gateway = await openModelGateway();
  const file = await writeLines(makeSales(20));
  const { code, stdout, stderr } = await runTill(
    '--url',
    `${gateway.url}/`,
    '--key',
    'k',
    '--file',
    file,
    '--rate',
    '1000',
    '--changed',
    '100',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('NEW 20 · IGNORED 0 · ERROR 20');
});

test('the till accepts a production key only on request', async () => {
  const gateway = await openModelGateway();
  const options = [
    '--url',
    gateway.url,
    '--key',
    'test_a',
    '--key',
    'prod_a',
    '--file',
    await writeLines(makeSales(3)),
  ];
  const refused = await runTill(...options);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: .*--production\.\n/) });
  expect(gateway.received).toEqual([]);
  expect(await runTill(...options, '--production')).toMatchObject({ code: 0 });
  expect(gateway.received).toHaveLength(3);
});

test.for([
  [[], 'The whole file was replayed, and everything came out'],
  [['--part', '2/3'], 'Part 2/3 of the file was replayed, and everything came out'],
] as const)('the summary names the replayed part: %s', async ([part, says]) => {
  const gateway = await openModelGateway();
  const { stdout } = await runTill(
    '--url',
    gateway.url,
    '--key',
    'k',
    '--file',
    await writeLines(makeSales(9)),
    ...part,
  );
  expect(stdout).toContain(says);
});

test('Ctrl-C prints the summary so far, and the exit code is not 0', async () => {
  const stopping = Promise.withResolvers<void>();
  const gateway = await openModelGateway((answer, n) => {
    if (n === 500) stopping.resolve();
    return answer;
  });
  const till = spawnProgram('test/support/till.ts', ['--url', gateway.url, '--key', 'k', '--json']);
  onTestFinished(() => void till.kill('SIGKILL'));
  void stopping.promise.then(() => till.kill('SIGINT'));
  const [stdout, { code }] = await Promise.all([text(till.stdout), exitOf(till)]);
  expect(code).toBe(1);
  const { answers, ...summary } = JSON.parse(stdout) as { answers: { NEW: number } };
  expect(summary).toMatchObject({ ok: false, complete: false, faults: [] });
  expect(answers.NEW).toBeGreaterThan(400);
  expect(answers.NEW).toBeLessThan(9531);
});
