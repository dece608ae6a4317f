// Who calls: the key in the `token` header (specification 5.1). Done before a byte of the body is read.

import { GatewayError } from '../errors.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';

/** The live key of a call on the current interface; notes it in `call` as soon as it is known. Throws 401 or 403. */
export function authenticate(call: Call, store: Store): Key {
  const secret = call.req.headers['token'];
  if (secret === undefined || secret === '') {
    throw new GatewayError('key_missing', { detail: 'Send the key in a header named token.' });
  }
  // Node joins repeated headers with a comma, and no key has one.
  if (typeof secret !== 'string' || secret.includes(',')) {
    throw new GatewayError('key_repeated', { detail: 'Send one token header with one key.' });
  }
  const key = store.findKey(secret);
  if (key === undefined) {
    throw new GatewayError('key_unknown', {
      detail: 'This key is not known here. Check that it was copied whole, or create one.',
    });
  }
  call.key = key;
  if (key.revokedAt !== null) {
    throw new GatewayError('key_revoked', {
      detail: `The key of ${key.label} was revoked. Create a new one for this till.`,
    });
  }
  if (key.interface === 'earlier') {
    throw new GatewayError('key_wrong_kind', {
      detail: `The key of ${key.label} is for the earlier interface; create one for the current interface.`,
    });
  }
  store.noteKeyUse(key.id, Date.now());
  return key;
}
