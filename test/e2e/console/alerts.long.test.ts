// The page Alerts, in a real browser with a real gateway.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { openHttpSink } from '../../support/alert-sinks.ts';
import { assertLooksRight, enterAs, hasBrowser, like, LOOKS } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

describe.skipIf(!hasBrowser)('alerts', () => {
  test('a manager adds a receiver, sends a test, sees why it fails, and removes the receiver', async () => {
    const hook = await openHttpSink();
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/alerts');
    const main = page.getByRole('main');
    await main.getByText(en.alerts.none).waitFor();
    await main.getByRole('button', { name: en.alerts.add }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.alerts.name).fill('Office');
    await dialog.getByRole('combobox', { name: en.alerts.kind }).click();
    await page.getByRole('option', { name: en.alerts.kind_webhook }).click();
    await dialog.getByLabel(en.alerts.to_webhook).fill('http://192.0.2.1/hook');
    await dialog.getByRole('button', { name: en.alerts.addDo, exact: true }).click();
    await dialog.getByText(en.fault.plain_http).waitFor();
    await assertLooksRight(page, 'new receiver, desktop');
    await dialog.getByLabel(en.alerts.to_webhook).fill(`${hook.url}/secret-path`);
    await dialog.getByRole('button', { name: en.alerts.addDo, exact: true }).click();
    await dialog.getByText('whsec_').first().waitFor();
    await assertLooksRight(page, 'signing key, desktop');
    await dialog.getByRole('button', { name: en.app.close }).last().click();
    await main.getByRole('button', { name: en.alerts.test }).click();
    await main.getByText(en.alerts.testSent).waitFor();
    expect(hook.calls[0]).toMatchObject({ path: '/secret-path' });
    await main.getByRole('button', { name: en.alerts.change, exact: true }).click();
    await dialog.getByLabel(en.alerts.name).fill('Back office');
    await dialog.getByRole('combobox', { name: en.alerts.quietStart }).click();
    await page.getByRole('option', { name: '22:00' }).click();
    await dialog.getByRole('button', { name: en.app.save }).click();
    await dialog.getByText(en.alerts.quietHalf).waitFor();
    await dialog.getByRole('combobox', { name: en.alerts.quietEnd }).click();
    await page.getByRole('option', { name: '07:00' }).click();
    await dialog.getByRole('combobox', { name: en.alerts.language }).click();
    await page.getByRole('option', { name: 'Nederlands' }).click();
    await assertLooksRight(page, 'changed receiver, desktop');
    await dialog.getByRole('button', { name: en.app.save }).click();
    await main.getByText('Back office').waitFor();
    await main.getByText(like(en.alerts.quietFrom, { from: '22:00', to: '07:00' })).waitFor();
    expect(await gateway.store.alerts.list()).toMatchObject([{ settings: { language: 'nl', choice: 'all' } }]);
    hook.script = 404;
    await main.getByRole('button', { name: en.alerts.test }).click();
    await main.getByText(like(en.alertFault.rejected)).waitFor();
    await main.getByRole('button', { name: en.alerts.setMailServer }).click();
    await assertLooksRight(page, 'alerts, desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertLooksRight(page, 'alerts, dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(LOOKS.phone.viewport);
    await assertLooksRight(page, 'alerts, phone');
    expect(await page.content()).not.toContain('secret-path');
    await main.getByLabel(en.alerts.host).fill('mail.example.org');
    await main.getByLabel(en.alerts.from).fill('shop@example.org');
    await main.getByRole('button', { name: en.app.save }).click();
    await main.getByText('mail.example.org:587').waitFor();
    await main.getByRole('button', { name: en.alerts.remove }).click();
    await page.getByRole('dialog').getByRole('button', { name: en.alerts.remove }).click();
    await main.getByText(en.alerts.none).waitFor();
  });
});
