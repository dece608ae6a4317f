// Sign-ins and refused sign-ins in the log of acts.

import { describe, expect, onTestFinished, test } from 'vitest';

import { openEntranceNotes } from '../../../server/console/entrance-notes.ts';
import { ACTORS } from '../../../server/contract/codes.ts';
import { addUser, enter, passOf, signIn, windowOf } from '../../support/console.ts';
import { call } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { actLine } from '../../support/temp-store.ts';
import { startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

async function open(): Promise<{ gateway: TestGateway; clock: VirtualTime }> {
  const clock = startVirtualTime();
  const gateway = await openTestGateway({}, undefined, { clock });
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Ann', 'clerk');
  return { gateway, clock };
}
const attempt = (gateway: TestGateway, name: string, password: string) =>
  windowOf(gateway, undefined).send('POST', '/api/session', { name, password });
/** The entries about sign-ins, oldest first: actor, act, detail. */
async function listEntries(gateway: TestGateway): Promise<string[]> {
  const acts = await gateway.store.setup.listActs({ limit: 200 });
  const others = ['create key', 'add user', 'create administration'];
  return acts
    .filter(({ act }) => !others.includes(act.kind))
    .map(actLine)
    .toReversed();
}

describe('the log of acts', () => {
  test('names each person who signed in, with the method, and each who signed out', async () => {
    const { gateway } = await open();
    const linked = await enter(gateway);
    const ann = await signIn(gateway, 'Ann');
    await linked.send('DELETE', '/api/session');
    await ann.send('DELETE', '/api/session');
    await expect
      .poll(() => listEntries(gateway))
      .toEqual([
        'console: sign in (link, from 127.0.0.1)',
        'Ann: sign in (password, from 127.0.0.1)',
        'console: sign out ()',
        'Ann: sign out ()',
      ]);
  });

  test('names refusals: a used link, a wrong password, an act of a manager, another page, too many attempts', async () => {
    const { gateway } = await open();
    const link = gateway.createLink();
    const ann = await signIn(gateway, 'Ann');
    await call(link);
    await call(link);
    await attempt(gateway, 'Ann', 'canary password');
    await ann.send('POST', '/api/administrations?canary=1', { name: 'canary' });
    await ann.send('PUT', '/api/declared-totals', {}, { origin: 'https://canary.example' });
    for (let i = 0; i < 5; i++) await attempt(gateway, 'Nobody', 'canary password');
    const expected = [
      'Ann: sign in (password, from 127.0.0.1)',
      'console: sign in (link, from 127.0.0.1)',
      'somebody: refuse link (from 127.0.0.1)',
      'somebody: refuse sign-in (from 127.0.0.1)',
      'Ann: refuse call (403 manager_required, POST /api/administrations, from 127.0.0.1)',
      'somebody: refuse call (403 origin_refused, PUT /api/declared-totals, from 127.0.0.1)',
      'somebody: refuse call (429 sign_in_limited, POST /api/session, from 127.0.0.1)',
    ];
    await expect.poll(() => listEntries(gateway)).toEqual(expected);
  });

  test('is not filled by a caller who is refused repeatedly', async () => {
    const { gateway, clock } = await open();
    const ann = await signIn(gateway, 'Ann');
    const refuse = (path: string) => ann.send('POST', path, { name: 'x' });
    for (let i = 0; i < 20; i++) await refuse('/api/administrations');
    for (let i = 0; i < 300; i++) await refuse(`/api/lanes/${i + 1}/acts`);
    const count = async (): Promise<number> =>
      (await listEntries(gateway)).filter((entry) => entry.includes('refuse call')).length;
    await expect.poll(count).toBe(1);
    clock.jump(15 * 60_000);
    await refuse('/api/administrations');
    await expect.poll(count).toBe(2);
  });

  test('has room for a hundred refusals in an hour, from all callers', async () => {
    const { gateway, clock } = await open();
    const notes = openEntranceNotes(gateway.store.setup, clock, gateway.log);
    const refuseMany = (): void => {
      for (let i = 0; i < 130; i++) notes.refused({ kind: 'refuse sign-in' }, ACTORS.unknown, `::ffff:192.0.2.${i}`);
    };
    const count = async (): Promise<number> => (await listEntries(gateway)).length;
    refuseMany();
    refuseMany();
    await expect.poll(count).toBe(100);
    clock.jump(60 * 60_000);
    refuseMany();
    await expect.poll(count).toBe(200);
    expect((await listEntries(gateway))[0]).toBe('somebody: refuse sign-in (from 192.0.2.0)');
  });

  test('has room for the refusals of a signed-in person, however many strangers are refused', async () => {
    const { gateway, clock } = await open();
    const notes = openEntranceNotes(gateway.store.setup, clock, gateway.log);
    for (let i = 0; i < 130; i++) notes.refused({ kind: 'refuse sign-in' }, ACTORS.unknown, `192.0.2.${i}`);
    notes.refused({ kind: 'refuse sign-in' }, 'Ann', '192.0.2.1');
    await expect.poll(() => listEntries(gateway)).toContain('Ann: refuse sign-in (from 192.0.2.1)');
  });

  test('holds no key of a session or till from the path of a refused call', async () => {
    const { gateway } = await open();
    const ann = await signIn(gateway, 'Ann');
    for (const path of [`/s/${ann.pass?.key}/x`, '/api/prod_canary0123456789', '/api/%70rod_canary0123456789'])
      await call(`${gateway.consoleUrl}${path}`, {
        method: 'POST',
        headers: { origin: `https://${path.length}.example` },
      });
    await call(`${gateway.consoleUrl}/s/${ann.pass?.key}/x`, { headers: { host: 'canary.example' } });
    await expect.poll(() => listEntries(gateway)).toHaveLength(2);
    const entries = (await listEntries(gateway)).join();
    expect(entries).toContain('refuse call (403 origin_refused, POST /s/…/x, from 127.0.0.1)');
    for (const secret of [ann.pass?.key ?? '', 'canary']) expect(entries).not.toContain(secret);
  });

  test('locks nobody out if it cannot be written', async () => {
    const { gateway } = await open();
    gateway.store.setup.noteAct = () => Promise.reject(new Error('the disk is full'));
    expect(passOf(await call(gateway.createLink()))).toBeDefined();
  });
});
