// How users manage their own sessions and their own password in the console.

import { afterAll, describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { PASSWORD, signIn as beginSession } from '../../support/console.ts';
import { assertLooksRight, button, closeBrowser, enter, enterAs, goTo, hasBrowser, signIn } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

afterAll(closeBrowser);

const NEW_PASSWORD = 'another horse battery';

describe.skipIf(!hasBrowser)('in the settings', () => {
  test('a user sees the own sessions and signs out everywhere', async () => {
    const { gateway } = await openShop();
    const elsewhere = await beginSession(gateway, MANAGER);
    const page = await enterAs(gateway, MANAGER, '/settings');
    const sessions = page.getByRole('group', { name: en.settings.sessions });
    await expect.poll(() => sessions.getByText(MANAGER, { exact: false }).count()).toBeGreaterThan(1);
    await sessions.getByText(en.settings.thisSession, { exact: false }).waitFor();
    await sessions.scrollIntoViewIfNeeded();
    await assertLooksRight(page, 'sessions');
    await button(sessions, en.settings.signOutEverywhere).click();
    await button(page, en.signIn.signIn).waitFor();
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    await signIn(page, MANAGER);
    await page.getByRole('navigation').waitFor();
    await goTo(page, 'activity');
    await page.getByText(en.activity.signOutEverywhere.replace('{{who}}', en.activity.you)).waitFor();
  });

  test('a user changes the password, and the console names its faults', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/settings');
    const own = page.getByRole('group', { name: en.settings.ownPassword });
    const change = async (current: string, password: string): Promise<void> => {
      await own.getByLabel(en.settings.currentPassword).fill(current);
      await own.getByLabel(en.settings.newPassword).fill(password);
      await button(own, en.settings.changePassword).click();
    };
    await change('wrong password', NEW_PASSWORD);
    await own.getByText(en.fault.wrong_password).waitFor();
    await change(PASSWORD, 'short');
    await own.getByText(en.fault.weak_password).waitFor();
    await assertLooksRight(page, 'own password');
    await change(PASSWORD, NEW_PASSWORD);
    await own.getByText(en.settings.passwordChanged).waitFor();
    await button(page.getByRole('navigation'), en.app.signOut).click();
    await button(page, en.signIn.signIn).waitFor();
    await signIn(page, MANAGER, NEW_PASSWORD);
    await page.getByRole('navigation').waitFor();
  });

  test('a session by a link has no password to change', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    await goTo(page, 'settings');
    await page.getByRole('group', { name: en.settings.sessions }).waitFor();
    expect(await page.getByRole('group', { name: en.settings.ownPassword }).count()).toBe(0);
  });
});
