// Reads an upstream from a form. If only the path of the address changes, the form may omit the key, and the stored key is
// used. The stored key is never sent to another origin (scheme, host and port).

import { z } from 'zod';

import type { UpstreamRequest } from '../contract/lanes.ts';
import type { GatewayError } from '../errors.ts';
import { invalidFields } from '../http/validation.ts';
import type { LaneSettings, Upstream } from '../store/outbox/ledger.ts';
import type { UpstreamTools } from './parts.ts';

export const upstreamRequest = z.strictObject({
  url: z.string().max(2000),
  token: z.string().max(5000).exactOptional(),
  plainHttp: z.boolean().exactOptional(),
}) satisfies z.ZodType<UpstreamRequest>;

/** Reads the upstream from a form. Rejects with `field_invalid`. */
export async function readUpstreamRequest(
  { mode, interface: by, upstream: present }: LaneSettings,
  { url, token, plainHttp = false }: z.infer<typeof upstreamRequest>,
  upstreams: UpstreamTools,
): Promise<Upstream> {
  const kept = present !== null && originOf(present.url) === originOf(url) ? present.token : undefined;
  const given = token ?? kept;
  if (given === undefined) {
    const detail = 'token is required, because the stored key is not sent to another address';
    throw invalidFields([{ pointer: '/token', code: 'required', detail }]);
  }
  const reading = upstreams.read({ url, token: given, mode, interface: by, plainHttp });
  if (reading.kind === 'faulty') throw faultOf(reading.field, reading.code, reading.detail);
  const fault = await upstreams.findOwnAddressFault(reading.upstream.url);
  if (fault !== undefined) throw faultOf('url', 'own_address', fault);
  return reading.upstream;
}

function faultOf(field: 'url' | 'token', code: string, sentence: string): GatewayError {
  return invalidFields([{ pointer: `/${field}`, code, detail: sentence.replace(/\.$/, '') }]);
}

/** Returns the scheme, host and port of an address. For an invalid address, returns a text that no valid address gives. */
function originOf(text: string): string {
  const url = URL.parse(text);
  return url === null || url.origin === 'null' ? `no address: ${text}` : url.origin;
}
