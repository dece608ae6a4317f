// One-time links into the console. Those that this process makes are kept in memory, so that they let people in when the
// disk is full, who want to see just that; those of other processes are in the store.

import { hash, randomBytes } from 'node:crypto';

import type { Clock } from '../lib/clock.ts';
import { LINK_MS } from '../listening.ts';
import type { People } from '../store/people/ledger.ts';

export interface Links {
  /** Makes a link and returns its code, 256 random bits that may stand in an address. */
  create(): string;
  /** Uses a link up, whichever process made it; whether it was there and had not expired. */
  use(code: string): Promise<boolean>;
}

export function openLinks(people: Pick<People, 'useLink'>, clock: Clock): Links {
  /** When each expires, by the SHA-256 of its code. */
  const links = new Map<string, number>();
  const digestOf = (code: string): string => hash('sha256', code, 'base64');
  const forgetExpired = (): void => {
    for (const [digest, expiresAt] of links) if (expiresAt <= clock.monotonic()) links.delete(digest);
  };
  return {
    create() {
      forgetExpired();
      const code = randomBytes(32).toString('base64url');
      links.set(digestOf(code), clock.monotonic() + LINK_MS);
      return code;
    },
    async use(code) {
      forgetExpired();
      return links.delete(digestOf(code)) || people.useLink(code);
    },
  };
}
