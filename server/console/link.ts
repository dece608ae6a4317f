// One-time links into the console. Links of this process are in memory, so they work while the disk is full. Links of other
// processes are in the store.

import { hash, randomBytes } from 'node:crypto';

import type { Clock } from '../lib/clock.ts';
import { LINK_MS } from '../listening.ts';
import type { PeopleLedger } from '../store/people/ledger.ts';

export interface Links {
  /** Makes a link and returns its code: 256 random bits, URL-safe. */
  create(): string;
  /** Uses a link of any process. True if it existed and had not expired. */
  use(code: string): Promise<boolean>;
}

export function openLinks(people: Pick<PeopleLedger, 'useLink'>, clock: Clock): Links {
  /** Expiry times by the SHA-256 of the code. */
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
