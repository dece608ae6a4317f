// The headers that isolate a page of the console, in a browser and in the app's window. To prove that the rules notice a fault, the
// tests plant faults in copies of the source. Each fault must break exactly its own rule.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import express from 'express';
import { beforeAll, describe, expect, test } from 'vitest';

import { setSecurityHeaders } from '../../../server/console/security-headers.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TEXT = readFileSync(join(ROOT, 'server/console/security-headers.ts'), 'utf8');

/** The headers of two answers. */
type Answers = readonly [Headers, Headers];

const directive =
  (name: string, expected: RegExp) =>
  ([headers]: Answers): boolean => {
    const policy = headers.get('content-security-policy') ?? '';
    const found = policy.split(';').find((each) => each.startsWith(`${name} `));
    return found !== undefined && expected.test(found.slice(name.length + 1));
  };
const nonceOf = (headers: Headers): string | undefined =>
  /'nonce-([^']{24,})'/.exec(headers.get('content-security-policy') ?? '')?.[1];

const RULES: Readonly<Record<string, (answers: Answers) => boolean>> = {
  'what is not named comes from nowhere': directive('default-src', /^'none'$/),
  'scripts are the console’s own, or in this very page': directive('script-src', /^'self' 'nonce-[^']+'$/),
  'styles are the console’s own, or of this very page': directive('style-src', /^'self' 'nonce-[^']+'$/),
  'each page has a nonce of its own': ([one, other]) => nonceOf(one) !== undefined && nonceOf(one) !== nonceOf(other),
  'pictures are the console’s own': directive('img-src', /^'self' data:$/),
  'the page talks to its own gateway alone': directive('connect-src', /^'self'$/),
  'fonts are the console’s own': directive('font-src', /^'self'$/),
  'the page is in no frame': directive('frame-ancestors', /^'none'$/),
  'addresses are meant from where the page is': directive('base-uri', /^'none'$/),
  'forms go to its own gateway': directive('form-action', /^'self'$/),
  'nothing is taken for what it does not say it is': ([headers]) => headers.get('x-content-type-options') === 'nosniff',
  'an old browser frames it neither': ([headers]) => headers.get('x-frame-options') === 'DENY',
};

const FAULTS: readonly (readonly [text: string, instead: string, breaks: string])[] = [
  ['defaultSrc: NONE', 'defaultSrc: SELF', 'what is not named comes from nowhere'],
  [
    'scriptSrc: SELF_OR_NONCE',
    'scriptSrc: [...SELF_OR_NONCE, "\'unsafe-inline\'"]',
    'scripts are the console’s own, or in this very page',
  ],
  [
    'styleSrc: SELF_OR_NONCE',
    "styleSrc: [...SELF_OR_NONCE, 'https:']",
    'styles are the console’s own, or of this very page',
  ],
  ["randomBytes(18).toString('base64')", "'A'.repeat(24)", 'each page has a nonce of its own'],
  ["'data:'", "'*'", 'pictures are the console’s own'],
  ['connectSrc: SELF', "connectSrc: ['*']", 'the page talks to its own gateway alone'],
  ['fontSrc: SELF', "fontSrc: ['*']", 'fonts are the console’s own'],
  ['frameAncestors: NONE', 'frameAncestors: SELF', 'the page is in no frame'],
  ['baseUri: NONE', 'baseUri: SELF', 'addresses are meant from where the page is'],
  ['formAction: SELF', "formAction: ['*']", 'forms go to its own gateway'],
  ['strictTransportSecurity: false', 'xContentTypeOptions: false', 'nothing is taken for what it does not say it is'],
  ["action: 'deny'", "action: 'sameorigin'", 'an old browser frames it neither'],
];

async function ask(set: typeof setSecurityHeaders): Promise<Answers> {
  const app = express();
  app.use(set(), (_req, res) => void res.end());
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const get = async (): Promise<Headers> => (await fetch(`http://127.0.0.1:${port}/`)).headers;
  const answers = [await get(), await get()] as const;
  server.close();
  return answers;
}
const listBroken = (answers: Answers): string[] => Object.keys(RULES).filter((rule) => RULES[rule]?.(answers) !== true);

let answers: Answers;
beforeAll(async () => {
  answers = await ask(setSecurityHeaders);
});

test.each(Object.keys(RULES))('%s', (rule) => {
  expect(RULES[rule]?.(answers)).toBe(true);
});

describe('a planted fault breaks exactly its rules:', () => {
  test.each(FAULTS)('%s → %s', async (text, instead, rule) => {
    const parts = TEXT.split(text);
    expect(parts).toHaveLength(2);
    const folder = temporaryFolder();
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'faulty.ts'), parts.join(instead));
    const faulty = createRequire(import.meta.url)(join(folder, 'faulty.ts')) as {
      setSecurityHeaders: typeof setSecurityHeaders;
    };
    expect(listBroken(await ask(faulty.setSecurityHeaders))).toEqual([rule]);
  });
});

test('every rule is broken by at least one fault', () => {
  const broken = new Set(FAULTS.map(([, , rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});
