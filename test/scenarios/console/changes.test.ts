// Changes by managers to lanes, upstreams, keys and administrations. The log of acts has each change with the person's name.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { ActEntry } from '../../../server/contract/acts.ts';
import type { LaneView } from '../../../server/contract/lanes.ts';
import type { OverviewView } from '../../../server/contract/overview.ts';
import type { CreatedKey } from '../../../server/contract/setup.ts';
import { always } from '../../../server/store-day.ts';
import { addUser, enter, signIn, type Window } from '../../support/console.ts';
import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway, type TestKey } from '../../support/open-gateway.ts';
import { settleRecords } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const gateway: TestGateway = await openTestGateway();
afterAll(() => gateway.close());
let manager: Window;
beforeAll(async () => {
  await addUser(gateway, 'Mia', 'manager');
  manager = await signIn(gateway, 'Mia');
});

/** The fields that an answer reports as faulty, with their codes. */
const faultsOf = (answer: Answer): string[] => {
  expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid' });
  const errors = answer.json()['errors'] as { pointer: string; code: string; detail: string }[];
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
};
const parse = <T>({ text }: Answer): T => JSON.parse(text) as T;
const newestAct = async (): Promise<ActEntry | undefined> =>
  parse<ActEntry[]>(await manager.get('/api/acts?limit=1'))[0];

async function laneOf(key: TestKey, by: 'current' | 'earlier' = 'current'): Promise<LaneView> {
  const { lanes } = parse<OverviewView>(await manager.get(`/api/overview?journal=${key.journalId}`));
  return lanes.find((lane) => lane.interface === by)!;
}

let made = 0;
/** Makes a test key in a new administration. */
const makeOwnKey = (): Promise<TestKey> => gateway.makeKey({ administration: `Own ${(made += 1)}`, mode: 'test' });

describe('acts on a lane', () => {
  test("pause and resume, each logged with the person's name", async () => {
    const key = await makeOwnKey();
    const { id } = await laneOf(key);
    await manager.send('PUT', `/api/lanes/${id}/upstream`, { url: 'http://127.0.0.1:1', token: 'test_x' });
    const answer = await manager.send('POST', `/api/lanes/${id}/acts`, { kind: 'pause' });
    expect([answer.status, answer.json()]).toEqual([200, { records: 0 }]);
    expect((await laneOf(key)).state).toBe('paused');
    const noted = { actor: 'Mia', administration: key.administration, mode: 'test', interface: 'current' };
    expect(await newestAct()).toMatchObject({ ...noted, act: { kind: 'pause' } });
    await manager.send('POST', `/api/lanes/${id}/acts`, { kind: 'resume' });
    expect(await newestAct()).toMatchObject({ ...noted, act: { kind: 'resume' } });
  });

  test('held records are set aside with a reason, and sent again', async () => {
    const key = await makeOwnKey();
    await postBody(gateway.apiUrl, key.secret, bodyOf());
    const { id } = await laneOf(key);
    const { records } = await gateway.store.outbox.listWaiting(id, 0);
    const recordId = records[0]!.recordId;
    await settleRecords(gateway.store, id, [recordId], { state: 'held', answerStatus: 422, answer: 'no' });
    const act = (body: unknown): Promise<Answer> => manager.send('POST', `/api/lanes/${id}/acts`, body);
    expect((await laneOf(key)).deliveries.held).toBe(1);
    const aside = await act({ kind: 'set aside', records: { kind: 'one', recordId }, reason: ' not ours ' });
    expect(aside.json()).toEqual({ records: 1 });
    expect((await newestAct())?.act).toMatchObject({ kind: 'set aside', reason: 'not ours', moved: 1, isOver: true });
    const detail = (await manager.get(`/api/records/${recordId}`)).json();
    expect(detail).toMatchObject({ record: { delivery: { state: 'set aside', reason: 'not ours' } } });
    expect((await act({ kind: 'send again', records: { kind: 'all' } })).json()).toEqual({ records: 1 });
    expect((await laneOf(key)).deliveries.waiting).toBe(1);
  });

  test.each<[body: unknown, faults: string[]]>([
    [{}, ['/kind value']],
    [{ kind: 'explode' }, ['/kind value']],
    [{ kind: 'pause', records: { kind: 'all' } }, ['/records unknown']],
    [{ kind: 'send again' }, ['/records required']],
    [{ kind: 'send again', records: { kind: 'all' }, delivered: true }, ['/delivered all']],
    [{ kind: 'send again', records: { kind: 'few' } }, ['/records/kind value']],
    [{ kind: 'send again', records: { kind: 'one', recordId: 0 } }, ['/records/recordId too_small']],
    [{ kind: 'send again', records: { kind: 'one' } }, ['/records/recordId required']],
    [{ kind: 'send again', records: { kind: 'sold', from: 1.5, to: 2 } }, ['/records/from type']],
    [{ kind: 'set aside', records: { kind: 'all' } }, ['/reason required']],
    [{ kind: 'set aside', records: { kind: 'all' }, reason: '  ' }, ['/reason length']],
    [{ kind: 'set aside', records: { kind: 'all' }, reason: 'x'.repeat(501) }, ['/reason length']],
  ])('%j is refused', async (body, faults) => {
    const { id } = await laneOf(gateway.test);
    expect(faultsOf(await manager.send('POST', `/api/lanes/${id}/acts`, body))).toEqual(faults);
  });
});

describe('the upstream of a lane', () => {
  async function setUp(): Promise<{ key: TestKey; path: string; lane: LaneView }> {
    const key = await makeOwnKey();
    const lane = await laneOf(key);
    const path = `/api/lanes/${lane.id}/upstream`;
    const answer = await manager.send('PUT', path, {
      url: 'https://api.example.com/base',
      token: 'test_canary-present',
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ id: lane.id, url: 'https://api.example.com/base' });
    return { key, path, lane };
  }
  const upstreamOf = (laneId: number) => gateway.store.outbox.lanes().find(({ id }) => id === laneId)?.upstream;

  test('is set, logged without its key, and never shows its key', async () => {
    const { key, lane } = await setUp();
    expect(upstreamOf(lane.id)).toEqual({ url: 'https://api.example.com/base', token: 'test_canary-present' });
    expect(await newestAct()).toMatchObject({
      actor: 'Mia',
      act: { kind: 'set upstream', url: 'https://api.example.com/base' },
    });
    for (const path of [`/api/overview?journal=${key.journalId}`, '/api/acts', '/api/settings'])
      expect((await manager.get(path)).text).not.toContain('canary');
  });

  test('keeps its key while only the path changes', async () => {
    const { path, lane } = await setUp();
    expect((await manager.send('PUT', path, { url: 'https://API.example.com:443/other' })).status).toBe(200);
    expect(upstreamOf(lane.id)).toEqual({ url: 'https://api.example.com/other', token: 'test_canary-present' });
  });

  test.each([
    'https://evil.example/base',
    'https://api.example.com.evil.example',
    'https://api.example.com:8443',
    'http://api.example.com',
    'https://api.example.com@evil.example',
    'nothing',
    '',
  ])('never has its key sent to %j instead', async (url) => {
    const { path, lane } = await setUp();
    expect(faultsOf(await manager.send('PUT', path, { url, plainHttp: true }))).toEqual(['/token required']);
    const check = await manager.send('POST', '/api/upstream-check', { laneId: lane.id, url, plainHttp: true });
    expect(faultsOf(check)).toEqual(['/token required']);
    expect(upstreamOf(lane.id)?.url).toBe('https://api.example.com/base');
  });

  test.each<[body: object, fault: string]>([
    [{ url: 'ftp://api.example.com', token: 'test_x' }, '/url address'],
    [{ url: 'https://me:secret@api.example.com', token: 'test_x' }, '/url password'],
    [{ url: 'https://api.example.com?x', token: 'test_x' }, '/url query'],
    [{ url: 'https://api.example.com/v1/raw_transactions', token: 'test_x' }, '/url path'],
    [{ url: 'http://10.0.0.1', token: 'test_x' }, '/url plain_http'],
    [{ url: 'https://169.254.169.254', token: 'test_x' }, '/url link_local'],
    [{ url: 'https://2852039166/x', token: 'test_x' }, '/url link_local'],
    [{ url: 'https://[::ffff:169.254.169.254]', token: 'test_x' }, '/url link_local'],
    [{ url: 'https://[fe80::1]', token: 'test_x' }, '/url link_local'],
    [{ url: 'https://api.example.com', token: 'prod_canary' }, '/token mode'],
    [{ url: 'https://api.example.com', token: 'test canary' }, '/token key'],
    [{ token: 'test_x' }, '/url required'],
    [{ url: 7, token: 'test_x' }, '/url type'],
  ])('%j is refused, and the field is named', async (body, fault) => {
    const { path } = await setUp();
    const answer = await manager.send('PUT', path, body);
    expect(faultsOf(answer)).toEqual([fault]);
    expect(answer.text).not.toMatch(/canary|secret|--/);
  });

  test('cannot be this gateway itself, with any of its ports and names', async () => {
    const { path, lane } = await setUp();
    const { port } = new URL(gateway.apiUrl);
    for (const url of [gateway.apiUrl, gateway.consoleUrl, `https://localhost:${port}/base`]) {
      const given = { url, token: 'test_x' };
      const answer = await manager.send('PUT', path, given);
      expect(faultsOf(answer)).toEqual(['/url own_address']);
      const sentence = `${url} is this gateway itself, which listens at port ${new URL(url).port}. Give the upstream's address.`;
      expect(answer.text).toContain(sentence);
      const check = await manager.send('POST', '/api/upstream-check', { laneId: lane.id, ...given });
      expect(faultsOf(check)).toEqual(['/url own_address']);
    }
    expect(upstreamOf(lane.id)?.url).toBe('https://api.example.com/base');
  });

  test('is tested in its present and in its proposed form before it is set', async () => {
    const standIn = await openStandIn({ script: 'accept', tokens: { 'test_right-key': 'test' } });
    onTestFinished(() => standIn.close());
    const lane = await laneOf(await makeOwnKey());
    const check = async (more: object): Promise<string[]> => {
      const answer = await manager.send('POST', '/api/upstream-check', { laneId: lane.id, ...more });
      expect(answer.text).not.toContain('right-key');
      const { steps } = parse<{ steps: { step: string; isFine: boolean }[] }>(answer);
      return steps.map(({ step, isFine }) => (isFine ? step : `not ${step}`));
    };
    expect(faultsOf(await manager.send('POST', '/api/upstream-check', { laneId: lane.id }))).toEqual(['/url required']);
    expect(await check({ url: standIn.url, token: 'test_wrong' })).toEqual(['connection', 'path', 'not key']);
    expect(await check({ url: standIn.url, token: 'test_right-key' })).toEqual(['connection', 'path', 'key']);
    expect((await laneOf(gateway.test)).url).toBeNull();
    const upstream = { url: standIn.url, token: 'test_right-key' };
    await manager.send('PUT', `/api/lanes/${lane.id}/upstream`, upstream);
    expect(await check({})).toEqual(['connection', 'path', 'key']);
    expect(await check({ token: 'test_wrong' })).toEqual(['connection', 'path', 'not key']);
    expect(standIn.summary().records).toBe(0);
  });
});

describe('keys', () => {
  const create = (body: object): Promise<Answer> => manager.send('POST', '/api/keys', body);

  test('a key with all properties works at once, and is shown only this time', async () => {
    const answer = await create({ administration: 'New shop', mode: 'test', till: ' Till 1 ' });
    expect(answer.status).toBe(201);
    const { secret, key, till, apiUrl } = parse<CreatedKey>(answer);
    expect([till, apiUrl, key.interface, key.isAdopted]).toEqual(['Till 1', gateway.apiUrl, 'both', false]);
    expect((await postBody(gateway.apiUrl, secret ?? '', bodyOf())).status).toBe(201);
    expect(await newestAct()).toMatchObject({
      actor: 'Mia',
      act: { kind: 'create key' },
      administration: 'New shop',
      mode: 'test',
    });
    const { journalId } = (await gateway.store.setup.listKeys()).find(({ id }) => id === key.id)!;
    const tills = await manager.get(`/api/tills?journal=${journalId}`);
    expect(parse<{ label: string; week: number[] }[]>(tills)).toMatchObject([{ label: 'Till 1', week: { length: 7 } }]);
    expect(tills.text).not.toContain(secret);
  });

  test('a key that a till already uses is adopted and not shown again; a second time it already exists', async () => {
    const body = { administration: 'New shop', mode: 'production', till: 'Old till', adopt: 'prod_canary-0123456789' };
    const answer = await create(body);
    expect([answer.status, parse<CreatedKey>(answer).secret]).toEqual([201, null]);
    expect(answer.text).not.toContain('canary');
    expect((await postBody(gateway.apiUrl, body.adopt, bodyOf())).status).toBe(201);
    const again = await create(body);
    expect(again.json()).toMatchObject({ status: 409, code: 'already_there', errors: [{ pointer: '/adopt' }] });
    expect(again.text).not.toContain('canary');
  });

  test('a token without a prefix is adopted as production for the earlier interface only', async () => {
    const body = {
      administration: 'New shop',
      mode: 'production',
      till: 'Older till',
      adopt: 'canary.token-0123456789',
    };
    const answer = await create(body);
    expect([answer.status, parse<CreatedKey>(answer).key.interface]).toEqual([201, 'earlier']);
    const headers = { authorization: `Bearer ${body.adopt}` };
    expect((await call(`${gateway.apiUrl}/v1/transaction?transactionid=a`, { headers })).status).toBe(200);
    expect((await postBody(gateway.apiUrl, body.adopt, bodyOf())).status).toBe(403);
    for (const by of ['current', 'both'])
      expect(faultsOf(await create({ ...body, adopt: 'canary.token-x0123456789', interface: by }))).toEqual([
        '/adopt interface',
      ]);
  });

  test('a replaced key and its new key both work until the period ends; replacing the old key again is refused', async () => {
    const old = await makeOwnKey();
    const rotate = (graceHours: unknown): Promise<Answer> =>
      manager.send('POST', `/api/keys/${old.id}/rotate`, { graceHours });
    for (const hours of [-1, 721, 1.5, '1', null]) expect((await rotate(hours)).status).toBe(400);
    const answer = await rotate(24);
    const { secret, till } = parse<CreatedKey>(answer);
    expect([answer.status, till]).toEqual([201, old.label]);
    for (const each of [old.secret, secret ?? ''])
      expect((await postBody(gateway.apiUrl, each, bodyOf())).status).toBe(201);
    expect((await rotate(24)).json()).toMatchObject({ status: 409, code: 'key_ended' });
    const tills = parse<{ keys: { id: number; expiresAt: number | null }[] }[]>(
      await manager.get(`/api/tills?journal=${old.journalId}`),
    );
    const expiresAt = tills[0]?.keys.find(({ id }) => id === old.id)?.expiresAt ?? 0;
    expect(Math.abs(expiresAt - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  test('without a transition period, the old key ends at once', async () => {
    const old = await makeOwnKey();
    await manager.send('POST', `/api/keys/${old.id}/rotate`, { graceHours: 0 });
    expect((await postBody(gateway.apiUrl, old.secret, bodyOf())).status).toBe(401);
  });

  test('a revoked key stops working before the answer is sent', async () => {
    const key = await makeOwnKey();
    const answer = await manager.send('DELETE', `/api/keys/${key.id}`);
    expect(answer.json()).toMatchObject({ id: key.id, revokedAt: expect.any(Number) });
    expect((await postBody(gateway.apiUrl, key.secret, bodyOf())).json()).toMatchObject({ code: 'key_revoked' });
    expect(await newestAct()).toMatchObject({ actor: 'Mia', act: { kind: 'revoke key' } });
  });

  test.each<[body: object, faults: string[]]>([
    [{ mode: 'test', till: 'x' }, ['/administration required']],
    [{ administration: ' ', mode: 'tset', till: '' }, ['/administration name', '/mode value', '/till name']],
    [{ administration: 'A', mode: 'test', till: 'x\ny' }, ['/till name']],
    [{ administration: 'A', mode: 'test', till: 'x'.repeat(101) }, ['/till name']],
    [{ administration: 'A', mode: 'test', till: 'x', interface: 'all' }, ['/interface value']],
    [{ administration: 'A', mode: 'test', till: 'x', adopt: 'prod_canary0123456' }, ['/adopt mode']],
    [{ administration: 'A', mode: 'test', till: 'x', adopt: 'canary0123456789' }, ['/adopt prefix']],
    [{ administration: 'A', mode: 'test', till: 'x', adopt: 'test_canary 123' }, ['/adopt key']],
    [{ administration: 'A', mode: 'test', till: 'x', adopt: 'test_x' }, ['/adopt key']],
  ])('%j is refused, and each field is named', async (body, faults) => {
    const answer = await create(body);
    expect(faultsOf(answer)).toEqual(faults);
    expect(answer.text).not.toContain('canary');
  });
});

describe('administrations', () => {
  const change = (name: string, body: object): Promise<Answer> =>
    manager.send('PATCH', `/api/administrations/${encodeURIComponent(name)}`, body);

  test('are created once, with a journal for each mode', async () => {
    const body = { name: 'Café ’t Hoekje / 2', timeZone: 'Europe/Amsterdam', dayStartsAt: 240 };
    const answer = await manager.send('POST', '/api/administrations', body);
    expect([answer.status, answer.json()]).toMatchObject([201, { ...body, customer: null, forwarded: ['NEW'] }]);
    expect((await manager.send('POST', '/api/administrations', body)).json()).toMatchObject({
      status: 409,
      errors: [{ pointer: '/name' }],
    });
    const journals = parse<{ administration: string; mode: string }[]>(await manager.get('/api/journals'));
    expect(journals.filter(({ administration }) => administration === body.name)).toMatchObject([
      {
        mode: 'production',
        timeZone: 'Europe/Amsterdam',
        dayRules: always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 240 }),
        hasRecords: false,
      },
      { mode: 'test' },
    ]);
    expect((await change(body.name, { dayStartsAt: 0 })).json()).toMatchObject({ dayStartsAt: 0 });
    expect((await change(body.name, { name: 'Bakery' })).json()).toMatchObject({ status: 409, code: 'already_there' });
    expect((await change(body.name, { name: 'Hoekje' })).json()).toMatchObject({ name: 'Hoekje', dayStartsAt: 0 });
    expect((await change(body.name, { dayStartsAt: 0 })).status).toBe(404);
  });

  test('without a zone use the machine’s zone', async () => {
    const answer = await manager.send('POST', '/api/administrations', { name: 'Here' });
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    expect(answer.json()).toMatchObject({ timeZone, dayStartsAt: 0 });
  });

  test('change only in the named fields, and each change is logged', async () => {
    const wanted = {
      timeZone: 'America/New_York',
      dayStartsAt: 1425,
      customer: { name: 'Bakery', id: '12' },
      versions: ['v1', 'v2'],
      resources: [{ name: 'refund', idParameter: 'refundid' }],
      forwarded: ['NEW', 'ERROR'],
      othersSend: true,
    };
    const answer = await change('Bakery', wanted);
    expect(answer.json()).toEqual({ name: 'Bakery', ...wanted, customer: { name: 'bakery', id: '12' } });
    expect(await newestAct()).toMatchObject({
      actor: 'Mia',
      act: { kind: 'change administration' },
      administration: 'Bakery',
    });
    expect((await change('Bakery', { customer: null })).json()).toEqual({ name: 'Bakery', ...wanted, customer: null });
    const settings = parse<{ administrations: unknown[] }>(await manager.get('/api/settings'));
    expect(settings.administrations).toContainEqual({ name: 'Bakery', ...wanted, customer: null });
  });

  test('a name that looks like a change of another setting is logged as one change', async () => {
    const made = await manager.send('POST', '/api/administrations', { name: 'Bar' });
    expect(made.status).toBe(201);
    await change('Bar', { name: 'Bar, mode: x → y' });
    expect((await newestAct())?.act).toEqual({
      kind: 'change administration',
      changes: [{ member: 'name', before: 'Bar', after: 'Bar, mode: x → y' }],
    });
  });

  test('an address belongs to one administration only', async () => {
    for (const name of ['One', 'Two']) await manager.send('POST', '/api/administrations', { name });
    const customer = { name: 'taken', id: '1' };
    await change('One', { customer });
    expect(faultsOf(await change('Two', { customer }))).toEqual(['/customer taken']);
  });

  test.each<[body: object, faults: string[]]>([
    [{ timeZone: 'Europe/Nowhere' }, ['/timeZone time_zone']],
    [{ timeZone: '+01:00' }, ['/timeZone time_zone']],
    [{ dayStartsAt: 7 }, ['/dayStartsAt quarter_hour']],
    [{ dayStartsAt: 1440 }, ['/dayStartsAt quarter_hour']],
    [{ dayStartsAt: '0' }, ['/dayStartsAt type']],
    [{ name: '..' }, ['/name name']],
    [{ customer: { name: 'a.b', id: '' } }, ['/customer/name host_part', '/customer/id host_part']],
    [{ customer: { name: 'a' } }, ['/customer/id required']],
    [{ customer: { name: 'dev-plem', id: '1' } }, ['/customer/name host_part']],
    [{ othersSend: 'yes' }, ['/othersSend type']],
    [{ versions: [] }, ['/versions unique']],
    [{ versions: ['v1', 'v1'] }, ['/versions unique']],
    [{ versions: ['c'] }, ['/versions/0 version']],
    [{ resources: [{ name: 'raw_transactions', idParameter: 'id' }] }, ['/resources/0 resource']],
    [{ resources: [{ name: 'x' }] }, ['/resources/0/idParameter required']],
    [{ forwarded: ['ERROR'] }, ['/forwarded forwarded']],
    [{ forwarded: ['NEW', 'NEW'] }, ['/forwarded forwarded']],
    [{ forwarded: ['OLD'] }, ['/forwarded/0 value']],
  ])('%j is refused, and each field is named', async (body, faults) => {
    expect(faultsOf(await change('Bakery', body))).toEqual(faults);
  });
});

test('a person who came by a link is logged as the console', async () => {
  const window = await enter(gateway);
  await window.send('POST', '/api/administrations', { name: 'By link' });
  expect(await newestAct()).toMatchObject({
    actor: 'console',
    act: { kind: 'create administration' },
    administration: 'By link',
  });
});
