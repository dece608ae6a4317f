// The base address that a till called, such as https://192.168.1.20:7410. It is noted with the key, so that people see which tills
// still call an address that this machine no longer has. A Host header is the till's claim: only own names and addresses count.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** A host name or address with an optional port. */
const HOST = /^([a-z\d.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i;

/**
 * Returns the function that finds the base address of a call; undefined for a foreign name. A till sends the same Host with each
 * call, so the last one of a connection is remembered.
 */
export function openCalledAddresses(
  isOwnHost: (host: string) => boolean,
): (req: Pick<IncomingMessage, 'socket' | 'headers'>) => string | undefined {
  const known = new WeakMap<Socket, { readonly host: string; readonly address: string | undefined }>();

  function find(host: string, socket: Socket): string | undefined {
    const [, name = '', port = ''] = HOST.exec(host) ?? [];
    if (name === '' || !isOwnHost(name.replace(/^\[|\]$/g, '').toLowerCase())) return undefined;
    const isSecure = (socket as Partial<TLSSocket>).encrypted === true;
    return `${isSecure ? 'https' : 'http'}://${name.toLowerCase()}${port}`;
  }

  return ({ socket, headers: { host = '' } }) => {
    const last = known.get(socket);
    if (last?.host === host) return last.address;
    const address = find(host, socket);
    known.set(socket, { host, address });
    return address;
  };
}
