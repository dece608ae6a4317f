// Says how to connect a till with a new key: the address, and lines to copy into a shell. The console shows the same lines on
// its join card.

import {
  askOf,
  authorityAt,
  CA_FILE,
  joinRequestKind,
  type JoinRequestKind,
  type JoinRequestParts,
  KEY_PLACEHOLDER,
  recordsUrl,
  writeInShell,
} from '../contract/join-request.ts';
import type { NetworkView } from '../contract/network.ts';
import { dataOption } from '../data-location.ts';
import { PROGRAM } from '../program.ts';
import { closedNote } from './network-report.ts';

/** `secret` is null if the till keeps a key that it already had. Then no key is printed. */
export interface JoinChoice extends Pick<JoinRequestParts, 'key' | 'mode' | 'secret'> {
  readonly dataDir: string;
}

/** Returns the lines to print after the key. `view` is the network of the running gateway; it is undefined if none runs. */
export function joinSteps(view: NetworkView | undefined, { dataDir, ...choice }: JoinChoice): string[] {
  const data = dataOption(dataDir);
  if (view === undefined)
    return [`When the gateway runs, this shows the address for the till: ${PROGRAM} lan status${data}`];
  const [address = view.localAddress, ...others] = view.addresses;
  const authority = authorityAt(address, view.authority);
  const { key, secret } = choice;
  const kind = joinRequestKind(choice);
  const lines = [`Address for the till: ${recordsUrl(address, key.interface)}`];
  if (others.length > 0) lines.push(`If the till cannot reach it: ${others.join(', ')}`);
  if (view.addresses.length === 0) lines.push(`This address is for tills on this machine. ${closedNote(view, data)}`);
  const check = authority === null ? '' : 'check the certificate of the gateway and ';
  const note = secret === null && kind !== 'health' ? ` ${KEY_PLACEHOLDER} stands for the key of the till.` : '';
  const trust = authority === null ? '' : `, and let it trust ${CA_FILE}`;
  const request = writeInShell(askOf({ ...choice, address, authority }), authority);
  return [
    ...lines,
    '',
    `On the machine of the till, run these lines. They ${check}${EFFECTS[kind]}:${note}`,
    '',
    ...request,
    '',
    secret === null
      ? `Then set the address in the till${trust}. It keeps its key.`
      : `Then set address and key in the till${trust}.`,
  ];
}

const EFFECTS: Readonly<Record<JoinRequestKind, string>> = {
  sale: 'send a test sale',
  count: 'test address and key. They store nothing',
  health: 'test the address. They store nothing',
};
