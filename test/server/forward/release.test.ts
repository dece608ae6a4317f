// Records that were held because of a wrong address or key wait again as soon as a person changes the address or key.

import { expect, test } from 'vitest';

import { answered, type Forwarding, ids, openForwarding } from '../../support/forwarding.ts';
import { HOUR, MINUTE } from '../../support/virtual-time.ts';

const RIGHT = 'https://right.test';

const setUpstream = ({ act }: Forwarding, url: string, token = 'prod_new'): Promise<void> =>
  act({ kind: 'set upstream', upstream: { url, token } });

/** Makes every upstream address except the right address refuse each record. */
function playWrong({ play }: Forwarding, status = 400): void {
  play((_id, _nth, { upstream }) => ({ answer: answered(upstream.url === RIGHT ? 201 : status) }));
}

test.each([
  [400, 5],
  [422, 3000],
])('all records that a wrong address held (%i, %i records) are sent to the right one', async (status, count) => {
  const forwarding = await openForwarding();
  const { sell, time, taken, lane } = forwarding;
  playWrong(forwarding, status);
  await sell(...ids(count));
  await time.pass(MINUTE);
  expect(await lane()).toMatchObject({ held: count });
  await setUpstream(forwarding, RIGHT);
  await expect.poll(async () => (await time.pass(1000), taken.size)).toBe(count);
  await time.pass(1000);
  expect(await lane()).toMatchObject({ waiting: 0, held: 0, delivered: count });
});

test('records that the old address refused just before are released too', async () => {
  const forwarding = await openForwarding();
  const { sell, time, taken } = forwarding;
  playWrong(forwarding);
  for (const [i, id] of ids(20).entries()) {
    await setUpstream(forwarding, `https://wrong-${i}.test`);
    await sell(id);
    await time.pass(i * 2);
  }
  await setUpstream(forwarding, RIGHT);
  await time.passUntil(() => taken.size === 20, MINUTE);
  expect([...taken.values()]).toEqual(Array(20).fill(1));
});

test('an upstream set while no gateway runs releases them at the next start', async () => {
  const forwarding = await openForwarding();
  const { sell, time, taken } = forwarding;
  playWrong(forwarding);
  await sell(...ids(5));
  await time.pass(MINUTE);
  await forwarding.whileClosed((store) =>
    store.outbox.performAct(
      { administration: 'Bakery', mode: 'production', interface: 'current' },
      { kind: 'set upstream', upstream: { url: RIGHT, token: 'prod_new' } },
      'test',
    ),
  );
  await time.passUntil(() => taken.size === 5, MINUTE);
  expect([...taken.values()]).toEqual(Array(5).fill(1));
});

test('records that the new upstream refuses are held again, once; records set aside stay so', async () => {
  const forwarding = await openForwarding();
  const { play, sell, time, act, lane, attempts } = forwarding;
  play(() => ({ answer: answered(422) }));
  await sell(...ids(3));
  await time.pass(MINUTE);
  await act({ kind: 'set aside', records: { kind: 'one', recordId: 1 }, reason: 'a test sale' });
  await setUpstream(forwarding, RIGHT);
  await time.pass(HOUR);
  expect(await lane()).toMatchObject({ waiting: 0, held: 2, setAside: 1 });
  expect(attempts.filter(({ upstream }) => upstream.url === RIGHT)).toHaveLength(2);
});

test('a release is noted as an act of the gateway, only if it released a record', async () => {
  const forwarding = await openForwarding();
  const { sell, time, store } = forwarding;
  playWrong(forwarding);
  const listActs = async () =>
    (await store.setup.listActs({ limit: 10, aboutLanes: true })).map(({ act, actor }) => [act.kind, actor]);
  await time.pass(MINUTE);
  const before = (await listActs()).length;
  await sell('S-1');
  await time.pass(MINUTE);
  await setUpstream(forwarding, RIGHT);
  await time.pass(MINUTE);
  expect((await listActs()).slice(0, -before)).toEqual([
    ['send again', 'gateway'],
    ['set upstream', 'test'],
  ]);
});
