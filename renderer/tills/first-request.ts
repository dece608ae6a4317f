// The first request of a till at an address that needs no trust, for curl. Pure.

import { KEY_PREFIXES } from '../../server/contract/codes.ts';
import type { KeyView } from '../../server/contract/setup.ts';
import { joinRequest } from './join-request.ts';

/** Only a test key posts a sale. */
export function firstRequest(
  apiUrl: string,
  secret: string,
  key: Pick<KeyView, 'id' | 'interface' | 'createdAt'>,
): string {
  const mode = secret.startsWith(KEY_PREFIXES.test) ? 'test' : 'production';
  return joinRequest('curl', { address: apiUrl, authority: null, secret, key, mode });
}
