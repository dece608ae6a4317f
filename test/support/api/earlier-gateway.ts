// A gateway with the earlier interface, and the calls of a well-behaved till.

import type { TestCertificate } from '../certificate.ts';
import { type Answer, call, type Call } from '../http-call.ts';
import { openTestGateway, type TestGateway, type TestKey } from '../open-gateway.ts';
import { expectRefused, type Refusal } from './refusal-table.ts';

export const BASE_DOMAIN = 'till.example';
/** The host of the administration "Bakery". */
export const HOST = `bakery.42.${BASE_DOMAIN}`;
export const TEST_HOST = `dev-plem.${HOST}`;
export const ALIAS = '/c/bakery/42';
export const TEST_ALIAS = '/c/dev-plem/bakery/42';
export const PATH = '/v1/transaction';

/** The resources of the Bakery: the default ones, and one resource whose id parameter has another name. */
const RESOURCES = [
  { name: 'transaction', idParameter: 'transactionid' },
  { name: 'cancellations', idParameter: 'transactionid' },
  { name: 'refund', idParameter: 'refundid' },
] as const;

/** How a call differs from a good call. A good call goes to PATH and identifies its till only by the production token. */
export interface Sent {
  readonly path?: string;
  readonly key?: TestKey;
  readonly headers?: Call['headers'];
}

export interface EarlierGateway extends TestGateway {
  /** The production key of a till that speaks the earlier interface. */
  readonly till: TestKey;
  readonly tillUnderTest: TestKey;
  /** Sends a query string unchanged. */
  get(query: string, sent?: Sent): Promise<Answer>;
  /** Posts a body unchanged. */
  post(body: string | Buffer, sent?: Sent): Promise<Answer>;
  /**
   * Makes a call that must be refused, and checks the refusal with `expectRefused` (refusal-table.ts). The refusal log must
   * contain `method`, and the label in `refusal`. The default label is the label of the production till.
   */
  expectRefused(
    method: string,
    refusal: Refusal & { readonly path?: unknown },
    refusedCall: Parameters<typeof expectRefused>[3],
  ): Promise<void>;
}

/** Opens the gateway, over HTTPS if there is a certificate. The caller closes it. */
export async function openEarlierGateway(certificate?: TestCertificate): Promise<EarlierGateway> {
  const gateway = await openTestGateway({ baseDomain: BASE_DOMAIN }, certificate);
  await gateway.store.setup.changeAdministration(
    'Bakery',
    {
      customer: { name: 'bakery', id: '42' },
      resources: RESOURCES,
    },
    'test',
  );
  const till = await gateway.makeKey({ interface: 'both', mode: 'production', label: 'Old till' });
  const tillUnderTest = await gateway.makeKey({ interface: 'earlier', mode: 'test', label: 'Old till under test' });
  const authorization = (key: TestKey): string => `Bearer ${key.secret}`;
  return {
    ...gateway,
    till,
    tillUnderTest,
    get: (query, { path = PATH, key = till, headers } = {}) =>
      call(`${gateway.apiUrl}${path}?${query}`, { headers: { authorization: authorization(key), ...headers } }),
    post: (body, { path = PATH, key = till, headers } = {}) =>
      call(gateway.apiUrl + path, {
        method: 'POST',
        headers: { authorization: authorization(key), 'content-type': 'application/json', ...headers },
        body,
      }),
    expectRefused: (method, { path = PATH, ...refusal }, refusedCall) =>
      expectRefused(
        gateway,
        { label: till.label, ...refusal, headers: { 'cache-control': 'no-store', ...refusal.headers } },
        { method, path },
        refusedCall,
      ),
  };
}

let lastId = 0;

/** A unique id. */
export function nextId(): string {
  return `T-${(lastId += 1)}`;
}
