// Makes a server listen at its address and port. If that fails, the error says what to do.

import type { AddressInfo, Server } from 'node:net';

import { OperatorError } from '../errors.ts';

/** The address at which a server listens. `host` has the form that URLs need. */
export interface ListeningAt {
  readonly host: string;
  readonly port: number;
}

/** Starts a server. Rejects with an OperatorError that names `--<flag>` if the port or the address cannot be used. */
export function listen(server: Server, host: string, port: number, flag: string): Promise<ListeningAt> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(explainListening(error, host, port, flag));
    server.once('error', onError);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', onError);
      const { address, family, port: actual } = server.address() as AddressInfo;
      resolve({ host: family === 'IPv6' ? `[${address}]` : address, port: actual });
    });
  });
}

function explainListening(error: NodeJS.ErrnoException, host: string, port: number, flag: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} is used by another program. Stop it, or choose another port with --${flag}.`,
        { fault: 'port_used', cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(
        `This machine has no address ${host}. Choose one of its addresses with --host, or 0.0.0.0 for all.`,
        { fault: 'settings_wrong', cause: error },
      );
    case 'EACCES':
      return new OperatorError(`Port ${port} cannot be opened by this user. Choose one above 1024 with --${flag}.`, {
        fault: 'settings_wrong',
        cause: error,
      });
    default:
      return error;
  }
}
