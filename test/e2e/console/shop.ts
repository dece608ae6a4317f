// Opens shops for tests of the console: a gateway with users, tills that sell, and a stand-in upstream.

import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import type { Config } from '../../../server/config.ts';
import { actText } from '../../../server/store/setup/act-text.ts';
import { addUser } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { type BareGateway, openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openStandIn, type StandIn, type StandInOptions } from '../../support/upstream/stand-in.ts';

/** The manager of every shop. */
export const MANAGER = 'Mia';
export const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;

export interface Shop {
  readonly gateway: TestGateway;
  readonly upstream: StandIn;
  /** Posts sales with the production key and expects them to be accepted. */
  sell(...ids: string[]): Promise<void>;
}

/** A shop without sales, closed when the test ends. */
export async function openShop(
  {
    isForwarding = true,
    config,
    ...standIn
  }: StandInOptions & { readonly isForwarding?: boolean; readonly config?: Partial<Config> } = {},
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Shop> {
  const gateway = await openTestGateway(config);
  const upstream = await openStandIn(standIn);
  whenDone(async () => {
    await gateway.close();
    await upstream.close();
  });
  await addUser(gateway, MANAGER, 'manager');
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } } as const;
  if (isForwarding) await gateway.store.outbox.performAct(LANE, act, 'test');
  return {
    gateway,
    upstream,
    async sell(...ids) {
      for (const id of ids) {
        const answer = await postBody(gateway.apiUrl, gateway.production.secret, saleOf(id, '1.50'));
        expect(answer.status).toBe(201);
      }
    },
  };
}

/** A shop with sales, resends, changed resends and refusals. All its sales are upstream. */
async function openBusyShop(whenDone: (close: () => Promise<void>) => void): Promise<Shop> {
  const shop = await openShop({}, whenDone);
  const { gateway, upstream } = shop;
  const post = (body: string, key = gateway.production.secret) => postBody(gateway.apiUrl, key, body);
  const soldAt = new Date(); // the resends need the same time stamp, however long the test takes
  for (let i = 1; i <= 12; i++) await post(saleOf(`S-${i}`, `${i}.50`, soldAt));
  await post(saleOf('S-3', '3.50', soldAt));
  await post(saleOf('S-4', '4.05', soldAt));
  await post('{"type":"sale"}');
  await post(saleOf('S-99', '1'), 'prod_unknown-key-of-nobody');
  await upstream.waitUntil(({ records }) => records === 12);
  return shop;
}

/** Opens one busy shop for all tests of a group and closes it after them. Returns a function that gets the shop. */
export function shareBusyShop(): () => Shop {
  let shop: Shop | undefined;
  let closeShop = async (): Promise<void> => {};
  beforeAll(async () => {
    shop = await openBusyShop((close) => (closeShop = close));
  });
  afterAll(() => closeShop());
  return () => {
    if (shop === undefined) throw new Error('the shop is not open yet');
    return shop;
  };
}

/** A sale as JSON text. `total` is inserted unchanged. */
export function saleOf(id: string, total: string, soldAt = new Date()): string {
  return `{"type":"sale","external_id":"${id}","timestamp":"${soldAt.toISOString().slice(0, 19)}Z","object":{"total":${total}}}`;
}

/** The changes in the log of acts, without sign-ins, oldest first: "create key Bar, key 3, …". */
export async function listActsOf({ store }: Pick<BareGateway, 'store'>, actor: string): Promise<string[]> {
  const acts = await store.setup.listActs({ limit: 100 });
  return acts
    .filter((each) => each.actor === actor && !/^(sign (in|out)|refuse)\b/.test(each.act.kind))
    .map(({ act }) => actText(act))
    .map(({ name, detail }) => `${name} ${detail}`.trim())
    .toReversed();
}
