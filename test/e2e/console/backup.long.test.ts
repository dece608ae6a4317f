// Backups and a restore on the screens: a backup now, a failed backup, and the confirmation before restored data are forwarded.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { bindRestore } from '../../../server/command/restore.ts';
import type { BackupsView } from '../../../server/contract/backups.ts';
import { backUp } from '../../../server/store/data-directory.ts';
import { runCommand } from '../../support/command-run.ts';
import { addUser } from '../../support/console.ts';
import { openBareGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { assertLooksRight, button, enterAs, goTo, hasBrowser, keepPicture, like, LOOKS, say } from './browser.ts';
import { LANE, listActsOf, MANAGER, openShop } from './shop.ts';

const CLERK = 'Ann';
const backupOf = (page: Page, title = en.settings.backupNow) => page.getByRole('group', { name: title, exact: true });

/** Saves pictures on a phone, and at night. */
async function keepMorePictures(page: Page, name: string, part?: Locator): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await keepPicture(page, `${name}, dark`);
  await page.setViewportSize(LOOKS.phone.viewport);
  await part?.scrollIntoViewIfNeeded();
  await keepPicture(page, `${name}, phone, dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(LOOKS.desktop.viewport);
}

describe.skipIf(!hasBrowser)('backups', () => {
  test('a manager makes a backup; a failed one shows its cause and what is safe', async () => {
    const folder = temporaryFolder();
    const { gateway, sell } = await openShop({ script: 'down', config: { backupFolder: folder } });
    await addUser(gateway, CLERK, 'clerk');
    await sell('S-1', 'S-2');
    const page = await enterAs(gateway, MANAGER, '/settings');
    const backup = backupOf(page);
    await backup.getByText(en.settings.backupNone).waitFor();
    await button(backup, en.settings.backUp).click();
    await backup.getByText(like(en.settings.backupLast)).waitFor();
    await backup.getByText(en.settings.backupSameDisk).waitFor();
    expect(readdirSync(folder)).toHaveLength(1);
    await backup.scrollIntoViewIfNeeded();
    await keepPicture(page, 'backup, desktop');

    const running: BackupsView = {
      lastAt: Date.now(),
      folder,
      isOnDataDisk: false,
      progress: { step: 'copy', done: 1, total: 4 },
      failure: null,
    };
    await page.route('**/api/backups', (route) => route.fulfill({ json: running }));
    await page.reload();
    await backup.getByText(say(en.settings.backupCopies, { n: 25 })).waitFor();
    expect(await button(backup, en.settings.backUp).isDisabled()).toBe(true);
    await backup.scrollIntoViewIfNeeded();
    await keepPicture(page, 'backup runs, desktop');
    await page.unrouteAll();
    await page.reload();

    rmSync(folder, { recursive: true });
    await button(backup, en.settings.backUp).click();
    await backup.getByText(like(en.settings.backupUnreachable)).waitFor();
    await backup.getByText(en.settings.backupRetries).waitFor();
    await backup.getByText(like(en.settings.backupLast)).waitFor();
    await assertLooksRight(page, 'backup failed, desktop');
    await keepMorePictures(page, 'backup failed', backup);
    await goTo(page, 'today');
    await page.getByText(like('The daily backup has failed since {{time}}: {{why}} Tills are not affected.')).waitFor();
    await page.getByText(say(en.today.onlyHere_other, { n: 2 })).waitFor();
    await assertLooksRight(page, 'today, backup failed, desktop');
    await keepMorePictures(page, 'today, backup failed');

    const clerk = await enterAs(gateway, CLERK, '/settings', 'phone', { locale: 'nl-NL' });
    const seen = backupOf(clerk, nl.settings.backupNow);
    await seen.getByText(like(nl.settings.backupUnreachable)).waitFor();
    expect(await seen.getByRole('button').count()).toBe(0);
    await seen.scrollIntoViewIfNeeded();
    await keepPicture(clerk, 'backup failed, clerk, phone, nl');
  });

  test('a restored gateway forwards nothing until a manager confirms it', async () => {
    const old = await openShop({ script: 'down' });
    await addUser(old.gateway, CLERK, 'clerk');
    await old.sell('S-1', 'S-2');
    const file = join(temporaryFolder(), 'backup.db');
    await backUp(old.gateway.dataDir, file);
    await old.gateway.store.outbox.performAct(LANE, { kind: 'pause' }, 'test'); // stands for the stop of the old gateway
    await old.upstream.setScript('accept');
    const restored = await openBareGateway({}, undefined, {
      prepare: async (dataDir) =>
        void (await runCommand((program) => bindRestore(program, undefined), ['restore', file, '--data', dataDir])),
    });
    onTestFinished(() => restored.close());

    const clerk = await enterAs(restored, CLERK, '/upstream', 'phone', { locale: 'de-DE' });
    await clerk.getByRole('heading', { name: like(de.upstream.paused) }).waitFor();
    await clerk.getByText(de.upstream.restoredAsk).waitFor();
    expect(await button(clerk, de.upstream.confirmRestore).count()).toBe(0);
    await keepPicture(clerk, 'restored, clerk, phone, de');

    const page = await enterAs(restored, MANAGER, '/');
    await page.getByRole('link', { name: en.today.startForwarding }).waitFor();
    await keepPicture(page, 'today, restored, desktop');
    await page.getByRole('link', { name: en.today.startForwarding }).click();
    await page.getByRole('heading', { name: like(en.upstream.paused) }).waitFor();
    await page.getByText(en.cause.restored).waitFor();
    await page.getByText(say(en.upstream.keptHere_other, { n: 2 })).waitFor();
    await page.getByText(en.upstream.restoredNext).waitFor();
    expect(await button(page, en.upstream.resume).count()).toBe(0);
    await assertLooksRight(page, 'restored, desktop');
    await keepMorePictures(page, 'restored');
    expect(old.upstream.summary().records).toBe(0);

    await button(page, en.upstream.confirmRestore).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(en.upstream.confirmRestoreMeans).waitFor();
    await assertLooksRight(page, 'confirm a restore, desktop');
    await button(dialog, en.upstream.confirmRestoreAct).click();
    await page.getByRole('heading', { name: en.upstream.allUpstream }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(old.upstream.summary().records).toBe(2);
    expect(await listActsOf(restored, MANAGER)).toEqual([expect.stringContaining('confirm restore')]);
  });
});
