// Store days from end to end: half a year of sales at an upstream that lost some of them. The command line reconciles the days
// while the gateway runs.

import { expect, test } from 'vitest';
import { z } from 'zod';

import type { Site } from '../../support/gateway-process.ts';
import { postBody } from '../../support/http-call.ts';
import { replaySales } from '../../support/till/replay.ts';
import type { StandIn } from '../../support/upstream/stand-in.ts';
import { laneOf, openUpstream, setUpstream } from '../lane.ts';
import { loadBakerySales, openTestSite } from '../test-site.ts';

const TOKEN = 'test_upstream-canary';

const listed = z.array(
  z.object({
    day: z.string(),
    verdict: z.string(),
    provisional: z.boolean(),
    here: z.int(),
    upstream: z.int().nullable(),
    declared: z.int().nullable(),
    missing_upstream: z.array(z.string()),
    missing_here: z.array(z.string()),
    basis: z.string().nullable(),
  }),
);
type Listed = z.infer<typeof listed>;

/** Runs a command that lists days. Expects this exit code. */
async function listDays(site: Site, code: number, ...args: string[]): Promise<Listed> {
  const result = await site.run(...args, '--json');
  expect([result.code, result.stderr]).toEqual([code, '']);
  return listed.parse(JSON.parse(result.stdout));
}

/** The ids of sales that were sent more than once. */
function sentTwice(upstream: StandIn): string[] {
  return upstream.effects.filter(({ attempts }) => attempts > 1).map(({ id }) => id);
}

test('the bakery’s half year: sales that the upstream lost, or replaced by others, are found and sent again; no other record is touched', async ({
  onTestFinished,
}) => {
  const sales = await loadBakerySales();
  const idOf = (n: number): string => sales[n]?.externalId ?? '';
  const dayOf = (id: string): string => sales.find(({ externalId }) => externalId === id)?.day ?? '';
  // The 25 sales that the upstream loses, spread over the half year. On most days, it loses none.
  const withheld = Array.from({ length: 25 }, (_, i) => idOf(i * 371 + 5));
  const swapped = [100, 4000, 9000].map((n) => ({ lost: idOf(n), instead: idOf(n + 1) }));
  for (const { lost, instead } of swapped) expect(dayOf(lost)).toBe(dayOf(instead));
  const lost = [...withheld, ...swapped.map((each) => each.lost)];
  const elsewhere = new Set(swapped.map(({ instead }) => instead));

  const site = await openTestSite(onTestFinished);
  const { key } = await site.createKey('Till 1');
  await site.runJson('administrations', 'set', '--administration', 'Bakery', '--time-zone', 'Europe/London');
  const script = `${lost.map((id) => `id=${id} attempt=1: accept untaken`).join('; ')}; accept`;
  const upstream = await openUpstream(script, {}, onTestFinished);
  await setUpstream(site, upstream.url, TOKEN);
  const gateway = await site.startGateway();
  const bodyOf = (id: string): Buffer => sales.find(({ externalId }) => externalId === id)?.body ?? Buffer.alloc(0);
  for (const { instead } of swapped) expect((await postBody(upstream.url, TOKEN, bodyOf(instead))).status).toBe(201);
  const mine = sales.filter(({ externalId }) => !elsewhere.has(externalId));
  const summary = await replaySales({ url: gateway.url, keys: [key], sales: mine.map(({ body }) => body), tills: 8 });
  expect(summary).toMatchObject({ complete: true, sales: 9528 });
  await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, delivered: 9528 });

  // Compares by counts first: the check finds the lost sales and sends them again.
  const healed: Listed = [];
  for (const year of ['2016', '2017'])
    healed.push(...(await listDays(site, 0, 'reconcile', '--year', year, '--resend')));
  expect(healed.filter(({ here }) => here > 0)).toHaveLength(159);
  expect(new Set(healed.map(({ verdict }) => verdict))).toEqual(new Set(['complete']));
  expect(sentTwice(upstream).toSorted()).toEqual(withheld.toSorted());
  expect(healed.reduce((sum, { upstream: there }) => sum + (there ?? 0), 0)).toBe(9528);

  // Then compares by ids: the check finds the foreign sales. It also finds the lost sales that the foreign sales hid, and
  // sends them again.
  const months = [...new Set(swapped.map(({ lost: id }) => dayOf(id).slice(0, 7)))];
  const passed: Listed = [];
  for (const month of months)
    passed.push(...(await listDays(site, 3, 'reconcile', '--month', month, '--full', '--resend')));
  const differing = passed.filter(({ verdict }) => verdict === 'differs');
  expect(differing).toMatchObject(
    swapped.map(({ lost: id, instead }) => ({ day: dayOf(id), missing_upstream: [], missing_here: [instead] })),
  );
  expect(passed.filter(({ verdict }) => verdict === 'complete')).toHaveLength(passed.length - 3);
  expect(sentTwice(upstream).toSorted()).toEqual(lost.toSorted());

  // A till had sent the foreign sales to the upstream directly. Now it sends them to the gateway too.
  for (const { instead } of swapped) expect((await postBody(gateway.url, key, bodyOf(instead))).status).toBe(201);
  await expect.poll(() => laneOf(site)).toMatchObject({ waiting: 0, delivered: 9531 });
  for (const month of months) {
    const days = await listDays(site, 0, 'reconcile', '--month', month, '--full');
    expect(new Set(days.map(({ verdict, basis }) => `${verdict} ${basis}`))).toEqual(new Set(['complete ids']));
  }
  expect(upstream.effects.every(({ statuses }) => statuses.NEW === 1 && statuses.ERROR === 0)).toBe(true);
  expect(upstream.summary().queriesAtOnce).toBe(1);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});
