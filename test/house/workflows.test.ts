// Rules for the GitHub workflows: permissions, pinned versions, and the jobs that a release waits for. Each planted fault
// breaks exactly its rule. The tests run the steps of a release with a stand-in for the command `gh`.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.github/workflows');
const load = createRequire(join(ROOT, 'node_modules/app-builder-lib/package.json'));
const { load: parseYaml } = load('js-yaml') as { load: (text: string) => unknown };

type Rights = Readonly<Record<string, string>> | undefined;
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly permissions?: Rights;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly env?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Rights;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
/** The texts of all workflows, by name. */
type Texts = Readonly<Record<string, string>>;
const TEXTS: Texts = Object.fromEntries(
  globSync('*.yml', { cwd: FOLDER }).map((path) => [basename(path, '.yml'), readFileSync(join(FOLDER, path), 'utf8')]),
);

const read = (texts: Texts, name: string): Workflow => parseYaml(texts[name] ?? '') as Workflow;
const listWorkflows = (texts: Texts): Workflow[] => Object.keys(texts).map((name) => read(texts, name));
const listJobs = (texts: Texts): Job[] => listWorkflows(texts).flatMap(({ jobs }) => Object.values(jobs));
const listSteps = (texts: Texts): Step[] => listJobs(texts).flatMap(({ steps }) => steps ?? []);
const listUses = (texts: Texts): string[] =>
  Object.values(texts).flatMap((text) => [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, use = '']) => use));

const canWrite = (rights: Rights): boolean =>
  Object.values(rights ?? {}).some((right) => right !== 'read' && right !== 'none');
/** Whether a step runs code of the project or of its dependencies. */
const hasOurCode = ({ steps = [] }: Job): boolean =>
  steps.some(
    ({ run = '', uses = '' }) => /\b(npm|npx|node)\b|\.ci\/|build\//.test(run) || /checkout|setup-node/.test(uses),
  );
const listNeeds = ({ needs = [] }: Job): readonly string[] => (typeof needs === 'string' ? [needs] : needs);
const isPackaging = ({ steps = [] }: Job): boolean => steps.some(({ run }) => run === 'npm run package');
const isStarted = ({ steps = [] }: Job): boolean => {
  const at = (part: string): number => steps.findIndex(({ run, uses }) => `${run ?? ''}${uses ?? ''}`.includes(part));
  const upload = at('upload-artifact');
  return (
    at('test/package/start.test.ts') > at('npm run package') &&
    (upload === -1 || upload > at('test/package/start.test.ts'))
  );
};
const SYSTEMS = ['ubuntu-24.04', 'ubuntu-24.04-arm', 'windows-2025', 'windows-11-arm', 'macos-15'];

const RULES: Readonly<Record<string, (texts: Texts) => boolean>> = {
  'an action is pinned to a commit, with its version beside it': (texts) =>
    listUses(texts).every((use) => use.startsWith('./') || /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use)),
  'an action has one version in all workflows': (texts) => {
    const pinned = new Set(listUses(texts));
    return new Set([...pinned].map((use) => use.split('@')[0])).size === pinned.size;
  },
  'a workflow has only read permissions': (texts) =>
    listWorkflows(texts).every(({ permissions }) => permissions !== undefined && !canWrite(permissions)),
  'a job that runs npm or our code has no write permission': (texts) =>
    listJobs(texts).every((job) => !canWrite(job.permissions) || !hasOurCode(job)),
  'a checkout leaves no credentials behind': (texts) =>
    listSteps(texts).every(
      ({ uses, with: given }) => !uses?.includes('/checkout@') || given?.['persist-credentials'] === false,
    ),
  'only the step that packages a release gets secrets': (texts) =>
    Object.entries(texts).every(([name, text]) => {
      const { env, jobs } = read(texts, name);
      const places = [env, ...Object.values(jobs).flatMap((job) => [job.env, ...(job.steps ?? [])])];
      const holders = places.filter((place) => JSON.stringify(place ?? {}).includes('secrets.'));
      return (
        holders.length === (text.includes('secrets.') ? 1 : 0) &&
        holders.every((place) => place?.['run'] === 'npm run package')
      );
    }),
  'a release waits for all tests, its version and its installers': (texts) => {
    const { jobs } = read(texts, 'release');
    const writers = Object.values(jobs).filter(({ permissions }) => canWrite(permissions));
    const runsTests =
      jobs['check']?.uses === './.github/workflows/check.yml' && 'workflow_call' in read(texts, 'check').on;
    const all = ['check', 'notes', 'installers'];
    return (
      runsTests && writers.length === 1 && writers.every((job) => all.every((name) => listNeeds(job).includes(name)))
    );
  },
  'the tag of a release must match its version': (texts) =>
    (read(texts, 'release').jobs['notes']?.steps ?? []).some(({ run }) =>
      run?.startsWith('node build/release-notes.mjs "$GITHUB_REF_NAME"'),
    ),
  'a package is started before it is uploaded': (texts) => {
    const made = listJobs(texts).filter(isPackaging);
    return made.length === 2 && made.every(isStarted);
  },
  'packages are made on every system and processor': (texts) =>
    listJobs(texts)
      .filter(isPackaging)
      .every(({ strategy }) => JSON.stringify(strategy?.matrix.os) === JSON.stringify(SYSTEMS)),
  'the SBOM comes from the lock file and contains the bundled packages': (texts) => {
    const commands = listSteps(texts).flatMap(({ run }) => (run?.includes('npm sbom') === true ? [run] : []));
    return (
      commands.length === 1 && commands.every((run) => run.includes('--package-lock-only') && !run.includes('--omit'))
    );
  },
  'the files of a release are attested': (texts) =>
    (read(texts, 'release').jobs['publish']?.steps ?? []).some(
      ({ uses, with: given }) =>
        uses?.startsWith('actions/attest-build-provenance@') === true && given?.['subject-path'] === 'files/*',
    ),
};

/** A planted fault: the workflow, a text in it, its replacement, and the rule that it breaks. */
const FAULTS: readonly (readonly [workflow: string, text: string, instead: string, breaks: string])[] = [
  [
    'release',
    /attest-build-provenance@.*/.exec(TEXTS['release'] ?? '')?.[0] ?? '',
    'attest-build-provenance@v3',
    'an action is pinned to a commit, with its version beside it',
  ],
  ['release', '4f8 # v3.1.0', '4f8', 'an action is pinned to a commit, with its version beside it'],
  [
    'check',
    'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2\n        with:\n          name: sbom',
    'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa03 # v4.6.3\n        with:\n          name: sbom',
    'an action has one version in all workflows',
  ],
  [
    'release',
    'permissions:\n  contents: read\nconcurrency',
    'permissions:\n  contents: write\nconcurrency',
    'a workflow has only read permissions',
  ],
  ['check', 'permissions:\n  contents: read\nconcurrency', 'concurrency', 'a workflow has only read permissions'],
  [
    'check',
    '    name: dependencies\n',
    '    name: dependencies\n    permissions: { packages: write }\n',
    'a job that runs npm or our code has no write permission',
  ],
  ['release', 'sha256sum -- *', 'npx sum && sha256sum -- *', 'a job that runs npm or our code has no write permission'],
  [
    'release',
    '          persist-credentials: false\n      - uses: actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0\n        with:\n          node-version: 24\n      - run: npm ci',
    '          fetch-depth: 1\n      - uses: actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0\n        with:\n          node-version: 24\n      - run: npm ci',
    'a checkout leaves no credentials behind',
  ],
  [
    'release',
    '      - run: npm ci\n',
    '      - run: npm ci\n        env: { APPLE_ID: "${{ secrets.APPLE_ID }}" }\n',
    'only the step that packages a release gets secrets',
  ],
  [
    'release',
    'needs: [check, notes, installers]',
    'needs: [notes, installers]',
    'a release waits for all tests, its version and its installers',
  ],
  ['check', '  workflow_call:\n', '', 'a release waits for all tests, its version and its installers'],
  [
    'release',
    'node build/release-notes.mjs "$GITHUB_REF_NAME" > notes.md',
    'cat CHANGELOG.md > notes.md',
    'the tag of a release must match its version',
  ],
  ['release', 'test/package/start.test.ts', '', 'a package is started before it is uploaded'],
  ['check', 'test/package/start.test.ts', '', 'a package is started before it is uploaded'],
  ['release', 'windows-11-arm, ', '', 'packages are made on every system and processor'],
  [
    'check',
    'npm sbom --package-lock-only',
    'npm sbom',
    'the SBOM comes from the lock file and contains the bundled packages',
  ],
  [
    'check',
    'npm sbom --package-lock-only',
    'npm sbom --package-lock-only --omit dev',
    'the SBOM comes from the lock file and contains the bundled packages',
  ],
  ['release', 'subject-path: files/*', 'subject-path: files/*.deb', 'the files of a release are attested'],
];

test.each(Object.keys(RULES))('%s', (rule) => {
  expect(RULES[rule]?.(TEXTS)).toBe(true);
});

describe('a planted fault breaks exactly its rules:', () => {
  test.each(FAULTS)('in %s: %j → %j', (name, text, instead, rule) => {
    const parts = (TEXTS[name] ?? '').split(text);
    expect(parts).toHaveLength(2);
    const texts = { ...TEXTS, [name]: parts.join(instead) };
    expect(Object.keys(RULES).filter((each) => RULES[each]?.(texts) !== true)).toEqual([rule]);
  });
});

test('every rule is broken by some fault', () => {
  const broken = new Set(FAULTS.map(([, , , rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});

describe.skipIf(process.platform !== 'linux')('the draft of a release', () => {
  const steps = read(TEXTS, 'release').jobs['publish']?.steps ?? [];
  const find = (part: string): string => steps.find(({ run }) => run?.includes(part) === true)?.run ?? '';

  /** A stand-in for the command `gh`. It prints the given text for `view` and records its calls. */
  function release(view: string, viewStatus: number): { status: number | null; calls: string[]; said: string } {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'files'));
    for (const name of ['a.deb', 'SHA256SUMS']) writeFileSync(join(folder, 'files', name), '');
    const calls = join(folder, 'calls');
    const gh = `#!/bin/sh\necho "$*" >> '${calls}'\ncase "$*" in *view*) echo '${view}' >&${viewStatus === 0 ? 1 : 2}; exit ${viewStatus};; esac\n`;
    writeFileSync(join(folder, 'gh'), gh, { mode: 0o755 });
    const env = { PATH: `${folder}:/usr/bin:/bin`, TAG: 'v1.2.3', PRERELEASE: '' };
    const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', find('gh release create')], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    const asked = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
    return { status, calls: asked.map((call) => call.split(' ').slice(0, 2).join(' ')), said: stderr };
  }

  test('is created at the first run, and gets the files', () => {
    expect(release('release not found', 1)).toMatchObject({
      status: 0,
      calls: ['release view', 'release create', 'release upload'],
    });
  });

  test('gets the files again if it already exists', () => {
    expect(release('true', 0)).toMatchObject({ status: 0, calls: ['release view', 'release upload'] });
  });

  test('is not changed once it is published', () => {
    const { status, calls, said } = release('false', 0);
    expect([status, calls]).toEqual([1, ['release view']]);
    expect(said).toContain('v1.2.3 is published already');
  });

  test('is not made a second time if GitHub does not answer', () => {
    expect(release('error connecting to api.github.com', 1)).toMatchObject({ status: 1, calls: ['release view'] });
  });

  test('has the checksums of all its files', () => {
    const folder = temporaryFolder();
    const files = join(folder, 'files');
    mkdirSync(files);
    for (const name of ['a.deb', 'latest.yml']) writeFileSync(join(files, name), name);
    spawnSync('bash', ['-e', '-c', find('sha256sum')], { cwd: files });
    expect(readFileSync(join(files, 'SHA256SUMS'), 'utf8').match(/ {2}\S+$/gm)).toEqual(['  a.deb', '  latest.yml']);
    expect(spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: files }).status).toBe(0);
  });
});
