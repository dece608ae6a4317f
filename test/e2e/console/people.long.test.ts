// How users manage their own sessions and their own password in the console.

import { afterAll, describe, expect, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { addUser, PASSWORD, signIn as beginSession } from '../../support/console.ts';
import {
  assertLooksRight,
  button,
  closeBrowser,
  enter,
  enterAs,
  goTo,
  hasBrowser,
  like,
  openPage,
  say,
  signIn,
} from './browser.ts';
import { listActsOf, MANAGER, openShop } from './shop.ts';

afterAll(closeBrowser);

const ANN = 'Ann';

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

  test('a manager adds a user by keyboard, who chooses a password with the link', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/settings');
    const users = page.getByRole('group', { name: en.settings.users });
    await button(users, en.people.add).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.people.name).waitFor();
    await page.keyboard.type('Ann');
    await assertLooksRight(page, 'new user');
    await page.keyboard.press('Enter');
    await users.getByText(say(en.people.linkTitle, { name: ANN })).waitFor();
    await users.scrollIntoViewIfNeeded();
    await assertLooksRight(page, 'users, with a link');
    const link = await users.getByText(/#password=/).innerText();

    const hers = await openPage('phone');
    await hers.goto(link);
    await hers.getByRole('heading', { name: en.people.chooseTitle }).waitFor();
    const field = hers.getByRole('textbox', { name: en.people.newPassword });
    await field.fill('short');
    await button(hers, en.people.chooseDo).click();
    await hers.getByText(en.fault.weak_password).waitFor();
    await assertLooksRight(hers, 'choose a password, phone');
    await field.fill(NEW_PASSWORD);
    await field.press('Enter');
    await hers.getByRole('navigation').waitFor();
    await button(hers.getByRole('navigation'), en.app.more).click();
    await hers.getByRole('menu').getByText(ANN).waitFor();
    await hers.getByRole('menu').getByText(en.people.clerk, { exact: true }).waitFor();
    await assertLooksRight(hers, 'who is signed in, phone');

    const late = await openPage();
    await late.goto(link);
    await late.getByRole('textbox', { name: en.people.newPassword }).fill(NEW_PASSWORD);
    await button(late, en.people.chooseDo).click();
    await late.getByText(en.problem.password_link_used).waitFor();
    await late.getByRole('link', { name: en.people.toSignIn }).click();
    await signIn(late, ANN, NEW_PASSWORD);
    await late.getByRole('navigation').waitFor();
  });

  test('a manager changes a role, resets a password and removes a user, who is signed out each time', async () => {
    const { gateway } = await openShop();
    await addUser(gateway, ANN, 'clerk');
    const [page, anns] = [await enterAs(gateway, MANAGER, '/settings'), await enterAs(gateway, ANN)];
    await anns.getByRole('navigation').getByTitle(`${ANN}, ${en.people.clerk}`).waitFor();
    const users = page.getByRole('group', { name: en.settings.users });
    const dialog = page.getByRole('dialog');
    const act = async (name: string, word: string): Promise<void> => {
      await button(users, `${name}: ${word}`).click();
      await assertLooksRight(page, `users, ${word}`);
      await button(dialog, word).click();
    };
    await act(MANAGER, en.people.remove);
    await dialog.getByText(en.problem.last_manager).waitFor();
    await button(dialog, en.app.cancel).click();
    await act(ANN, en.people.makeManager);
    await button(users, `${ANN}: ${en.people.makeClerk}`).waitFor();
    await anns.getByText(en.signIn.ended).waitFor();
    await signIn(anns, ANN);
    await anns.getByRole('navigation').getByTitle(`${ANN}, ${en.people.manager}`).waitFor();
    await act(ANN, en.people.reset);
    await users.getByText(/#password=/).waitFor();
    await anns.getByText(en.signIn.ended).waitFor();
    await signIn(anns, ANN);
    await anns.getByText(en.problem.sign_in_failed).waitFor();
    await act(ANN, en.people.remove);
    await button(users, `${ANN}: ${en.people.remove}`).waitFor({ state: 'detached' });
    expect(await listActsOf(gateway, MANAGER)).toEqual([
      'change role Ann: clerk → manager',
      'reset password Ann',
      'remove user Ann',
    ]);
    await goTo(page, 'activity');
    await page.getByText(say(en.activity.makeManager, { who: en.activity.you, name: ANN })).waitFor();
  });

  test('everybody sees the version, where the data are, and how much space is left', async () => {
    const { gateway } = await openShop();
    for (const look of ['desktop', 'phone, dark'] as const) {
      const page = await enterAs(gateway, MANAGER, '/settings', look);
      const section = page.getByRole('region', { name: en.thisGateway.section });
      await section.getByText(gateway.dataDir).waitFor();
      await section.getByText(like(en.thisGateway.diskFree)).waitFor();
      await section.getByText(en.thisGateway.updateElsewhere).waitFor();
      await section.scrollIntoViewIfNeeded();
      await assertLooksRight(page, `settings, this gateway, ${look}`);
      await page.getByRole('group', { name: en.settings.users }).scrollIntoViewIfNeeded();
      await assertLooksRight(page, `settings, people, ${look}`);
    }
  });

  test.each([
    ['nl', nl],
    ['de', de],
  ] as const)('people look right in %s', async (language, words) => {
    const { gateway } = await openShop();
    await addUser(gateway, ANN, 'clerk');
    const page = await enterAs(gateway, MANAGER, '/settings', 'phone', { locale: language });
    const users = page.getByRole('group', { name: words.settings.users });
    await users.scrollIntoViewIfNeeded();
    await assertLooksRight(page, `settings, people, ${language}`);
    await button(users, `${ANN}: ${words.people.reset}`).click();
    await assertLooksRight(page, `reset password, ${language}`);
  });

  test('a session by a link has no password to change', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    await goTo(page, 'settings');
    await page.getByRole('group', { name: en.settings.sessions }).waitFor();
    expect(await page.getByRole('group', { name: en.settings.ownPassword }).count()).toBe(0);
  });
});
