// A record that this gateway forwarded itself must not be taken: it would be a duplicate here, count as delivered there, and
// never have left.

import { GatewayError } from '../errors.ts';
import { type Via, VIA_HEADER } from '../via.ts';
import type { Call } from './call.ts';

/** Throws 508 when a record came through this gateway before. Done before the key is looked at: it may not be one of ours. */
export function refuseOwn(call: Call, via: Via): void {
  if (!via.isOwn(viaOf(call))) return;
  throw new GatewayError('forwarding_loop', {
    detail:
      'This gateway forwarded the record itself: the upstream that it is sent to is, or leads back to, this gateway.',
  });
}

const HEADER = VIA_HEADER.toLowerCase();

/** Through which gateways a call says that it came. */
export function viaOf({ req }: Call): string | undefined {
  return req.headers[HEADER]?.toString();
}
