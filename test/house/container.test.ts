// Rules for the Dockerfile and compose.yaml. Their steps name existing files, and the gateway runs without rights that it does
// not need. The health check runs here against a gateway; the image itself is not built.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { exitOf } from '../support/gateway-process.ts';
import { openBareGateway } from '../support/open-gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const load = createRequire(join(ROOT, 'node_modules/app-builder-lib/package.json'));
const { load: parseYaml } = load('js-yaml') as { load: (text: string) => unknown };

/** The instructions, each with its arguments as one text. */
const instructions = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return { name, rest };
  });
const listOf = (name: string): string[] => instructions.filter((each) => each.name === name).map(({ rest }) => rest);

test('the Dockerfile copies files that exist, or that its build makes', () => {
  const sources = listOf('COPY').map((rest) => rest.replace(/^(--\S+ )*/, '').split(' ')[0] ?? '');
  expect(sources.length).toBeGreaterThan(4);
  const made = ['dist/node', 'dist/renderer'];
  for (const source of sources.map((each) => each.replace(/^\/src\//, '')))
    if (made.includes(source)) expect(read('build/run.mjs')).toContain(`out: '${source}'`);
    else expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
});

test('the Dockerfile runs scripts that exist, on the Node of the project', () => {
  const scripts = listOf('RUN').flatMap((rest) => /^node (\S+)/.exec(rest)?.[1] ?? []);
  expect(scripts).toEqual(['build/run.mjs']);
  for (const script of scripts) expect(existsSync(join(ROOT, script))).toBe(true);
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  for (const image of listOf('FROM')) expect(image).toMatch(new RegExp(`^node:${/\d+/.exec(engines.node)?.[0]}-`));
});

test('the image runs as a user, keeps its data in a volume, and passes signals on', () => {
  const last = instructions.map(({ name }) => name);
  expect(listOf('USER')).toEqual(['counterfoil']);
  expect(last.indexOf('USER')).toBeGreaterThan(last.lastIndexOf('RUN'));
  expect(listOf('VOLUME')).toEqual(['/var/lib/counterfoil']);
  expect(listOf('ENV')).toEqual(['COUNTERFOIL_DATA=/var/lib/counterfoil']);
  for (const command of [...listOf('ENTRYPOINT'), ...listOf('CMD')]) expect(command).toMatch(/^\[".*"\]$/);
  expect(read('build/linux/counterfoil')).toMatch(/^exec /m);
});

test('compose.yaml gives the gateway no further rights, and does not open the console', () => {
  const { services, volumes } = parseYaml(read('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
    volumes: Record<string, unknown>;
  };
  expect(services['counterfoil']).toMatchObject({
    volumes: ['data:/var/lib/counterfoil'],
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(Object.keys(volumes)).toEqual(['data']);
  for (const member of ['privileged', 'user', 'ports', 'environment'])
    expect(services['counterfoil']).not.toHaveProperty(member);
});

test('the build context has no key, no certificate and no earlier build', () => {
  const ignored = read('.dockerignore').split('\n');
  for (const line of read('.gitignore').trim().split('\n')) expect(ignored).toContain(line);
});

test('the health check passes only while the gateway answers', async () => {
  const gateway = await openBareGateway();
  const check = async (): Promise<number | null> => {
    const env = { ...process.env, COUNTERFOIL_PORT: new URL(gateway.apiUrl).port };
    return (await exitOf(spawn(process.execPath, [join(ROOT, 'build/linux/health-check.mjs')], { env }))).code;
  };
  expect(await check()).toBe(0);
  await gateway.close();
  expect(await check()).toBe(1);
});
