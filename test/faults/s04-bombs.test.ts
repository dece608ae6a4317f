// A payload bomb is refused quickly and costs little memory. Each call has its own connection. The time is that from
// opening the connection to the whole answer. Its median is judged, because client and gateway share a machine.

import { expect, test } from 'vitest';

import { MAX_BODY_BYTES } from '../../server/contract/codes.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { bodyOf } from '../support/http-call.ts';
import { readResidentMb } from '../support/process-memory.ts';
import { rawCall } from '../support/raw-call.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

/** Calls of each kind. */
const ROUNDS = countOf({ commit: 20, nightly: 1000 });
/** Calls that warm the gateway up. */
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

test('each payload bomb is refused in 10 ms, and all of them need at most 10 MB', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const residentMb = (): number => readResidentMb(gateway.pid) ?? 0; // 0 where no system tells it
  const waits = new Map<string, number[]>(BOMBS.map(([name]) => [name, []]));
  let [restMb, mostMb] = [0, 0];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    if (round === 0) [restMb, mostMb] = [residentMb(), residentMb()];
    for (const [name, status, header, body] of BOMBS) {
      const head = `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${key}\r\nContent-Type: application/json\r\n`;
      const sentAt = performance.now();
      const answer = await rawCall(gateway.url, `${head}${header}\r\n\r\n${body}`);
      if (round >= 0) waits.get(name)?.push(performance.now() - sentAt);
      expect({ name, status: answer?.status }).toEqual({ name, status });
      mostMb = Math.max(mostMb, residentMb());
    }
  }
  /** The milliseconds of each kind that this share of its calls did not exceed, slowest kind first. */
  const slowest = (share: number) =>
    [...waits]
      .map(([name, each]) => ({ name, ms: each.toSorted((a, b) => a - b)[Math.floor(share * ROUNDS)] ?? Infinity }))
      .toSorted((a, b) => b.ms - a.ms);
  const [medians, p99s] = [slowest(0.5), slowest(0.99)];
  if (JUDGES_TIME) {
    expect(
      medians.filter(({ ms }) => ms >= MAX_MEDIAN_MS),
      repeatOf('S4', ROUNDS),
    ).toEqual([]);
    expect(mostMb - restMb, repeatOf('S4', ROUNDS)).toBeLessThanOrEqual(MAX_GROWTH_MB);
  }
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  report(
    context,
    `${BOMBS.length} bombs, ${ROUNDS} times each: slowest median ${medians[0]?.ms.toFixed(1)} ms (${medians[0]?.name}), slowest p99 ${p99s[0]?.ms.toFixed(1)} ms, ${(mostMb - restMb).toFixed(1)} MB more`,
  );
});
