// The first request of a till, ready to be pasted. Pure.

import type { KeyInterface } from '../../server/contract.ts';

const EXAMPLE_ID = 'T1-000001';

/** `now` is in epoch milliseconds; `key` speaks this interface. */
export function joinRequest(apiUrl: string, key: string, by: KeyInterface, now: number): string {
  const timestamp = new Date(now).toISOString().replace(/\.\d+/, '');
  if (by === 'earlier') {
    return [
      `curl -G ${apiUrl}/v1/transaction`,
      `-H 'Authorization: Bearer ${key}'`,
      `-d transactionid=${EXAMPLE_ID} -d timestamp=${timestamp} -d amount=12.50`,
    ].join(' \\\n  ');
  }
  const body = { type: 'sale', external_id: EXAMPLE_ID, timestamp, object: { total: 12.5 } };
  return [
    `curl ${apiUrl}/v1/raw_transactions`,
    `-H 'token: ${key}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}

/** Whether only programs on this machine reach the address. */
export function isOnlyHere(apiUrl: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(URL.parse(apiUrl)?.hostname ?? '');
}
