// Checks the documents: their links resolve, the README is short, and examples use different ids and the current time.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const MAX_README_LINES = 120;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');
const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })].toSorted();

/** Returns a document without its code blocks, where a line may look like a heading or a link. */
function proseOf(file: string): string {
  return read(file).replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The anchors that GitHub makes of a document's headings. */
function anchorsOf(file: string): readonly string[] {
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The targets of a document's links and pictures, except web addresses. */
function linksOf(file: string): readonly string[] {
  const links = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(
    ([, link, image]) => link ?? image,
  );
  return links.filter((link) => link !== undefined && !/^[a-z]+:/.test(link)) as string[];
}

function faultOf(file: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path));
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
  if (anchor !== undefined && !anchorsOf(target).includes(anchor)) return `${link}: ${target} has no such heading`;
  return undefined;
}

test.each(documents)('every link of %s leads to a file and a heading', (file) => {
  expect(linksOf(file).flatMap((link) => faultOf(file, link) ?? [])).toEqual([]);
});

test('every page and section of docs that a comment cites exists', () => {
  const sources = globSync('{server,renderer,electron,build,test}/**/*.{ts,tsx,mjs}', { cwd: ROOT });
  const cited = sources.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w./])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([link]) => link),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect([...new Set(cited)].flatMap((link) => faultOf('README.md', link) ?? [])).toEqual([]);
});

test('a link to a missing file or heading is found', () => {
  expect(faultOf('docs/console.md', '../README.md#start')).toBeUndefined();
  expect(faultOf('docs/console.md', '../README.md#begin')).toMatch(/no such heading/);
  expect(faultOf('docs/console.md', 'README.md')).toMatch(/there is no/);
});

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(MAX_README_LINES);
});

test('the README links to every page of docs but the pictures', () => {
  const links = linksOf('README.md').map((link) => link.split('#')[0]);
  expect(links).toEqual(expect.arrayContaining(documents.filter((file) => /^docs\/(reference\/)?[^/]+$/.test(file))));
});

test('the README names the command that runs the tests', () => {
  expect(readme).toMatch(/^npm ci && npm test\b/m);
});

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = documents.flatMap((file) => [...read(file).matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)]);
  expect(named.length).toBeGreaterThan(20);
  expect([...new Set(named.map(([, name = '']) => name))].filter((name) => !(name in scripts))).toEqual([]);
});

test('the index of decisions has one line for each numbered decision, with its title', () => {
  const files = globSync('[0-9]*.md', { cwd: join(ROOT, 'docs/decisions') }).toSorted();
  const lines = files.map((file) => {
    const [title = ''] = read(`docs/decisions/${file}`).split('\n');
    return `- [${file.slice(0, 4)}](${file}) ${title.slice('# '.length)}`;
  });
  expect(
    read('docs/decisions/README.md')
      .match(/^- .*$/gm)
      ?.toSorted(),
  ).toEqual(lines);
  expect(new Set(files.map((file) => file.slice(0, 4))).size).toBe(files.length);
});

test('every path that docs/how-to-change.md names exists', () => {
  const paths = [...read('docs/how-to-change.md').matchAll(/`((?:server|renderer|test|build)\/[^`<…]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** The examples that readers run, each with its document. */
const examples = documents.flatMap((file) =>
  [...read(file).matchAll(/^```(?:sh|python|js|php|csharp)\b[\s\S]*?^```$/gm)].map(([text]) => ({ file, text })),
);

test('no two documents send the same id', () => {
  const users = new Map<string, Set<string>>();
  for (const { file, text } of examples)
    for (const [, id = ''] of text.matchAll(/(?:external_id|transactionid)["' :=>]+([\w-]+)/g))
      users.set(id, (users.get(id) ?? new Set()).add(file));
  expect(users.size).toBeGreaterThan(5);
  expect([...users].filter(([, files]) => files.size > 1).map(([id]) => id)).toEqual([]);
});

test('every example sells at the present time, because a fixed time looks like a wrong clock', () => {
  expect(examples.filter(({ text }) => /timestamp["' :=>]+\d/.test(text)).map(({ file }) => file)).toEqual([]);
});
