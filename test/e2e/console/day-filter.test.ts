// The filter by day on the Records screen, in a browser. A closed day keeps the start and end that it had when it was closed.

import { describe, expect, onTestFinished, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { button, enter, hasBrowser } from './browser.ts';

const SIGNED = '2026-10-20';
const AMSTERDAM = { timeZone: 'Europe/Amsterdam' } as const;

describe.skipIf(!hasBrowser)('in a browser', () => {
  test('after a change of the cut-off, a day that was signed keeps its hours, and later days have the new ones', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { setup, verdicts } = gateway.store;
    await postBody(gateway.apiUrl, gateway.production.secret, bodyOf({ timestamp: '2026-10-20T00:30:00+02:00' }));
    await setup.changeAdministration('Bakery', { ...AMSTERDAM, dayStartsAt: 0 }, 'test');
    await verdicts.addSignOff({
      journalId: gateway.production.journalId,
      date: SIGNED,
      kind: 'sign off',
      name: 'Mia',
      note: '',
      actor: 'test',
      at: Date.parse('2026-10-22T08:00:00Z'),
      verdict: 'complete',
      here: 0,
      earlier: 0,
      declared: null,
      declaredAmounts: [],
      reasons: [],
    });
    await setup.changeAdministration('Bakery', { ...AMSTERDAM, dayStartsAt: 240 }, 'test');

    const page = await enter(gateway);
    const chosen = async (first: string, last: string): Promise<(string | null)[]> => {
      await page.goto(`${gateway.consoleUrl}/records`);
      await button(page, en.records.sold).click();
      await page.getByLabel(en.records.firstDay).fill(first);
      await page.getByLabel(en.records.lastDay).fill(last);

      await button(page, en.records.show).click();
      await expect.poll(() => new URL(page.url()).searchParams.has('to')).toBe(true);
      const { searchParams } = new URL(page.url());
      return ['from', 'to'].map((name) => new Date(Number(searchParams.get(name)) * 1000).toISOString());
    };
    expect(await chosen(SIGNED, SIGNED)).toEqual(['2026-10-19T22:00:00.000Z', '2026-10-20T22:00:00.000Z']);

    expect(await chosen('2026-10-22', '2026-10-22')).toEqual(['2026-10-22T02:00:00.000Z', '2026-10-23T02:00:00.000Z']);
  });
});
