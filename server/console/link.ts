// One-time links into the console. Links of this process are kept in memory, so they work even if the disk is full. Links that
// commands make are in the store.

import { hash, randomBytes } from 'node:crypto';

import type { Clock } from '../lib/clock.ts';
import { LINK_MS } from '../listening.ts';
import type { PeopleLedger } from '../store/people/ledger.ts';

export interface Links {
  /** Makes a link and returns its code: 256 random bits that need no URL encoding. */
  create(): string;
  /** Uses a link up, even if another process made it. Resolves to true if the link existed and had not expired. */
  use(code: string): Promise<boolean>;
}

/** `first` is the code of a link that the gateway made before it restarted on restored data. */
export function openLinks(people: Pick<PeopleLedger, 'useLink'>, clock: Clock, first?: string): Links {
  /** The times at which the links expire, in monotonic milliseconds. The keys are the SHA-256 of the links' codes. */
  const links = new Map<string, number>();
  const digestOf = (code: string): string => hash('sha256', code, 'base64');
  const forgetExpired = (): void => {
    for (const [digest, expiresAt] of links) if (expiresAt <= clock.monotonic()) links.delete(digest);
  };
  if (first !== undefined) links.set(digestOf(first), clock.monotonic() + LINK_MS);
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
