// The number of refusals on Today and in the rail.

import { describe, expect, onTestFinished, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { enter, hasBrowser, like, say } from './browser.ts';

describe.skipIf(!hasBrowser)('refusals', () => {
  test('Today and the rail count the same: the causes of today, each once', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    for (let i = 0; i < 3; i++) await postBody(gateway.apiUrl, generateSecret('production'), '{}');
    await postBody(gateway.apiUrl, gateway.production.secret, 'no JSON');
    const page = await enter(gateway);
    await page.goto(`${gateway.consoleUrl}/?journal=${gateway.production.journalId}`);
    const count = page.getByRole('main').getByRole('link', { name: like(en.today.refused_other) });
    await expect.poll(() => count.innerText()).toMatch(/^2\b/);
    const rail = page.getByRole('navigation').getByRole('link', { name: en.app.refused });
    await rail.getByTitle(say(en.app.attention_other, { n: 2 })).waitFor();
    await count.click();
    await expect.poll(() => page.getByRole('main').getByRole('article').count()).toBe(2);
  });
});
