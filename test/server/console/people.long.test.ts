// How users manage their own access: sessions, sign-out everywhere, password.

import { connect } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { ACTORS } from '../../../server/contract/codes.ts';
import type { SignedInView } from '../../../server/contract/setup.ts';
import {
  addUser,
  enter,
  KEPT_PASSWORD,
  passOf,
  PASSWORD,
  signIn,
  type Window,
  windowOf,
} from '../../support/console.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { actLine } from '../../support/temp-store.ts';
import { waitUntil } from '../../support/wait-until.ts';

const NEW_PASSWORD = 'another horse battery';

async function open(): Promise<{ gateway: TestGateway }> {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Ann', 'clerk');
  await addUser(gateway, 'Mia', 'manager');
  return { gateway };
}
const isIn = async (window: Window): Promise<boolean> => (await window.get('/api/session')).status === 200;
const listSessions = async (window: Window): Promise<SignedInView[]> =>
  JSON.parse((await window.get('/api/sessions')).text) as SignedInView[];
const attempt = (gateway: TestGateway, name: string, password: string) =>
  windowOf(gateway, undefined).send('POST', '/api/session', { name, password });
/** The entries in the log of acts, oldest first: actor, act, detail. */
async function listEntries(gateway: TestGateway): Promise<string[]> {
  const acts = await gateway.store.setup.listActs({ limit: 200 });
  return acts.map(actLine).toReversed();
}

/** Sends the head and half the body of a call. Returns a function that sends the rest and resolves to the status. */
async function beginSlowly({ consoleUrl }: TestGateway, window: Window, path: string, body: string) {
  const { key = '', cookie = '' } = window.pass ?? {};
  const { hostname, port, host, origin } = new URL(consoleUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const head = [
    `POST /s/${key}${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${origin}`,
    `Cookie: ${cookie}`,
    'Content-Type: application/json',
    'Expect: 100-continue',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answers: string[] = [];
  socket.setEncoding('utf8').on('data', (text: string) => answers.push(text));
  await waitUntil(() => answers.join('').includes('100 Continue')); // by now the gateway has looked up the session
  socket.write(body.slice(0, 5));
  return async (): Promise<string | undefined> => {
    socket.write(body.slice(5));
    await waitUntil(() => /HTTP\/1\.1 [2-5]/.test(answers.join('')));
    return /HTTP\/1\.1 ([2-5]\d\d)/.exec(answers.join(''))?.[1];
  };
}

describe('the sessions', () => {
  test.each([
    ['demoted', { kind: 'role' }],
    ['removed', { kind: 'remove' }],
  ] as const)('of a manager who was %s ends also for a call whose body is still arriving', async (_what, { kind }) => {
    const { gateway } = await open();
    await addUser(gateway, 'Eve', 'manager');
    const [mia, eve] = [await signIn(gateway, 'Mia'), await signIn(gateway, 'Eve')];
    const body = JSON.stringify({ name: 'Mallory', role: 'manager', password: NEW_PASSWORD });
    const finish = await beginSlowly(gateway, eve, '/api/users', body);
    const act =
      kind === 'role' ? mia.send('PATCH', '/api/users/Eve', { role: 'clerk' }) : mia.send('DELETE', '/api/users/Eve');
    expect((await act).status).toBeLessThan(300);
    expect(await finish()).toBe('401');
    expect((await gateway.store.people.list()).map(({ name }) => name)).not.toContain('Mallory');
  });

  test('of a clerk are listed to that clerk, and all sessions to a manager, without their secrets', async () => {
    const { gateway } = await open();
    const [ann, annAgain] = [await signIn(gateway, 'Ann'), await signIn(gateway, 'ann')];
    const linked = await enter(gateway);
    expect(await listSessions(ann)).toMatchObject([
      { actor: 'Ann', role: 'clerk', isThis: false, address: '127.0.0.1' },
      { actor: 'Ann', role: 'clerk', isThis: true, startedAt: expect.any(Number), usedAt: expect.any(Number) },
    ]);
    const all = await linked.get('/api/sessions');
    expect((JSON.parse(all.text) as SignedInView[]).map(({ actor }) => actor)).toEqual([ACTORS.link, 'Ann', 'Ann']);
    for (const { pass } of [ann, annAgain, linked]) {
      for (const secret of [pass?.key ?? '', ...(pass?.cookie.match(/(?<==)[\w-]+/g) ?? [])])
        expect(all.text).not.toContain(secret);
    }
  });

  test('of one person end everywhere, those of others do not', async () => {
    const { gateway } = await open();
    const windows = [await signIn(gateway, 'Ann'), await signIn(gateway, 'Ann')];
    const [mia, linked] = [await signIn(gateway, 'Mia'), await enter(gateway)];
    const answer = await windows[0]?.send('DELETE', '/api/sessions');
    expect([answer?.status, answer?.headers['clear-site-data']]).toEqual([204, '"cache", "storage"']);
    expect(await Promise.all([...windows, mia, linked].map(isIn))).toEqual([false, false, true, true]);
    await expect.poll(() => listEntries(gateway)).toContain('Ann: sign out everywhere ()');
    const [first, second] = [linked, await enter(gateway)];
    await first.send('DELETE', '/api/sessions');
    expect(await Promise.all([first, second, mia].map(isIn))).toEqual([false, false, true]);
  });
});

describe('a manager', () => {
  const codeOf = ({ text }: { readonly text: string }): string => /#password=([\w-]+)/.exec(text)?.[1] ?? '';
  const choose = (gateway: TestGateway, code: string, password: string) =>
    windowOf(gateway, undefined).send('POST', '/api/password-link', { code, password });

  test('adds a user, who chooses a password with a link that works once', async () => {
    const { gateway } = await open();
    const mia = await signIn(gateway, 'Mia');
    const added = await mia.send('POST', '/api/users', { name: ' Zoe ', role: 'clerk' });
    expect(added.status).toBe(201);
    expect(added.json()).toMatchObject({ user: { name: 'Zoe', role: 'clerk' }, link: { path: expect.any(String) } });
    const code = codeOf(added);
    const whose = () => windowOf(gateway, undefined).send('POST', '/api/password-link/user', { code });
    expect((await whose()).json()).toEqual({ name: 'Zoe' });
    expect((await choose(gateway, code, 'short')).json()).toMatchObject({ code: 'field_invalid' });
    const begun = await choose(gateway, code, NEW_PASSWORD);
    expect(begun.json()).toMatchObject({ actor: 'Zoe', role: 'clerk' });
    expect(await isIn(windowOf(gateway, passOf(begun)))).toBe(true);
    expect((await choose(gateway, code, PASSWORD)).json()).toMatchObject({ code: 'password_link_used' });
    expect((await whose()).json()).toMatchObject({ status: 401, code: 'password_link_used' });
    expect((await attempt(gateway, 'Zoe', NEW_PASSWORD)).status).toBe(200);
    const entries = await listEntries(gateway);
    expect(entries).toContain('Mia: add user (Zoe, clerk)');
    for (const secret of [code, NEW_PASSWORD]) expect(entries.join()).not.toContain(secret);
  });

  test('adds a user with a password, and an unfit name or password is refused', async () => {
    const { gateway } = await open();
    const linked = await enter(gateway);
    const add = (name: string, password: string) =>
      linked.send('POST', '/api/users', { name, role: 'manager', password });
    const added = await add('Max', NEW_PASSWORD);
    expect(added.json()).toMatchObject({ user: { name: 'Max' }, link: null });
    expect((await attempt(gateway, 'Max', NEW_PASSWORD)).status).toBe(200);
    expect((await add('Zoe', 'short')).json()).toMatchObject({ errors: [{ pointer: '/password' }] });
    expect((await add('console', NEW_PASSWORD)).json()).toMatchObject({ errors: [{ code: 'reserved' }] });
    expect((await add('ann', NEW_PASSWORD)).json()).toMatchObject({ code: 'already_there' });
  });

  test('without a name who adds the first manager with a password is that manager from then on', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const [linked, elsewhere] = [await enter(gateway), await enter(gateway)];
    const actorOf = async (window: Window) => (await window.get('/api/session')).json()['actor'];
    const add = (name: string, role: string, password?: string) =>
      linked.send('POST', '/api/users', { name, role, password });
    await add('Ann', 'clerk', NEW_PASSWORD);
    expect(await actorOf(linked)).toBe(ACTORS.link);
    await add('Max', 'manager', NEW_PASSWORD);
    expect(await Promise.all([linked, elsewhere].map(actorOf))).toEqual(['Max', ACTORS.link]);
    await add('Zoe', 'manager', NEW_PASSWORD);
    await elsewhere.send('POST', '/api/users', { name: 'Eve', role: 'manager', password: NEW_PASSWORD });
    expect(await Promise.all([linked, elsewhere].map(actorOf))).toEqual(['Max', ACTORS.link]);
    await expect
      .poll(() => listEntries(gateway))
      .toEqual(expect.arrayContaining(['Max: sign in (password, from 127.0.0.1)', 'Max: add user (Zoe, manager)']));
    await elsewhere.send('POST', '/api/users/Max/reset');
    expect(await Promise.all([linked, elsewhere].map(isIn))).toEqual([false, true]);
  });

  test('without a name who adds the first manager without a password keeps the session', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const linked = await enter(gateway);
    await linked.send('POST', '/api/users', { name: 'Max', role: 'manager' });
    expect((await linked.get('/api/session')).json()['actor']).toBe(ACTORS.link);
  });

  test('changes a role, and the user must sign in again', async () => {
    const { gateway } = await open();
    const [mia, ann] = [await signIn(gateway, 'Mia'), await signIn(gateway, 'Ann')];
    const change = (name: string, role: string) => mia.send('PATCH', `/api/users/${name}`, { role });
    expect((await change('ann', 'clerk')).json()).toMatchObject({ name: 'Ann', role: 'clerk' });
    expect(await isIn(ann)).toBe(true);
    expect((await change('Ann', 'manager')).json()).toMatchObject({ name: 'Ann', role: 'manager' });
    expect(await Promise.all([ann, mia].map(isIn))).toEqual([false, true]);
    expect((await change('Nobody', 'clerk')).status).toBe(404);
    expect(await listEntries(gateway)).toContain('Mia: change role (Ann: clerk → manager)');
  });

  test('removes a user, but never the last manager', async () => {
    const { gateway } = await open();
    const [mia, ann] = [await signIn(gateway, 'Mia'), await signIn(gateway, 'Ann')];
    expect((await mia.send('DELETE', '/api/users/Ann')).status).toBe(204);
    expect(await isIn(ann)).toBe(false);
    expect((await mia.send('DELETE', '/api/users/Ann')).status).toBe(404);
    await mia.send('POST', '/api/users', { name: 'Zoe', role: 'manager' }); // Zoe has no password yet
    const detail = expect.stringMatching(/^Mia cannot be removed or demoted: no other manager has a password\./);
    for (const refused of [
      await mia.send('DELETE', '/api/users/mia'),
      await mia.send('PATCH', '/api/users/mia', { role: 'clerk' }),
    ])
      expect(refused.json()).toMatchObject({ status: 409, code: 'last_manager', detail });
    expect(await isIn(mia)).toBe(true);
  });

  test('resets a password: the old one and the sessions end at once, and only the newest link works', async () => {
    const { gateway } = await open();
    const [mia, ann] = [await signIn(gateway, 'Mia'), await signIn(gateway, 'Ann')];
    const old = codeOf(await mia.send('POST', '/api/users/Ann/reset'));
    const code = codeOf(await mia.send('POST', '/api/users/Ann/reset'));
    expect(await Promise.all([ann, mia].map(isIn))).toEqual([false, true]);
    expect((await attempt(gateway, 'Ann', PASSWORD)).status).toBe(401);
    expect((await choose(gateway, old, NEW_PASSWORD)).status).toBe(401);
    expect((await choose(gateway, code, NEW_PASSWORD)).status).toBe(200);
    expect((await attempt(gateway, 'Ann', NEW_PASSWORD)).status).toBe(200);
    const entries = await listEntries(gateway);
    expect(entries).toEqual(expect.arrayContaining(['Mia: reset password (Ann)', 'Ann: change password ()']));
    expect(entries.join()).not.toContain(code);
  });

  test('ends a link when the user gets another password in another way', async () => {
    const { gateway } = await open();
    const mia = await signIn(gateway, 'Mia');
    const code = codeOf(await mia.send('POST', '/api/users/Ann/reset'));
    await gateway.store.people.resetPassword({ name: 'Ann', password: KEPT_PASSWORD }, ACTORS.commandLine);
    expect((await choose(gateway, code, NEW_PASSWORD)).json()).toMatchObject({ code: 'password_link_used' });
    expect((await attempt(gateway, 'Ann', PASSWORD)).status).toBe(200);
  });

  test('ends the link of a removed user', async () => {
    const { gateway } = await open();
    const mia = await signIn(gateway, 'Mia');
    const code = codeOf(await mia.send('POST', '/api/users/Ann/reset'));
    await mia.send('DELETE', '/api/users/Ann');
    await mia.send('POST', '/api/users', { name: 'Ann', role: 'manager', password: NEW_PASSWORD });
    expect((await choose(gateway, code, PASSWORD)).json()).toMatchObject({ code: 'password_link_used' });
    expect((await attempt(gateway, 'Ann', PASSWORD)).status).toBe(401);
  });
});

describe('the sign-in page of an ended session gets the reason', () => {
  const reasonOf = async (window: Window): Promise<unknown> => (await window.get('/api/entrance')).json()['ended'];
  const acts: readonly (readonly [reason: string, act: (mia: Window, ann: Window) => Promise<unknown>])[] = [
    ['role', (mia) => mia.send('PATCH', '/api/users/Ann', { role: 'manager' })],
    ['password', (mia) => mia.send('POST', '/api/users/Ann/reset')],
    ['removed', (mia) => mia.send('DELETE', '/api/users/Ann')],
    ['everywhere', (_mia, ann) => ann.send('DELETE', '/api/sessions')],
    ['password', (_mia, ann) => ann.send('PUT', '/api/password', { current: PASSWORD, password: NEW_PASSWORD })],
  ];
  test.each(acts)('%s', async (reason, act) => {
    const { gateway } = await open();
    const [mia, ann, elsewhere] = [
      await signIn(gateway, 'Mia'),
      await signIn(gateway, 'Ann'),
      await signIn(gateway, 'Ann'),
    ];
    expect(await reasonOf(elsewhere)).toBeNull();
    await act(mia, ann);
    expect(await reasonOf(elsewhere)).toBe(reason);
    expect(await reasonOf(mia)).toBeNull();
    const withoutCookie = windowOf(gateway, { key: '', ...elsewhere.pass, cookie: '' });
    const withoutKey = windowOf(gateway, { cookie: '', ...elsewhere.pass, key: 'another-key' });
    expect([await reasonOf(withoutCookie), await reasonOf(withoutKey)]).toEqual([null, null]);
  });

  test.each([
    ['role', (store: TestGateway['store']) => store.people.changeRole({ name: 'Ann', role: 'manager' }, 'test')],
    ['removed', (store: TestGateway['store']) => store.people.remove('Ann', 'test')],
  ] as const)('%s, by a command', async (reason, act) => {
    const { gateway } = await open();
    const ann = await signIn(gateway, 'Ann');
    await act(gateway.store);
    await expect.poll(() => reasonOf(ann)).toBe(reason);
  });
});

test('a password that a command has reset ends the sessions of its user', async () => {
  const { gateway } = await open();
  const [ann, mia] = [await signIn(gateway, 'Ann'), await signIn(gateway, 'Mia')];
  await gateway.store.people.resetPassword(
    { name: 'Ann', password: { ...KEPT_PASSWORD, digest: Buffer.alloc(32, 1) } },
    ACTORS.commandLine,
  );
  await expect.poll(() => isIn(ann)).toBe(false);
  expect(await isIn(mia)).toBe(true);
});

test('the settings say how large the data are, and how much space is left', async () => {
  const { gateway } = await open();
  const settings = (await (await signIn(gateway, 'Ann')).get('/api/settings')).json();
  expect(settings).toMatchObject({
    dataDir: gateway.dataDir,
    databaseBytes: expect.any(Number),
    disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number), daysLeft: null },
  });
  expect(settings['databaseBytes']).toBeGreaterThan(0);
});

describe('the own password', () => {
  const change = (window: Window, current: string, password: string) =>
    window.send('PUT', '/api/password', { current, password });

  test('is changed by a clerk who gives the old one; only this session stays', async () => {
    const { gateway } = await open();
    const [ann, elsewhere, mia] = [
      await signIn(gateway, 'Ann'),
      await signIn(gateway, 'Ann'),
      await signIn(gateway, 'Mia'),
    ];
    expect((await change(ann, PASSWORD, NEW_PASSWORD)).status).toBe(204);
    expect(await Promise.all([ann, elsewhere, mia].map(isIn))).toEqual([true, false, true]);
    expect((await attempt(gateway, 'Ann', PASSWORD)).status).toBe(401);
    expect((await attempt(gateway, 'Ann', NEW_PASSWORD)).status).toBe(200);
    await expect.poll(() => listEntries(gateway)).toContain('Ann: change password ()');
  });

  test.each([
    ['the old one is wrong', 'wrong password', NEW_PASSWORD, ['/current wrong_password']],
    ['the new one is short', PASSWORD, 'short', ['/password weak_password']],
    ['the new one has a control character', PASSWORD, 'with\ttabulator', ['/password weak_password']],
  ])('stays unchanged if %s', async (_name, current, password, faults) => {
    const { gateway } = await open();
    const ann = await signIn(gateway, 'Ann');
    const answer = await change(ann, current, password);
    expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid' });
    const errors = answer.json()['errors'] as { pointer: string; code: string }[];
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
    expect((await attempt(gateway, 'Ann', PASSWORD)).status).toBe(200);
  });

  test('has the same limit of attempts as the sign-in', async () => {
    const { gateway } = await open();
    const ann = await signIn(gateway, 'Ann');
    for (let i = 0; i < 5; i++) expect((await change(ann, 'wrong password', NEW_PASSWORD)).status).toBe(400);
    expect((await change(ann, PASSWORD, NEW_PASSWORD)).status).toBe(429);
  });

  test('does not exist for a person who came by a link', async () => {
    const { gateway } = await open();
    expect((await change(await enter(gateway), PASSWORD, NEW_PASSWORD)).status).toBe(404);
  });
});
