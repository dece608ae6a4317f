// The guided restore on the screens: choose a backup, read its content, confirm, and find the previous data.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { addUser } from '../../support/console.ts';
import { openBareGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { assertLooksRight, AXE_COLOURS, button, enter, enterAs, hasBrowser, like, LOOKS, say } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

const CLERK = 'Ann';

describe.skipIf(!hasBrowser)('a restore', () => {
  test('is offered at the first start', async () => {
    const gateway = await openBareGateway();
    onTestFinished(() => gateway.close());
    const page = await enter(gateway);
    await page.getByText(en.welcome.hasBackup).waitFor();
    await assertLooksRight(page, 'restore, welcome, desktop');
    await page.getByRole('link', { name: en.welcome.restore }).click();
    await page.getByText(en.restore.noFolder).waitFor();
    await assertLooksRight(page, 'restore, empty gateway, desktop');
  });

  test('is guided, keeps the previous data, and lets the manager in again', async () => {
    const folder = temporaryFolder();
    const { gateway, sell } = await openShop({ config: { backupFolder: folder } });
    await addUser(gateway, CLERK, 'clerk');
    await sell('S-1', 'S-2');
    const page = await enterAs(gateway, MANAGER, '/settings');
    await button(page, en.settings.backUp).click();
    await page.getByText(like(en.settings.backupLast)).waitFor();
    await sell('S-3');
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, 'notes.db'), 'no database');

    await page.getByRole('link', { name: en.settings.openRestore }).click();
    const made = page.getByRole('radio', { name: /\d/ });
    await made.first().waitFor();
    expect(await made.count()).toBe(2);
    await page.getByText(like(en.restore.wasChecked)).waitFor();
    await assertLooksRight(page, 'restore, choose, desktop');
    expect(await button(page, en.restore.check).isDisabled()).toBe(true);
    await page.getByText('notes.db').click();
    await button(page, en.restore.check).click();
    await page.getByText(say(en.restore.refused, { file: 'notes.db' })).waitFor();
    await page.getByText(like(en.restore.faultForeign)).waitFor();
    await assertLooksRight(page, 'restore, refused, desktop');
    await button(page, en.restore.chooseAnother).click();

    // by keyboard only
    await made.last().waitFor();
    await page.getByText(like(en.restore.wasChecked)).click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(en.restore.sound).waitFor();
    await page.getByText(say(en.restore.sinceHere_one, { n: 1 })).waitFor();
    await assertLooksRight(page, 'restore, content, desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(LOOKS.phone.viewport);
    await assertLooksRight(page, 'restore, content, phone, dark', AXE_COLOURS);
    await page.setViewportSize(LOOKS.desktop.viewport);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await button(page, en.restore.restore).isDisabled()).toBe(true);
    await page.getByRole('radio', { name: en.restore.other }).check();
    await button(page, en.restore.restore).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(en.restore.confirmMeans).waitFor();
    await assertLooksRight(page, 'restore, confirm, desktop');
    const hasAlarmed = page
      .getByText(like(en.app.lost))
      .waitFor({ timeout: 5000 })
      .then(
        () => true,
        () => false,
      );
    await button(dialog, en.restore.restore).click();

    await page.getByText(en.restore.done, { exact: true }).waitFor();
    const aside = (await page.getByText(/before-restore/).textContent()) ?? '';
    expect(existsSync(aside)).toBe(true);
    expect(await hasAlarmed, 'a restart is no lost connection').toBe(false);
    await page.getByText(en.restore.forwardingOff).waitFor();
    await assertLooksRight(page, 'restore, done, desktop');

    // again, with a file of this computer
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(page, en.restore.chooseFile).click(),
    ]);
    await chooser.setFiles(join(folder, name));
    await page.getByText(en.restore.sound).waitFor();
    await button(page, en.restore.chooseAnother).click();
    await page.getByText(en.restore.fromFileMeans).waitFor();

    const clerk = await enterAs(gateway, CLERK, '/restore', 'phone', { locale: 'nl-NL' });
    await clerk.getByText(nl.app.managerOnly).waitFor();
    expect(await clerk.getByRole('radio').count()).toBe(0);
  });
});
