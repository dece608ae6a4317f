// The main promise, from end to end. A till sends half a year of sales with repeats and changed resends. Everything that a
// sender can read back then matches the file, record by record.

import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { INTERFACES, type StatusCounts } from '../../../server/contract/codes.ts';
import { exitOf, spawnProgram } from '../../support/gateway-process.ts';
import type { ReplaySummary } from '../../support/till/summary.ts';
import { countOfDay, listDays, listKept, listReceived } from '../read-back.ts';
import { BAKERY_DAYS, loadBakerySales, openTestSite } from '../test-site.ts';

test('the bakery’s half year, with 5 % repeats and 1 % changed resends, agrees by day, by status and by id', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const { key: otherKey } = await site.createKey('Till 2');
  const gateway = await site.startGateway();
  const sales = await loadBakerySales();
  expect(sales).toHaveLength(9531);

  const summary = await runTill(
    '--url',
    gateway.url,
    '--key',
    key,
    '--key',
    otherKey,
    '--tills',
    '8',
    '--duplicates',
    '5',
    '--changed',
    '1',
  );
  const { duplicates, changed, answers } = summary;
  expect(summary).toMatchObject({ ok: true, complete: true, sales: 9531, lost: 0, faults: [] });
  expect(answers).toEqual({ NEW: 9531, IGNORED: duplicates, ERROR: changed });
  expect(duplicates).toBeGreaterThan(400);
  expect(changed).toBeGreaterThan(60);

  expect(await site.runJson('status')).toMatchObject({
    journals: [
      {
        administration: 'Bakery',
        mode: 'test',
        records: answers,
        lane: { state: 'paused', waiting: 9531, held: 0, delivered: 0 },
        earlier_records: { NEW: 0, IGNORED: 0, ERROR: 0 },
      },
    ],
  });

  const counted = await countDays(gateway.url, key);
  expect(counted).toEqual(countBy(sales, ({ day }) => day));
  expect(Object.keys(counted)).toHaveLength(159);

  const received = await listReceived(gateway.url, key, BAKERY_DAYS);
  expect(received.toSorted()).toEqual(idsOf(sales));

  expect(await site.runJson('check')).toMatchObject({ ok: true, records: 9531 + duplicates + changed });
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

test('the bakery’s half year, every other sale by the earlier interface, agrees by interface, status, day and id', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const address = ['--customer-name', 'bakery', '--customer-id', '12'];
  await site.runJson('administrations', 'set', '--administration', 'Bakery', ...address);
  const gateway = await site.startGateway();

  const resends = ['--key', key, '--duplicates', '5', '--changed', '1'];
  const earlier = [...resends, '--interface', 'earlier'];
  const summaries = await Promise.all([
    runTill('--url', gateway.url, '--part', '1/2', ...resends),
    runTill('--url', gateway.url, '--part', '2/4', ...earlier, '--method', 'GET'),
    runTill('--url', `${gateway.url}/c/dev-plem/bakery/12`, '--part', '4/4', ...earlier, '--method', 'POST'),
  ]);
  expect(summaries.map(({ sales }) => sales)).toEqual([4766, 2383, 2382]);
  for (const { ok, lost, sales, duplicates, changed, answers } of summaries) {
    expect({ ok, lost, answers }).toEqual({
      ok: true,
      lost: 0,
      answers: { NEW: sales, IGNORED: duplicates, ERROR: changed },
    });
    expect(duplicates).toBeGreaterThan(80);
    expect(changed).toBeGreaterThan(10);
  }

  const [current, byGet, byPost] = summaries;
  const answers = { current: current.answers, earlier: addCounts(byGet.answers, byPost.answers) };
  expect(await site.runJson('status')).toMatchObject({
    journals: [
      {
        administration: 'Bakery',
        mode: 'test',
        records: answers.current,
        lane: { waiting: answers.current.NEW },
        earlier_records: answers.earlier,
        earlier_lane: { waiting: answers.earlier.NEW },
      },
    ],
  });

  const sales = await loadBakerySales();
  const sold = {
    current: sales.filter((_, i) => i % 2 === 0),
    earlier: sales.filter((_, i) => i % 2 === 1),
  };
  for (const by of INTERFACES) {
    const kept = await listKept(site, by);
    const originals = kept.filter(({ status }) => status === 'NEW');
    expect(countBy(kept, ({ status }) => status)).toEqual(answers[by]);
    expect(countBy(originals, ({ day }) => day)).toEqual(countBy(sold[by], ({ day }) => day));
    expect(idsOf(originals)).toEqual(idsOf(sold[by]));
  }
  expect(await countDays(gateway.url, key)).toEqual(countBy(sold.current, ({ day }) => day));

  const records = summaries.reduce((sum, { sales: sent, duplicates, changed }) => sum + sent + duplicates + changed, 0);
  expect(await site.runJson('check')).toMatchObject({ ok: true, records });
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

function addCounts(a: StatusCounts, b: StatusCounts): StatusCounts {
  return { NEW: a.NEW + b.NEW, IGNORED: a.IGNORED + b.IGNORED, ERROR: a.ERROR + b.ERROR };
}

function idsOf(records: readonly { readonly externalId: string }[]): string[] {
  return records.map(({ externalId }) => externalId).toSorted();
}

/** Counts items by name. */
function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of items.map(nameOf)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The number of records that the query reports for each day with a sale. */
async function countDays(url: string, key: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const day of listDays(BAKERY_DAYS)) {
    const count = await countOfDay(url, key, day);
    if (count > 0) counts[day] = count;
  }
  return counts;
}

/** Runs `npm run till -- … --json`. Fails unless all answers were as expected. */
async function runTill(...args: string[]): Promise<ReplaySummary> {
  const till = spawnProgram('test/support/till.ts', [...args, '--json']);
  onTestFinished(() => void till.kill('SIGKILL'));
  const [stdout, stderr, exit] = await Promise.all([text(till.stdout), text(till.stderr), exitOf(till)]);
  expect(exit, stderr + stdout).toEqual({ code: 0, signal: null });
  return JSON.parse(stdout) as ReplaySummary;
}
