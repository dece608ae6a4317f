// Detects forwarding loops: a record that this gateway has forwarded comes back to it. The gateway refuses the returning
// record. If the gateway accepted it as a duplicate instead, the record would count as delivered, although no upstream has it.

import { GatewayError } from '../errors.ts';
import { type Via, VIA_HEADER } from '../via.ts';
import type { Call } from './call.ts';

/**
 * Throws 508 if the record already came through this gateway. Runs before the check of the key, because this gateway may not
 * know that key.
 */
export function refuseOwn(call: Call, via: Via): void {
  if (!via.isOwn(viaOf(call))) return;
  throw new GatewayError('forwarding_loop', {
    detail: 'This gateway forwarded the record itself: its upstream address leads back to this gateway.',
  });
}

const HEADER = VIA_HEADER.toLowerCase();

/** The ids of the gateways that a call came through. */
export function viaOf({ req }: Call): string | undefined {
  return req.headers[HEADER]?.toString();
}
