// The to-do list on the page Today and on its own page, in a real browser with a real gateway.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { addUser } from '../../support/console.ts';
import { assertLooksRight, enterAs, hasBrowser, LOOKS, say } from './browser.ts';
import { shareBusyShop } from './shop.ts';

describe.skipIf(!hasBrowser)('the to-do list', () => {
  const getShop = shareBusyShop();

  test('a clerk marks a task with a note; rail and list count the same, and the mark can be withdrawn', async () => {
    const { gateway } = getShop();
    await addUser(gateway, 'Ann', 'clerk');
    const page = await enterAs(gateway, 'Ann');
    const main = page.getByRole('main');
    const today = page.getByRole('navigation').getByRole('link', { name: en.app.today });
    // Three tasks: a conflict, calls without a body, and calls with an unknown key.
    await main.getByRole('heading', { name: say(en.todo.title_other, { n: 3 }) }).waitFor();
    expect(await today.textContent()).toBe(`${en.app.today}3`);
    const conflict = main.getByRole('listitem').filter({ hasText: 'changed copy of a sale' });
    await conflict.getByText(`Ann (`).waitFor();
    await assertLooksRight(page, 'to do on today, desktop');
    await conflict.getByRole('button', { name: en.todo.notAProblem }).click();
    await page.getByRole('button', { name: en.todo.notAProblemNow }).click();
    await page.getByText(en.todo.noteMissing).waitFor();
    await page.getByLabel(en.todo.note).fill('A test of the cashier');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await main.getByRole('heading', { name: say(en.todo.title_other, { n: 2 }) }).waitFor();
    await expect.poll(() => today.textContent()).toBe(`${en.app.today}2`);

    await main.getByRole('link', { name: en.todo.all }).click();
    await main.getByText('A test of the cashier').waitFor();
    await assertLooksRight(page, 'to do, desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertLooksRight(page, 'to do, dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(LOOKS.phone.viewport);
    await assertLooksRight(page, 'to do, phone');
    await main.getByRole('button', { name: en.todo.reopen }).click();
    await main.getByRole('heading', { name: say(en.todo.title_other, { n: 3 }) }).waitFor();
    await main.getByText(en.todo.returned).waitFor();
    expect((await gateway.store.setup.listActs({ limit: 2 })).map(({ actor, act }) => [actor, act.kind])).toEqual([
      ['Ann', 'reopen task'],
      ['Ann', 'mark task'],
    ]);
    await page.setViewportSize(LOOKS.desktop.viewport);
    await main.getByRole('link', { name: en.todo.compare }).click();
    await main.getByText('S-4').first().waitFor();
  });
});
