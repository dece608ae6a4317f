// Finds the base address that a till called, such as https://192.168.1.20:7410. The gateway stores it with the key. With it,
// the console shows which tills still use an old address of this machine. A till can put any text into its Host header, so only
// names and addresses of this machine count.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** A host name or address with an optional port. */
const HOST = /^([a-z\d.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i;

/**
 * Returns the function that finds the base address of a call. That function returns undefined for a host that is not this
 * machine. It remembers the last Host of each connection, because a till sends the same one with each call.
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
