// Every language has the same texts with the same placeholders and its own plural forms. No text is unused.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { makeCatalogueType } from '../../../build/texts.ts';
import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { CAUSE_CODES, CONSOLE_ERROR_CODES, ERROR_CODES } from '../../../server/contract/codes.ts';
import { CHECK_FINDINGS } from '../../../server/contract/lanes.ts';

type Texts = Readonly<Record<string, string>>;

const isDescription = (name: string): boolean => name.startsWith('@');
const textNames = (texts: Texts): string[] => Object.keys(texts).filter((name) => !isDescription(name));

/** Flattens catalogues to texts by `namespace:name`. */
function flatten(catalogue: Readonly<Record<string, Texts>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(catalogue).flatMap(([namespace, texts]) =>
      textNames(texts).map((name): [string, string] => [`${namespace}:${name}`, texts[name] ?? '']),
    ),
  );
}

const ENGLISH = flatten(en);
const OTHERS = { nl: flatten(nl), de: flatten(de) };
const ALL = { en: ENGLISH, ...OTHERS };

const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).toSorted();

/** Texts that may be equal in this language and English: same words, or only symbols and placeholders. */
const SAME: Record<keyof typeof OTHERS, readonly string[]> = {
  nl: [
    'alerts:kind_email',
    'alerts:kind_slack',
    'alerts:kind_teams',
    'alerts:kind_telegram',
    'alerts:kind_webhook',
    'alerts:security_starttls',
    'alerts:security_tls',
    'alerts:chat',
    'app:product',
    'app:test',
    'app:testMode',
    'format:seconds',
    'format:minutes',
    'format:bytes',
    'format:kilobytes',
    'format:megabytes',
    'format:gigabytes',
    'status:ERROR',
    'record:later',
    'records:filters',
    'records:id',
    'records:status',
    'records:type',
    'refused:code',
    'tills:test',
    'day:type',
    'importing:id',
    'importing:type',
    'people:link',
    'activity:inTest',
    'app:trends',
    'trends:week',
    'settings:mebibytes',
    'welcome:test',
    'today:conflictCount_one',
    'day:conflicts_one',
    'readTokens:token',
  ],
  de: [
    'alerts:kind_slack',
    'alerts:kind_teams',
    'alerts:kind_telegram',
    'alerts:kind_webhook',
    'alerts:security_starttls',
    'alerts:security_tls',
    'alerts:chat',
    'alerts:port',
    'app:product',
    'app:trends',
    'app:test',
    'app:testMode',
    'format:seconds',
    'format:minutes',
    'format:hours',
    'format:kilobytes',
    'format:megabytes',
    'format:gigabytes',
    'records:id',
    'records:status',
    'tills:test',
    'day:name',
    'importing:id',
    'people:link',
    'people:name',
    'printedPage:name',
    'record:first',
    'record:original',
    'settings:mebibytes',
    'thisGateway:version',
    'upstream:step_name',
    'welcome:test',
    'readTokens:token',
  ],
};

describe.each(Object.entries(OTHERS))('%s', (language, texts) => {
  test('has the names that English has', () => expect([...texts.keys()]).toEqual([...ENGLISH.keys()]));

  test('has the placeholders of each text', () => {
    const placeholders = (all: ReadonlyMap<string, string>) =>
      [...all].map(([name, text]) => [name, placeholdersOf(text)]);
    expect(placeholders(texts)).toEqual(placeholders(ENGLISH));
  });

  test('has no text left in another language', () => {
    const same = [...texts].filter(
      ([name, text]) => text === ENGLISH.get(name) && /\p{L}/u.test(text.replaceAll(/\{\{\w+\}\}/g, '')),
    );
    expect(same.map(([name]) => name).toSorted()).toEqual(SAME[language as keyof typeof SAME].toSorted());
  });

  test('uses the same parts in texts with several parts', () => {
    const edges = (all: ReadonlyMap<string, string>) =>
      [...all].filter(([, text]) => text !== text.trim()).map(([name]) => name);
    expect(edges(texts)).toEqual(edges(ENGLISH));
  });
});

describe.each(Object.entries(ALL))('%s', (language, texts) => {
  test('has no empty text', () => expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]));

  test('has every plural that the language has', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const counted = new Set(
      [...texts.keys()].filter((name) => name.endsWith('_other')).map((name) => name.slice(0, -6)),
    );
    const lacking = [...counted].flatMap((name) =>
      pluralCategories.map((category) => `${name}_${category}`).filter((each) => !texts.has(each)),
    );
    expect(lacking).toEqual([]);
  });
});

test('the generated types fit en.json (otherwise: npm run texts)', () => {
  const file = readFileSync(join(import.meta.dirname, '../../../renderer/locales/catalogue.ts'), 'utf8');
  expect(file).toBe(makeCatalogueType());
});

test('only English has descriptions, each of a text that exists', () => {
  const described = (catalogue: Readonly<Record<string, Texts>>) =>
    Object.values(catalogue).flatMap((texts) => Object.keys(texts).filter(isDescription));
  expect([...described(nl), ...described(de)]).toEqual([]);
  const stray = Object.values<Texts>(en).flatMap((texts) =>
    Object.keys(texts)
      .filter(isDescription)
      .map((name) => name.slice(1))
      .filter((name) => !(name in texts) && !(`${name}_other` in texts)),
  );
  expect(stray).toEqual([]);
});

describe('codes of the gateway have texts:', () => {
  test('every cause, except a sentence of an earlier version', () => {
    const codes = CAUSE_CODES.filter((code) => code !== 'other' && code !== 'passed_over');
    const counted = ['passed_over_one', 'passed_over_other'];
    expect(textNames(en.cause).toSorted()).toEqual([...codes, ...counted].toSorted());
  });

  test('every finding of a connection test', () => {
    expect(textNames(en.check).toSorted()).toEqual(CHECK_FINDINGS.toSorted());
  });

  test('every fault in a field of the console', () => {
    const server = join(import.meta.dirname, '../../../server');
    const files = ['console/*.ts', 'alert/*.ts', 'http/validation.ts', 'store/setup/input-*.ts'];
    const pattern = /(?:params: \{ code: |parameterFault\([^,()]+, )'(\w+)'/g;
    const codes = globSync(files, { cwd: server }).flatMap((file) =>
      [...readFileSync(join(server, file), 'utf8').matchAll(pattern)].map(([, code = '']) => code),
    );
    expect(codes).toEqual(expect.arrayContaining(['time_zone', 'repeated', 'weak_password']));
    expect(codes.filter((code) => !(code in en.fault))).toEqual([]);
  });

  test('every refusal of the console, and no other', () => {
    const known = new Set([...Object.keys(ERROR_CODES), ...Object.keys(CONSOLE_ERROR_CODES), 'no_answer']);
    expect(textNames(en.problem).filter((code) => !known.has(code))).toEqual([]);
    expect(Object.keys(CONSOLE_ERROR_CODES).filter((code) => !(code in en.problem))).toEqual([]);
  });
});

describe('the source', () => {
  const folder = join(import.meta.dirname, '../../../renderer');
  const sources = globSync('**/*.{ts,tsx}', { cwd: folder })
    .filter((path) => !/^locales[/\\](?:catalogue|later)\.ts$/.test(path))
    .map((path) => readSource(join(folder, path)));
  /** Sources of the contract. Included because states and roles of the contract are keys of texts. */
  const contract = globSync('*.ts', { cwd: join(folder, '../server/contract') }).map((path) =>
    readSource(join(folder, '../server/contract', path)),
  );

  /** Sources of renderer/model. Included because they contain the names of screens, which are keys of texts. */
  const model = sources.filter(({ folder: each }) => each === join(folder, 'model'));

  function readSource(path: string) {
    const source = readFileSync(path, 'utf8');
    const forms = [...source.matchAll(/`(\w+\$\{[^`}]*\}|\$\{[^`}]*\}\w+)`/g)].map(
      ([, text = '']) => new RegExp(`^${text.replace(/\$\{[^}]*\}/, '\\w+')}$`),
    );
    const quoted = new Set([...source.matchAll(/['"](?:\w+:)?([\w ]+)['"]/g)].map(([, name = '']) => name));
    return {
      folder: dirname(path),
      isGiven: !source.includes('useTranslation('),
      /** All short texts in quotes, such as `'name'` or `'name:…'`. Some of them are namespaces of texts. */
      named: new Set([...source.matchAll(/['"`](\w+)(?=['":])/g)].map(([, name = '']) => name)),
      has: (name: string): boolean => quoted.has(name) || forms.some((form) => form.test(name)),
    };
  }

  /**
   * The files that may use texts of a namespace: they name the namespace, or get its translation function from a file that does
   * so.
   */
  function listSayers(namespace: string) {
    const naming = sources.filter(({ named }) => named.has(namespace));
    const folders = new Set(naming.map((each) => each.folder));
    // The namespace of the log of acts contains the names of settings. So files in settings/ may use this namespace too.
    if (namespace === 'activity') folders.add(join(folder, 'settings'));
    return [...naming, ...sources.filter((each) => each.isGiven && folders.has(each.folder)), ...contract, ...model];
  }

  /** Namespaces whose keys are codes of the contract. The tests above check them. */
  const BY_CODE = ['cause', 'causeRemedy', 'check', 'problem', 'fault', 'refusalFault', 'trouble'];
  const BY_REFUSAL = ['refusal', 'refusalMeans', 'refusalRemedy'];

  test.each(Object.entries<Texts>(en).filter(([namespace]) => ![...BY_CODE, ...BY_REFUSAL].includes(namespace)))(
    'uses every text: %s',
    (namespace, texts) => {
      const sayers = listSayers(namespace);
      const names = textNames(texts).map((name) => name.replace(/_(zero|one|other)$/, ''));
      expect(names.filter((name) => !sayers.some(({ has }) => has(name)))).toEqual([]);
    },
  );
});
