// A payload bomb is refused quickly and costs little memory. Each call has its own connection. The time is that from
// opening the connection to the whole answer. Its median is judged, because client and gateway share a machine. The memory is
// the growth during each call: over many calls, uncollected garbage varies by tens of MB. R18 finds memory that stays.

import { expect, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../server/contract/codes.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { bodyOf } from '../support/http-call.ts';
import { readResidentMb } from '../support/process-memory.ts';
import { rawCall } from '../support/raw-call.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

/** Calls of each kind. */
const ROUNDS = countOf({ commit: 20, nightly: 1000 });
/** Calls of each kind that warm the gateway up. */
const WARM_UP = 20;
const MAX_MEDIAN_MS = 10;
const MAX_GROWTH_MB = 10;

const tooLong = ' '.repeat(MAX_BODY_BYTES + 1);
const nested = (depth: number, open: string, close: string): string =>
  bodyOf({ object: `{"a":${open.repeat(depth)}1${close.repeat(depth)}}` });
const members = Array.from({ length: 10_000 }, (_, i) => `"type":"sale ${i}"`).join(',');
const inChunks = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const LENGTH = (body: string): string => `Content-Length: ${body.length}`;

const BOMBS: readonly (readonly [name: string, status: number, header: string, body: string])[] = [
  ['1 MiB and a byte', 413, LENGTH(tooLong), tooLong],
  ['1 MiB and a byte in chunks', 413, 'Transfer-Encoding: chunked', inChunks(tooLong)],
  ['declared 10 GB', 413, 'Content-Length: 10737418240', ''],
  ...(
    [
      ['100,000 arrays', nested(100_000, '[', ']')],
      ['100,000 objects', nested(100_000, '{"a":', '}')],
      ['an id of a megabyte', bodyOf({ external_id: 'x'.repeat(1_000_000) })],
      ['a field 10,000 times', `{${members},${bodyOf().slice(1)}`],
    ] as const
  ).map(([name, body]) => [name, 400, LENGTH(body), body] as const),
  ['gzip', 415, 'Content-Encoding: gzip\r\nContent-Length: 1000000', ''],
];

test('each payload bomb is refused in 10 ms and needs at most 10 MB', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const residentMb = (): number => readResidentMb(gateway.pid) ?? 0; // 0 where no system tells it
  const waits = new Map<string, number[]>(BOMBS.map(([name]) => [name, []]));
  const growths = new Map<string, number[]>(BOMBS.map(([name]) => [name, []]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, status, header, body] of BOMBS) {
      const head = `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${key}\r\nContent-Type: application/json\r\n`;
      const beforeMb = residentMb();
      const sentAt = performance.now();
      const answer = await rawCall(gateway.url, `${head}${header}\r\n\r\n${body}`);
      if (round >= 0) waits.get(name)?.push(performance.now() - sentAt);
      if (round >= 0) growths.get(name)?.push(residentMb() - beforeMb);
      expect({ name, status: answer?.status }).toEqual({ name, status });
    }
  }
  const median = highestOf(waits, 0.5);
  const p99 = highestOf(waits, 0.99);
  const growth = highestOf(growths, 0.99);
  if (JUDGES_TIME) {
    expect(median, repeatOf('S4', ROUNDS)).toSatisfy(({ value }) => value < MAX_MEDIAN_MS);
    expect(growth, repeatOf('S4', ROUNDS)).toSatisfy(({ value }) => value <= MAX_GROWTH_MB);
  }
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  report(
    context,
    `${BOMBS.length} bombs, ${ROUNDS} times each: slowest median ${describe(median, 'ms')}, slowest p99 ${describe(p99, 'ms')}, highest p99 of the growth ${describe(growth, 'MB')}`,
  );
});

interface Highest {
  readonly name: string;
  readonly value: number;
}

/** The kind with the highest value, if each kind counts by the value that this share of its calls did not exceed. */
function highestOf(valuesByKind: ReadonlyMap<string, readonly number[]>, share: number): Highest {
  const each = [...valuesByKind].map(([name, values]) => {
    const value = values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? Infinity;
    return { name, value };
  });
  return each.toSorted((a, b) => b.value - a.value)[0] ?? { name: '', value: Infinity };
}

const describe = ({ name, value }: Highest, unit: string): string => `${value.toFixed(1)} ${unit} (${name})`;
