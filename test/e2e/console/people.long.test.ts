// How users manage their own sessions and their own password in the console.

import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { addUser, PASSWORD, signIn as beginSession } from '../../support/console.ts';
import { call } from '../../support/http-call.ts';
import { cardOf, changeNetwork } from '../../support/network.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import {
  assertLooksRight,
  button,
  enter,
  enterAs,
  goTo,
  hasBrowser,
  like,
  LOOKS,
  openPage,
  say,
  signIn,
} from './browser.ts';
import { listActsOf, MANAGER, openShop } from './shop.ts';

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

  test('a manager makes a token for a program, sees it once, and removes it', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/settings');
    const programs = page.getByRole('group', { name: en.settings.readTokens });
    await button(programs, en.readTokens.add).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.readTokens.name).fill('Reports');
    await button(dialog, en.readTokens.addDo).click();
    const shown = programs.getByRole('status');
    const token = /read_[\w-]+/.exec(await shown.innerText())?.[0] ?? '';
    await assertLooksRight(page, 'read-tokens');
    await page.setViewportSize(LOOKS.phone.viewport);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shown.scrollIntoViewIfNeeded();
    await assertLooksRight(page, 'read-tokens, phone, dark');
    const read = () => call(`${gateway.consoleUrl}/api/journals`, { headers: { authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);
    await button(shown, en.app.close).click();
    await button(programs, `Reports: ${en.readTokens.remove}`).click();
    await button(page.getByRole('dialog'), en.readTokens.remove).click();
    await expect.poll(() => programs.getByRole('listitem').count()).toBe(0);
    expect((await read()).status).toBe(401);
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
    await dialog.locator('input:focus').waitFor();
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
    expect(await hers.getByRole('textbox', { name: en.people.name, exact: true }).inputValue()).toBe(ANN);
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
    await late.getByRole('heading', { name: en.people.linkGone }).waitFor();
    await late.getByText(en.problem.password_link_used).waitFor();
    await assertLooksRight(late, 'used password link');
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
    await dialog.getByText(`${say(en.people.mustStay, { name: MANAGER })} ${en.problem.last_manager}`).waitFor();
    await button(dialog, en.app.cancel).click();
    await act(ANN, en.people.makeManager);
    await button(users, `${ANN}: ${en.people.makeClerk}`).waitFor();
    await anns.getByText(en.signIn.ended_role).waitFor();
    await signIn(anns, ANN);
    await anns.getByRole('navigation').getByTitle(`${ANN}, ${en.people.manager}`).waitFor();
    await act(ANN, en.people.reset);
    await users.getByText(/#password=/).waitFor();
    await anns.getByText(en.signIn.ended_password).waitFor();
    await assertLooksRight(anns, 'signed out, password reset');
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

  test('a session by a link has the same name everywhere, and no password to change', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    const { noName } = en.people;
    await page.getByRole('navigation').getByTitle(`${noName}, ${en.people.manager}`).waitFor();
    await assertLooksRight(page, 'signed in by link');
    await goTo(page, 'settings');
    await page.getByRole('group', { name: en.settings.sessions }).getByText(noName).waitFor();
    expect(await page.getByRole('group', { name: en.settings.ownPassword }).count()).toBe(0);
    await goTo(page, 'activity');
    await page.getByText(like(en.activity.signInLink, { who: noName })).waitFor();
  });
});

describe.skipIf(!hasBrowser)('a user who cannot sign in', () => {
  test.each([
    ['en', en, 'desktop'],
    ['nl', nl, 'phone'],
    ['de', de, 'phone, dark'],
  ] as const)('finds the form first and help behind it, in %s', async (locale, { signIn: words }, look) => {
    const { gateway } = await openShop();
    const page = await openPage(look, { locale });
    await page.goto(gateway.consoleUrl);
    await page.getByRole('textbox', { name: words.name, exact: true }).waitFor();
    expect(await page.getByText('counterfoil console').count()).toBe(0);
    await button(page, words.help).click();
    await page.getByText(words.helpUser).waitFor();
    await page.getByText(words.helpManager).waitFor();
    await page.getByText(words.helpAfter).waitFor();
    await page.getByText('counterfoil console').waitFor();
    await assertLooksRight(page, `sign in, help, ${locale}`);
  });

  test('without users, the page says how to get a link', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    await page.getByText(en.signIn.noUsers).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await assertLooksRight(page, 'sign in, no users');
  });

  test('gets from a used link to the sign-in page, which says why', async () => {
    const { gateway } = await openShop();
    const link = gateway.createLink();
    await call(link);
    const page = await openPage();
    await page.goto(link);
    await page.getByText(en.signIn.linkUsed).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await assertLooksRight(page, 'sign in, used link');
    await signIn(page, MANAGER);
    await page.getByRole('navigation').waitFor();
  });

  test('the only manager signs in by a link, resets the own password and chooses a new one', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    await goTo(page, 'settings');
    const users = page.getByRole('group', { name: en.settings.users });
    await button(users, `${MANAGER}: ${en.people.reset}`).click();
    await button(page.getByRole('dialog'), en.people.reset).click();
    await page.goto(await users.getByText(/#password=/).innerText());
    await page.getByRole('textbox', { name: en.people.newPassword }).fill(NEW_PASSWORD);
    await button(page, en.people.chooseDo).click();
    await page.getByRole('navigation').getByTitle(`${MANAGER}, ${en.people.manager}`).waitFor();
    // A reset of the manager's own password would sign the manager out before the link appears.
    await goTo(page, 'settings');
    await button(users, `${MANAGER}: ${en.people.remove}`).waitFor();
    expect(await button(users, `${MANAGER}: ${en.people.reset}`).count()).toBe(0);
  });

  test.runIf(process.platform === 'linux')(
    'chooses a new password on another machine, with a link from a manager',
    async () => {
      const gateway = await openTestGateway({}, undefined, { readInterfaces: () => ({ lan: cardOf('127.0.0.2') }) });
      onTestFinished(() => gateway.close());
      await addUser(gateway, MANAGER, 'manager');
      await addUser(gateway, ANN, 'clerk');
      const view = await changeNetwork(gateway, { isOpen: true, isConsoleOpen: true });
      const manager = await enterAs({ consoleUrl: gateway.localConsoleUrl }, MANAGER, '/settings');
      const hers = await openPage('phone');
      await hers.goto(view.consoleAddresses[0] ?? '');
      await signIn(hers, ANN, 'a forgotten password');
      await hers.getByText(en.problem.sign_in_failed).waitFor();
      await button(hers, en.signIn.help).click();
      await hers.getByText(en.signIn.helpUser).waitFor();
      // on another machine, the command is shown without the data directory
      await hers.getByText('counterfoil console', { exact: true }).waitFor();
      await assertLooksRight(hers, 'sign in, another machine, phone');
      const users = manager.getByRole('group', { name: en.settings.users });
      await button(users, `${ANN}: ${en.people.reset}`).click();
      await button(manager.getByRole('dialog'), en.people.reset).click();
      const link = await users.getByText(/#password=/).innerText();
      expect(link).toContain(view.consoleAddresses[0]);
      await hers.goto(link);
      await hers.getByRole('textbox', { name: en.people.newPassword }).fill(NEW_PASSWORD);
      await button(hers, en.people.chooseDo).click();
      await hers.getByRole('navigation').waitFor();
      await hers.reload();
      await hers.getByRole('navigation').waitFor();
      expect(await beginSession({ consoleUrl: gateway.localConsoleUrl }, ANN)).toMatchObject({ pass: undefined });
    },
  );

  test('learns that all sessions were ended, in the other browser', async () => {
    const { gateway } = await openShop();
    const [page, other] = [await enterAs(gateway, MANAGER, '/settings'), await enterAs(gateway, MANAGER)];
    await button(page, en.settings.signOutEverywhere).click();
    await other.getByText(en.signIn.ended_everywhere).waitFor();
    await other.reload();
    await other.getByText(en.signIn.ended_everywhere).waitFor();
    expect(await other.getByRole('navigation').count()).toBe(0);
  });
});
