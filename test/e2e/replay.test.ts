// The main promise from end to end: a till's half year goes in, with repeats and changed resends, and everything a
// sender can read back agrees with the file, to the record.

import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { exitOf, spawnProgram } from '../support/gateway-process.ts';
import type { ReplaySummary } from '../support/till/summary.ts';
import { countOfDay, listDays, listReceived } from './read-back.ts';
import { BAKERY_DAYS, loadBakerySales, openTestSite } from './test-site.ts';

test(
  'the bakery’s half year, with 5 % repeats and 1 % changed resends, agrees by day, by status and by id',
  { timeout: 120_000 },
  async () => {
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

    expect(await site.runJson('status')).toEqual({
      journals: [
        { administration: 'Bakery', mode: 'test', records: answers, earlier_records: { NEW: 0, IGNORED: 0, ERROR: 0 } },
      ],
    });

    const days = listDays(BAKERY_DAYS);
    const sold = Object.fromEntries(days.map((day) => [day, sales.filter((sale) => sale.day === day).length]));
    const counted: Record<string, number> = {};
    for (const day of days) counted[day] = await countOfDay(gateway.url, key, day);
    expect(counted).toEqual(sold);
    expect(days.filter((day) => counted[day] !== 0)).toHaveLength(159);

    const received = await listReceived(gateway.url, key, BAKERY_DAYS);
    expect(received.toSorted()).toEqual(sales.map(({ externalId }) => externalId).toSorted());

    expect(await site.runJson('check')).toMatchObject({ ok: true, records: 9531 + duplicates + changed });
    expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  },
);

/** `npm run till -- … --json`; fails unless it says that everything came out as expected. */
async function runTill(...args: string[]): Promise<ReplaySummary> {
  const till = spawnProgram('test/support/till.ts', [...args, '--json']);
  onTestFinished(() => void till.kill('SIGKILL'));
  const [stdout, stderr, exit] = await Promise.all([text(till.stdout), text(till.stderr), exitOf(till)]);
  expect(exit, stderr + stdout).toEqual({ code: 0, signal: null });
  return JSON.parse(stdout) as ReplaySummary;
}
