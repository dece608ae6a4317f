// The archive in Settings: what is archived, a file that is missing, and the page of a record whose content is in that file.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import type { ArchiveSummary } from '../../../server/contract/archive.ts';
import { assertLooksRight, enterAs, hasBrowser, keepPicture, like, LOOKS } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

const FULL: ArchiveSummary = {
  months: 24,
  folder: '/var/lib/counterfoil/archive',
  files: 14,
  days: 402,
  records: 184_000,
  bodyBytes: 28_700_000,
  fileBytes: 3_500_000,
  fault: null,
  endedAt: Date.UTC(2026, 10, 4),
  failure: null,
};
const MISSING: ArchiveSummary = {
  ...FULL,
  fault: {
    fault: 'missing',
    file: '2025-10-0a1b2c3d.archive',
    files: 2,
    records: 26_000,
    since: Date.UTC(2026, 10, 4),
  },
};

describe.skipIf(!hasBrowser)('the archive', () => {
  test('Settings says that it is off, what it has, and which files are missing', async () => {
    const { gateway, sell } = await openShop({ script: 'down' });
    await sell('S-1');
    const page = await enterAs(gateway, MANAGER, '/settings');
    const archive = page.getByRole('group', { name: en.settings.archive, exact: true });
    await archive.getByText(en.settings.archiveOff, { exact: true }).waitFor();
    await archive.getByText(en.settings.archiveNoSetting).waitFor();

    await page.route('**/api/archive', (route) => route.fulfill({ json: MISSING }));
    await page.reload();
    await archive.getByText(like(en.settings.archiveHas_other)).waitFor();
    await archive.getByText(like(en.settings.archiveMissing_other)).waitFor();
    await archive.scrollIntoViewIfNeeded();
    await keepPicture(page, 'archive, desktop');
    await assertLooksRight(page, 'archive, looks');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await page.setViewportSize(LOOKS.phone.viewport);
    await archive.scrollIntoViewIfNeeded();
    await keepPicture(page, 'archive, phone, dark');

    const failure = { fault: 'full', detail: '', since: Date.UTC(2026, 10, 4) } as const;
    await page.route('**/api/archive', (route) => route.fulfill({ json: { ...FULL, failure } }));
    await page.reload();
    await archive.getByText(like(en.settings.archiveLacksSpace)).waitFor();
    await archive.scrollIntoViewIfNeeded();
    await keepPicture(page, 'archive, lacks space');
  });

  test('the page of a record says that its content cannot be read now, and shows no empty content', async () => {
    const { gateway, sell } = await openShop({ script: 'down' });
    await sell('S-1');
    const page = await enterAs(gateway, MANAGER, '/records');
    await page.route('**/api/records/1', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...((await response.json()) as object), body: '', isUnreadable: true } });
    });
    await page.getByText('S-1').first().click();
    await page.getByText(en.record.archiveUnreadable).waitFor();
    expect(await page.getByText(en.record.damaged).count()).toBe(0);
    expect(await page.getByText(like(en.record.beforeAnswer)).count()).toBe(0);
    await keepPicture(page, 'archive, record');
  });
});
