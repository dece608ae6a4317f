// How to connect a till with a new key, as three steps to copy. A production key gets no request that stores a sale, because the
// sale would be booked permanently.

import { dataOption } from '../config.ts';
import type { NetworkView } from '../contract/network.ts';
import { formatInstant } from '../lib/instant.ts';
import { PROGRAM } from '../program.ts';
import type { Key } from '../store/setup/ledger.ts';
import { closedNote } from './network-report.ts';

/** What stands for the key in a request if the till already has it. */
const OWN_KEY = 'KEY';

export interface JoinChoice {
  readonly key: Pick<Key, 'id' | 'mode' | 'interface'>;
  /** The new key; undefined if the till keeps its own, which is not printed. */
  readonly secret: string | undefined;
  readonly dataDir: string;
  /** Epoch milliseconds, for the time of the sale in the request. */
  readonly now: number;
}

/** The lines to print after the key. `view` is the network of the running gateway; undefined without one. */
export function joinSteps(view: NetworkView | undefined, choice: JoinChoice): string[] {
  const data = dataOption(choice.dataDir);
  if (view === undefined)
    return [`When the gateway runs, this shows the address for the till: ${PROGRAM} lan status${data}`];
  const { addresses, localAddress, authority } = view;
  const [address = localAddress, ...others] = addresses;
  const lines = [`Address for the till: ${address}${pathOf(choice.key)}`];
  if (others.length > 0) lines.push(`If the till cannot reach it: ${others.join(', ')}`);
  if (addresses.length === 0) {
    lines.push(`This address is for tills on this machine. ${closedNote(view, data)}`);
    lines.push('', ...numbered([requestStep(address, choice, undefined)]));
    return lines;
  }
  const isOwn = address.startsWith('https:') && authority !== null;
  const steps = isOwn ? [fetchStep(address), compareStep(authority.fingerprint)] : [];
  const ca = isOwn ? 'ca.pem' : undefined;
  return [...lines, '', ...numbered([...steps, requestStep(address, choice, ca)])];
}

function pathOf({ interface: by }: JoinChoice['key']): string {
  return by === 'earlier' ? '/v1/transaction' : '/v1/raw_transactions';
}

type Step = readonly [sentence: string, ...commands: string[]];

function fetchStep(address: string): Step {
  const url = `${address.replace(/^https:/, 'http:')}/ca.pem`;
  return ['On the machine of the till, fetch the authority of this gateway:', `curl -o ca.pem ${quoted(url)}`];
}

function compareStep(fingerprint: string): Step {
  return [
    'Compare its fingerprint. If it differs from this one, do not use the file:',
    'openssl x509 -in ca.pem -noout -fingerprint -sha256',
    `SHA-256 ${fingerprint}`,
  ];
}

function requestStep(address: string, { key, secret, now }: JoinChoice, ca: string | undefined): Step {
  const trust = ca === undefined ? '' : ` --cacert ${ca}`;
  const inTill = ca === undefined ? '' : ' and let it trust ca.pem';
  if (key.interface === 'earlier') return [`Set the address in the till${inTill}. It keeps its key.`];
  const presented = secret ?? OWN_KEY;
  const note = secret === undefined ? ` ${OWN_KEY} stands for the key of the till.` : '';
  if (key.mode === 'production') {
    const day = formatInstant(Math.floor(now / 86_400_000) * 86_400);
    const query = `timestamp_gte=${day}&timestamp_lt=${formatInstant(Math.floor(now / 1000) + 1)}&expand=none`;
    return [
      `Set address and key in the till${inTill}. This request tests both and stores nothing:${note}`,
      `curl${trust} '${address}/v1/raw_transactions?${query}' ${tokenHeader(presented)}`,
    ];
  }
  return [
    `Send a first sale. It is a test:${note}`,
    saleRequest(address, { keyId: key.id, secret: presented, now }, trust).join(' '),
  ];
}

/**
 * The parts of a curl command that sends a first sale: the call, its headers and its body. Each key has its own id of the sale, so
 * that two tills which try it cause no conflict. `now` is in epoch milliseconds. `trust` is an option of curl with a space before it.
 */
export function saleRequest(
  address: string,
  { keyId, secret, now }: { readonly keyId: number; readonly secret: string; readonly now: number },
  trust = '',
): string[] {
  const sale = {
    type: 'sale',
    external_id: `T${keyId}-000001`,
    timestamp: `${formatInstant(now / 1000)}Z`,
    object: { total: 12.5 },
  };
  return [
    `curl${trust} ${quoted(`${address}/v1/raw_transactions`)}`,
    `${tokenHeader(secret)} -H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(sale)}'`,
  ];
}

function tokenHeader(key: string): string {
  return `-H 'token: ${key}'`;
}

/** An address with IPv6 in quotes, because some shells read brackets as a pattern. */
function quoted(url: string): string {
  return url.includes('[') ? `"${url}"` : url;
}

function numbered(steps: readonly Step[]): string[] {
  return steps.flatMap(([sentence, ...commands], at) => [
    `${steps.length === 1 ? '' : `${at + 1}. `}${sentence}`,
    ...commands.map((command) => `   ${command}`),
  ]);
}
