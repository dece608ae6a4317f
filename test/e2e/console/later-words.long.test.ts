// The texts of most screens load later than those of the page Today. On a slow network, a screen waits for its texts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import de from '../../../renderer/locales/de.json';
import { LATER_NAMESPACES } from '../../../renderer/locales/later.ts';
import { hasBrowser, openPage } from './browser.ts';
import { openShop } from './shop.ts';

const MANIFEST = join(import.meta.dirname, '../../../dist/renderer/.vite/manifest.json');

/** The file with the later German texts. */
function findTextFile(): string {
  const manifest = z
    .record(z.string(), z.object({ file: z.string() }))
    .parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const chunk = manifest['locales/de.json?later'];
  if (chunk === undefined) throw new Error('the later German texts were not built');
  return chunk.file;
}

/**
 * Names of the later texts, such as "changePassword". Only names with a capital letter inside, because no word on a screen has
 * one.
 */
const RAW_NAMES = Object.entries<Record<string, string>>(de)
  .filter(([namespace]) => LATER_NAMESPACES.includes(namespace))
  .flatMap(([, texts]) => Object.keys(texts))
  .filter((name) => /[a-z][A-Z]/.test(name));

describe.skipIf(!hasBrowser)('a screen whose texts load slowly', () => {
  test('shows "loading" and then its texts, never the name of a text', async () => {
    const { gateway } = await openShop();
    const page = await openPage('desktop', { locale: 'de-DE' });
    // Collects every text and label that appears on the page, even for a moment.
    await page.addInitScript(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seenTexts: seen });
      const note = (node: Node): void => {
        if (node instanceof Text) seen.add(node.data.trim());
        if (!(node instanceof Element)) return;
        for (const { value } of node.attributes) seen.add(value);
        for (const child of node.childNodes) note(child);
      };
      new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) note(node);
      }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    const slow = Promise.withResolvers<void>();
    await page.route(`**/${findTextFile()}`, async (route) => {
      await slow.promise;
      await route.continue();
    });

    await page.goto(gateway.createLink());
    await page.getByRole('navigation').getByRole('link', { name: de.app.settings }).click();
    await page.getByRole('heading', { level: 1, name: de.app.settings }).waitFor();
    await page.getByRole('status').filter({ hasText: de.app.loading }).waitFor();

    slow.resolve();
    await page.getByText(de.settings.timeZone, { exact: true }).first().waitFor();
    const seen = await page.evaluate(() => [...(globalThis as unknown as { seenTexts: Set<string> }).seenTexts]);
    expect(seen).toContain(de.settings.timeZone);
    expect(seen.filter((text) => RAW_NAMES.includes(text))).toEqual([]);
  });
});
