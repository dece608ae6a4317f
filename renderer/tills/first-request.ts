// The first request of a till, ready to paste. Pure.

import type { KeyView } from '../../server/contract/setup.ts';
import { isLoopback } from '../lib/loopback.ts';

/**
 * Each key gets its own test id and time. So the request causes no conflict if two tills try it, or if one till tries it
 * twice.
 */
export function firstRequest(
  apiUrl: string,
  secret: string,
  { id: keyId, interface: by, createdAt }: Pick<KeyView, 'id' | 'interface' | 'createdAt'>,
): string {
  const id = `T${keyId}-000001`;
  const timestamp = new Date(createdAt).toISOString().replace(/\.\d+/, '');
  if (by === 'earlier') {
    return [
      `curl -G ${apiUrl}/v1/transaction`,
      `-H 'Authorization: Bearer ${secret}'`,
      `-d transactionid=${id} -d timestamp=${timestamp} -d amount=12.50`,
    ].join(' \\\n  ');
  }
  const body = { type: 'sale', external_id: id, timestamp, object: { total: 12.5 } };
  return [
    `curl ${apiUrl}/v1/raw_transactions`,
    `-H 'token: ${secret}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}

/** Whether only programs on this machine can reach the address. */
export function isLocalOnly(apiUrl: string): boolean {
  return isLoopback(URL.parse(apiUrl)?.hostname ?? '');
}
