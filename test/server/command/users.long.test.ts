// `counterfoil users` as a process that reads a password on stdin, and `counterfoil console` beside a running gateway.

import { text } from 'node:stream/consumers';

import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';

import { bindUsers } from '../../../server/command/users.ts';
import { UsageError } from '../../../server/errors.ts';
import { passOf, PASSWORD, windowOf } from '../../support/console.ts';
import { BUNDLE, exitOf, spawnProgram } from '../../support/gateway-process.ts';
import { call } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], dataDir = gateway.dataDir, input = ''): Promise<Result> {
  const child = spawnProgram(BUNDLE, [...args, '--data', dataDir], {}, input);
  const [stdout, stderr, { code }] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { code, stdout, stderr };
}
/** Adds a user in this process. Rejects if the name is refused before the password is read. */
const addHere = async (name: string): Promise<unknown> => {
  const program = new Command('counterfoil').exitOverride();
  bindUsers(program);
  return program.parseAsync(['users', 'add', '--name', name, '--role', 'clerk'], { from: 'user' });
};
const add = (name: string, role: string, input: string, dataDir = gateway.dataDir): Promise<Result> =>
  run(['users', 'add', '--name', name, '--role', role], dataDir, input);

test('tokens are made and removed beside a running gateway, and shown only once', async () => {
  const made = await run(['tokens', 'create', '--name', 'Reports', '--json']);
  const { token } = JSON.parse(made.stdout) as { token: string };
  const read = () => call(`${gateway.consoleUrl}/api/journals`, { headers: { authorization: `Bearer ${token}` } });
  expect((await read()).status).toBe(200);
  expect((await run(['tokens', 'create', '--name', 'reports'])).stderr).toBe(
    'counterfoil: A token with the name "reports" already exists. Choose another name.\n',
  );
  const list = await run(['tokens', 'list', '--json']);
  expect(JSON.parse(list.stdout)).toEqual([
    { name: 'Reports', created_at: expect.stringMatching(/Z$/), used_at: expect.stringMatching(/Z$/) },
  ]);
  expect(await run(['tokens', 'remove', '--name', 'Reports'])).toMatchObject({ code: 0 });
  expect((await read()).status).toBe(401);
  expect((await run(['tokens', 'remove', '--name', 'Reports'])).code).toBe(1);
});

describe('users', () => {
  test('are added beside a running gateway, sign in, are listed without passwords, and are removed', async () => {
    expect(await add('Ann', 'clerk', `${PASSWORD}\n`)).toMatchObject({
      code: 0,
      stdout: 'Ann may sign in, as a clerk.\n',
    });
    const answer = await windowOf(gateway, undefined).send('POST', '/api/session', { name: 'Ann', password: PASSWORD });
    const window = windowOf(gateway, passOf(answer));
    expect((await window.get('/api/session')).json()).toMatchObject({ actor: 'Ann', role: 'clerk' });
    const list = await run(['users', 'list', '--json']);
    expect(JSON.parse(list.stdout)).toEqual([
      { name: 'Ann', role: 'clerk', created_at: expect.stringMatching(/Z$/), has_password: true },
    ]);
    expect((await add('ANN', 'manager', `${PASSWORD}\n`)).code).toBe(1);
    expect((await run(['users', 'remove', '--name', 'ann'])).code).toBe(0);
    await expect.poll(async () => (await window.get('/api/session')).status).toBe(401);
    expect((await run(['users', 'remove', '--name', 'ann'])).code).toBe(1);
  });

  test('get another role or password beside a running gateway, but the last manager stays', async () => {
    const signIn = async (password: string) => {
      const answer = await windowOf(gateway, undefined).send('POST', '/api/session', { name: 'Mia', password });
      return { status: answer.status, window: windowOf(gateway, passOf(answer)) };
    };
    await add('Mia', 'manager', `${PASSWORD}\n`);
    const { window } = await signIn(PASSWORD);
    const reset = await run(['users', 'reset', '--name', 'mia'], undefined, 'another horse battery\n');
    expect(reset).toMatchObject({ code: 0, stdout: 'Mia has a new password, and is signed out within a second.\n' });
    await expect.poll(async () => (await window.get('/api/session')).status).toBe(401);
    expect([(await signIn(PASSWORD)).status, (await signIn('another horse battery')).status]).toEqual([401, 200]);
    for (const act of [['remove'], ['role', '--role', 'clerk']]) {
      const { code, stderr } = await run(['users', ...act, '--name', 'Mia']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('Mia cannot be removed or demoted')]);
    }
    const demoted = await run(['users', 'role', '--name', 'Mia', '--role', 'clerk', '--force', '--json']);
    expect(JSON.parse(demoted.stdout)).toEqual({ name: 'Mia', role: 'clerk' });
    expect((await run(['users', 'reset', '--name', 'Nobody'])).code).toBe(1);
    expect((await run(['users', 'role', '--name', 'Nobody', '--role', 'clerk'])).code).toBe(1);
    expect((await run(['users', 'remove', '--name', 'Mia'])).code).toBe(0);
  });

  test.each([
    ['nothing', '', /at least 10 characters/],
    ['an empty line', '\n', /at least 10 characters/],
    ['nine characters', 'ninechars\n', /at least 10 characters/],
    ['a control character', 'with\ttabulator\n', /control characters/],
  ])('are refused with %s for a password, which is not repeated', async (_what, input, message) => {
    const { code, stderr } = await add('Ben', 'clerk', input);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    if (input.trim() !== '') expect(stderr).not.toContain(input.trim());
  });

  test.each(['.', '..', '', '\u200B', 'Ann\u200B', '\u202Enna', 'a\nb'])('cannot be named %j', async (name) => {
    await expect(addHere(name)).rejects.toThrow(UsageError);
    await expect(addHere(name)).rejects.toThrow(/--name must have/);
  });

  test('are the same in every spelling of their name', async () => {
    expect((await add('Zoe\u0301', 'clerk', `${PASSWORD}\n`)).code).toBe(0);
    expect((await add('ZOÉ', 'clerk', `${PASSWORD}\n`)).code).toBe(1);
    expect((await run(['users', 'remove', '--name', 'zoé'])).code).toBe(0);
  });

  test.each(['console', 'Command line', 'command\u00A0line', 'demo', 'first start'])(
    'cannot be named %j, which is the name of a source',
    async (name) => {
      await expect(addHere(name)).rejects.toThrow(UsageError);
      await expect(addHere(name)).rejects.toThrow(/--name/);
    },
  );
});

describe('console', () => {
  test('prints a link into the running gateway, which admits one browser', async () => {
    const { stdout } = await run(['console', '--json']);
    const { link } = JSON.parse(stdout) as { link: string };
    expect(link.startsWith(`${gateway.consoleUrl}/enter?code=`)).toBe(true);
    expect((await call(link)).status).toBe(200);
    expect((await call(link)).status).toBe(401);
  });

  test('says so if no gateway runs', async () => {
    const dataDir = temporaryFolder();
    await add('Ann', 'clerk', `${PASSWORD}\n`, dataDir);
    expect(await run(['console'], dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No gateway is running on .*counterfoil serve/),
    });
  });
});
