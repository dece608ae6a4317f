// An address of this machine that others can use.

import { networkInterfaces } from 'node:os';

const EVERYWHERE = /(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/;

/** The same, unless it listens everywhere: then with this machine's own address in its network, where it has one. */
export function reachableUrl(url: string): string {
  if (!EVERYWHERE.test(url)) return url;
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'));
  return url.replace(EVERYWHERE, own?.address ?? '127.0.0.1');
}
