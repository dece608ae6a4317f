// Sign-in and sign-out by one-time links and by name and password, and how a session ends.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { openSessions } from '../../../server/console/session.ts';
import { addUser, passOf, enter, PASSWORD, signIn, windowOf } from '../../support/console.ts';
import { type Answer, call } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

const HOUR_MS = 60 * 60 * 1000;
const gateway = await openTestGateway();
afterAll(() => gateway.close());

/** A gateway whose console uses the test's clock. */
async function openWithClock(): Promise<{ clock: VirtualTime; own: TestGateway }> {
  const clock = startVirtualTime();
  const own = await openTestGateway({}, undefined, { clock });
  onTestFinished(() => own.close());
  return { clock, own };
}

describe('a one-time link', () => {
  test.each([
    ['/days/2026-11-19?journal=1', '/days/2026-11-19?journal=1'],
    ['/upstream', '/upstream'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['/"><script>', '/'],
    ['', '/'],
  ])('leads to a screen of the console only: %s', async (to, path) => {
    const page = await call(`${gateway.createLink()}&to=${encodeURIComponent(to)}`);
    const { key = '' } = passOf(page) ?? {};
    expect(page.text).toContain(`content="0;url=${path}#session=${key}"`);
    expect(page.text).toContain(`<a href="${path}#session=${key}">`);
  });

  test('admits one browser, as a manager, and then expires', async () => {
    const link = gateway.createLink();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?code=[\w-]{43}$/);
    const first = await call(link);
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(first.text).toMatch(/url=\/#session=[\w-]{22}"/);
    expect(first.headers['set-cookie']).toMatch(
      /^counterfoil_session_\d+=[\w-]{43}; Path=\/s\/[\w-]{22}; HttpOnly; SameSite=Strict,counterfoil_browser_\d+=[\w-]{22}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const second = await call(link);
    expect([second.status, passOf(second)]).toEqual([401, undefined]);
    const session = (await windowOf(gateway, passOf(first)).get('/api/session')).json();
    expect(session).toEqual({
      actor: 'console',
      role: 'manager',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      apiUrl: gateway.apiUrl,
    });
  });

  test('admits one browser when many open it at once', async () => {
    const link = gateway.createLink();
    const answers = await Promise.all(Array.from({ length: 16 }, () => call(link)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(15).fill(401),
    ]);
    expect(answers.filter((answer) => passOf(answer) !== undefined)).toHaveLength(1);
  });

  test.each([
    [9.9, 200],
    [10, 401],
  ])('answers after %d minutes with %i', async (minutes, status) => {
    const { clock, own } = await openWithClock();
    const link = own.createLink();
    clock.jump(minutes * 60_000);
    expect((await call(link)).status).toBe(status);
  });

  test('is not used up by a prefetch or a HEAD request', async () => {
    const link = gateway.createLink();
    for (const headers of [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { purpose: 'Prefetch' },
      { 'x-purpose': 'preview' },
      { 'x-moz': 'prefetch' },
    ])
      expect((await call(link, { headers })).status).toBe(403);
    expect((await call(link, { method: 'HEAD' })).status).toBe(403);
    expect((await call(link)).status).toBe(200);
  });

  test.each([
    { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-speculation-tags': '"tag"' },
    { 'sec-speculation-tags': 'null' },
  ])('is not used up by a call that opens no page: %j', async (headers) => {
    const link = gateway.createLink();
    expect((await call(link, { headers })).status).toBe(403);
    const opening = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    expect((await call(link, { headers: opening })).status).toBe(200);
  });

  test('admits a program, which names no destination', async () => {
    expect((await call(gateway.createLink(), { headers: { 'sec-fetch-mode': 'cors' } })).status).toBe(200);
  });

  test('works although a page on another port has set a cookie of the same name', async () => {
    const window = await enter(gateway);
    const [name = ''] = window.cookie.split('=');
    const other = windowOf(gateway, { key: '', ...window.pass, cookie: `${name}=bad; ${window.cookie}` });
    expect((await other.get('/api/session')).status).toBe(200);
    expect((await other.send('DELETE', '/api/session')).status).toBe(204);
    expect((await window.get('/api/session')).status).toBe(401);
  });

  test('leads on in a signed-in window, also when it is used up', async () => {
    const cookie = browserOf(await call(gateway.createLink()));
    const link = gateway.createLink();
    await call(link);
    const answer = await call(link, { headers: { cookie } });
    expect([answer.status, passOf(answer)]).toEqual([200, undefined]);
    expect(answer.text).toContain('content="0;url=/"');
    const entrance = await call(`${gateway.consoleUrl}/api/entrance`, { headers: { cookie } });
    expect(entrance.json()).toMatchObject({ isSignedIn: true });
  });

  test('may be created by another process', async () => {
    const code = await gateway.store.people.createLink(Date.now() + 60_000);
    const expired = await gateway.store.people.createLink(Date.now() - 1);
    const link = (each: string): string => `${gateway.consoleUrl}/enter?code=${each}`;
    const answers = await Promise.all([code, code, code, expired].map((each) => call(link(each))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401]);
  });

  test.each(['', 'code=', 'code=short', `code=${'x'.repeat(43)}`, 'code=%00', `code=${'x'.repeat(5000)}`])(
    'admits nobody with %j',
    async (query) => {
      const answer = await call(`${gateway.consoleUrl}/enter?${query}`);
      expect([answer.status, passOf(answer)]).toEqual([401, undefined]);
      expect(answer.text).toContain('counterfoil console');
    },
  );
});

describe('a session', () => {
  test('ends when its window signs out, and no other session ends', async () => {
    const [one, other] = [await enter(gateway), await enter(gateway)];
    expect((await one.send('DELETE', '/api/session')).status).toBe(204);
    expect((await one.get('/api/session')).status).toBe(401);
    expect((await one.get('/api/entrance')).json()).toMatchObject({ ended: null });
    expect((await other.get('/api/session')).status).toBe(200);
  });

  test('ends after twelve hours without use', async () => {
    const { clock, own } = await openWithClock();
    const window = await enter(own);
    clock.jump(11.9 * HOUR_MS);
    expect((await window.get('/api/session')).status).toBe(200);
    clock.jump(12 * HOUR_MS);
    expect((await window.get('/api/session')).status).toBe(401);
    expect((await window.get('/api/entrance')).json()).toMatchObject({ ended: 'idle' });
  });

  // This test uses no gateway, because its checks of disk and clock would slow down a virtual week.
  test('ends after a week, even if it is in use', () => {
    const clock = startVirtualTime();
    const sessions = openSessions(clock);
    const who = { actor: 'Ann', role: 'clerk', user: undefined, address: '127.0.0.1', browser: 'one' } as const;
    const secrets = sessions.begin(who);
    const ended = sessions.use(secrets)?.ended;
    for (let hours = 6; hours < 7 * 24; hours += 6) {
      clock.jump(6 * HOUR_MS);
      expect(sessions.use(secrets), `after ${hours} hours`).toBeDefined();
    }
    clock.jump(6 * HOUR_MS);
    expect(ended?.aborted).toBe(true);
    expect(sessions.use(secrets)).toBeUndefined();
    expect(sessions.findEnd(secrets)).toBe('old');
  });

  test('ends when the same browser opens another link, and not when another browser does', async () => {
    const { own } = await openWithClock();
    const entered = await call(own.createLink());
    const [cookie, first] = [browserOf(entered), windowOf(own, passOf(entered))];
    const other = await enter(own);
    const again = await call(own.createLink(), { headers: { cookie } });
    const second = windowOf(own, passOf(again));
    expect([(await first.get('/api/session')).status, (await second.get('/api/session')).status]).toEqual([401, 200]);
    const forgotten = `Max-Age=0; Path=/s/${first.pass?.key}; HttpOnly; SameSite=Strict`;
    expect(again.headers['set-cookie']).toContain(forgotten);
    expect((await other.get('/api/session')).status).toBe(200);
  });

  test('ends when its user signs in again in the same browser', async () => {
    const { own } = await openWithClock();
    await addUser(own, 'Gus', 'clerk');
    const signInWith = async (name: string, cookie?: string): Promise<Answer> =>
      windowOf(own, undefined).send('POST', '/api/session', { name, password: PASSWORD }, cookie ? { cookie } : {});
    const answer = await signInWith('Gus');
    const cookie = browserOf(answer);
    const first = windowOf(own, passOf(answer));
    const second = windowOf(own, passOf(await signInWith('gus', cookie)));
    expect([(await first.get('/api/session')).status, (await second.get('/api/session')).status]).toEqual([401, 200]);
  });

  test('does not end when another person signs in with the cookie of its browser, which any port of the host can read', async () => {
    const { own } = await openWithClock();
    for (const name of ['Gus', 'Ann']) await addUser(own, name, 'clerk');
    const entered = await call(own.createLink());
    const signInWith = async (name: string, cookie: string): Promise<Answer> =>
      windowOf(own, undefined).send('POST', '/api/session', { name, password: PASSWORD }, { cookie });
    const gus = await signInWith('Gus', browserOf(entered));
    const ann = await signInWith('Ann', browserOf(entered));
    const link = await call(own.createLink(), { headers: { cookie: browserOf(gus) } });
    for (const answer of [gus, ann, link])
      expect((await windowOf(own, passOf(answer)).get('/api/session')).status).toBe(200);
    expect((await windowOf(own, passOf(entered)).get('/api/session')).status, 'ended by the link').toBe(401);
  });

  test('ends if it is the least recently used when its user begins an eleventh; others keep theirs', () => {
    const clock = startVirtualTime();
    const sessions = openSessions(clock);
    const userOf = (name: string) => ({ name, role: 'clerk', createdAt: 1 }) as const;
    const begin = (name?: string) =>
      sessions.begin({
        actor: name ?? 'console',
        role: 'clerk',
        user: name === undefined ? undefined : userOf(name),
        address: '127.0.0.1',
        browser: '',
      });
    const [byLink, ann] = [begin(), begin('Ann')];
    const [first, second] = [begin('Gus'), begin('Gus')];
    for (let i = 0; i < 8; i++) begin('Gus');
    clock.jump(1000);
    expect(sessions.use(first)?.ended.aborted).toBe(false);
    const third = begin('Gus');
    expect(sessions.use(second)).toBeUndefined();
    expect(sessions.findEnd(second)).toBe('replaced');
    for (const each of [byLink, ann, first, third]) expect(sessions.use(each)).toBeDefined();
    for (let i = 0; i < 60; i++) begin('Gus');
    expect(sessions.list().filter(({ actor }) => actor === 'Gus')).toHaveLength(10);
  });

  test('ends when another person signs in with its own cookie', async () => {
    const { own } = await openWithClock();
    await addUser(own, 'Gus', 'clerk');
    const window = await enter(own);
    const signedIn = await window.send('POST', '/api/session', { name: 'Gus', password: PASSWORD });
    const other = windowOf(own, passOf(signedIn));
    expect([(await window.get('/api/session')).status, (await other.get('/api/session')).status]).toEqual([401, 200]);
  });

  test('ends when a new sign-in sends its cookie', async () => {
    const window = await enter(gateway);
    const [cookie] = window.cookie.split('; ');
    await call(gateway.createLink(), { headers: { cookie } });
    expect((await window.get('/api/session')).status).toBe(401);
  });

  test('opens with its cookie and its key together only: cookies go to every port of a host', async () => {
    const [window, other] = [await enter(gateway), await enter(gateway)];
    const { cookie = '', key = '' } = window.pass ?? {};
    const statusOf = async (path: string, header: string): Promise<number> =>
      (await call(gateway.consoleUrl + path, { headers: { cookie: header } })).status;
    expect(await statusOf('/api/session', cookie)).toBe(401);
    expect(await statusOf(`/s/${key}/api/session`, '')).toBe(401);
    expect(await statusOf(`/s/${other.pass?.key}/api/session`, cookie)).toBe(401);
    expect(await statusOf(`/s/${key}/api/session`, cookie)).toBe(200);
    expect(await statusOf(`/s/${key}/s/${key}/api/session`, cookie)).toBe(404);
  });

  test('leaves nothing in the browser at its end', async () => {
    const window = await enter(gateway);
    const { status, headers } = await window.send('DELETE', '/api/session');
    expect([status, headers['clear-site-data']]).toEqual([204, '"cache", "storage"']);
    expect(headers['set-cookie']).toMatch(
      new RegExp(`^counterfoil_session_\\d+=; Max-Age=0; Path=/s/${window.pass?.key}; HttpOnly; SameSite=Strict$`),
    );
  });

  test('is invalid at another gateway, and at this one after a restart', async () => {
    const other = await openTestGateway();
    onTestFinished(() => other.close());
    const { pass } = await enter(gateway);
    expect((await windowOf(other, pass).get('/api/session')).status).toBe(401);
  });

  test('is found among other cookies', async () => {
    const { cookie, pass } = await enter(gateway);
    const among = (header: string) => windowOf(gateway, { key: '', ...pass, cookie: header });
    expect((await among(`a=b; ${cookie}; c=d`).get('/api/session')).status).toBe(200);
    expect((await among(`x${cookie}`).get('/api/session')).status).toBe(401);
  });
});

describe('a name and a password', () => {
  test('sign a user in with their role, in any capitalisation of the name', async () => {
    await addUser(gateway, 'Ann', 'clerk');
    const window = await signIn(gateway, 'aNN');
    expect((await window.get('/api/session')).json()).toMatchObject({ actor: 'Ann', role: 'clerk' });
    const entrance = await call(`${gateway.consoleUrl}/api/entrance`);
    expect(entrance.json()).toMatchObject({ hasUsers: true });
    const settings = (await window.get('/api/settings')).text;
    expect(JSON.parse(settings)).toMatchObject({ users: [{ name: 'Ann', role: 'clerk' }] });
    expect(settings).not.toMatch(/salt|digest|password/);
  });

  test('the log of acts names the user', async () => {
    await addUser(gateway, 'Ben', 'manager');
    const window = await signIn(gateway, 'Ben');
    await window.send('POST', '/api/administrations', { name: 'Of Ben' });
    const [act] = JSON.parse((await window.get('/api/acts?limit=1')).text) as unknown[];
    expect(act).toMatchObject({ actor: 'Ben', act: { kind: 'create administration' }, administration: 'Of Ben' });
  });

  test('a removed user is signed out at once, and a new user of the same name does not get the session', async () => {
    await addUser(gateway, 'Cas', 'manager');
    const window = await signIn(gateway, 'Cas');
    const stays = await enter(gateway);
    await gateway.store.people.remove('cas', 'test');
    await expect.poll(async () => (await window.get('/api/session')).status).toBe(401);
    expect((await stays.get('/api/session')).status).toBe(200);
  });

  test('a wrong password gets the same answer for known and unknown users', async () => {
    const { own } = await openWithClock();
    await addUser(own, 'Dee', 'clerk');
    const nobody = windowOf(own, undefined);
    const answers = [
      await nobody.send('POST', '/api/session', { name: 'Dee', password: 'wrong password' }),
      await nobody.send('POST', '/api/session', { name: 'Nobody', password: PASSWORD }),
    ];
    for (const answer of answers) {
      expect([answer.status, passOf(answer)]).toEqual([401, undefined]);
      expect(answer.json()).toMatchObject({ code: 'sign_in_failed' });
    }
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  test('admit nobody who is removed during the verification, nor a new user of that name', async () => {
    const { own } = await openWithClock();
    await addUser(own, 'Max', 'manager');
    const remove = () => own.store.people.remove('max', 'test', true);
    const { find } = own.store.people;
    const spy = vi.spyOn(own.store.people, 'find').mockImplementationOnce(async (name) => {
      const found = await find(name);
      await remove();
      return found;
    });
    onTestFinished(() => spy.mockRestore());
    expect((await signInAnswer(own, 'Max')).status).toBe(401);
    await addUser(own, 'Max', 'manager');
    expect((await signInAnswer(own, 'Max')).status).toBe(200);
  });

  test('after five wrong attempts, the name and the address wait for a quarter of an hour', async () => {
    const { clock, own } = await openWithClock();
    await addUser(own, 'Eve', 'clerk');
    const nobody = windowOf(own, undefined);
    const attempt = (name: string, password: string) => nobody.send('POST', '/api/session', { name, password });
    for (let i = 0; i < 5; i++) expect((await attempt('Eve', 'wrong password')).status).toBe(401);
    const limited = await attempt('eve', PASSWORD);
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '900']);
    // the limit for the address applies, whatever the name
    expect((await attempt('Somebody else', PASSWORD)).status).toBe(429);
    clock.jump(15 * 60_000);
    expect((await attempt('Eve', PASSWORD)).status).toBe(200);
  });

  test('successful attempts do not count', async () => {
    const { own } = await openWithClock();
    await addUser(own, 'Fay', 'clerk');
    for (let i = 0; i < 7; i++) expect(passOf(await signInAnswer(own, 'Fay'))).toBeDefined();
  });

  test('appear in no log and no answer', async () => {
    const answer = await windowOf(gateway, undefined).send('POST', '/api/session', {
      name: 'canary-name',
      password: 'canary-word',
    });
    expect(answer.text).not.toContain('canary');
    const readLog = (): string => readFileSync(join(gateway.dataDir, 'logs', 'counterfoil.log'), 'utf8');
    await expect.poll(readLog).toContain('somebody could not sign in');
    expect(readLog()).not.toContain('canary');
  });
});

/** The cookie by which the gateway recognises this browser, read from an answer. */
function browserOf({ headers }: Answer): string {
  return /counterfoil_browser_\d+=[\w-]+/.exec(headers['set-cookie'] ?? '')?.[0] ?? '';
}

function signInAnswer(own: TestGateway, name: string) {
  return windowOf(own, undefined).send('POST', '/api/session', { name, password: PASSWORD });
}
