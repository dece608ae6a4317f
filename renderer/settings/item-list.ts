// Comma-separated lists as people type them. Pure; the gateway validates each item.

import type { Resource } from '../../server/contract/setup.ts';

const DEFAULT_ID = 'transactionid';

export function parseItems(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Example: "transaction, refund:refundid". The id parameter is shown only if it is not the default. */
export function formatResources(resources: readonly Resource[]): string {
  return resources
    .map(({ name, idParameter }) => (idParameter === DEFAULT_ID ? name : `${name}:${idParameter}`))
    .join(', ');
}

export function parseResources(text: string): readonly Resource[] {
  return parseItems(text).map((item) => {
    const colon = item.indexOf(':');
    if (colon === -1) return { name: item, idParameter: DEFAULT_ID };
    return { name: item.slice(0, colon).trim(), idParameter: item.slice(colon + 1).trim() };
  });
}
