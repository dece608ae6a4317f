// The address of a call of the earlier interface (docs/interface.md#addresses). A till names its customer in the Host
// `<customer_name>.<customer_id>.<base_domain>`. Without DNS, it uses the path `/c/{customer_name}/{customer_id}/…`. It may
// also send only its token. If the address names a customer or a mode, the key must belong to that customer or mode.

import { type Mode, TEST_HOST_PREFIX } from '../contract/codes.ts';
import type { Customer } from '../contract/setup.ts';
import { GatewayError } from '../errors.ts';
import type { EndPoint } from '../store/outbox/ledger.ts';
import type { Administration, Key } from '../store/setup/ledger.ts';

/**
 * Matches paths with more than one segment. Such paths belong to the earlier interface, where an unknown path gets 400, never
 * 404. A call with an access token also belongs to the earlier interface, whatever its path is.
 */
// The pattern has no capture group, because Express would URL-decode the text of a group.
export const EARLIER_PATHS = /^\/[^/]+\/./;

/** The customer and the mode that an address names. */
interface AddressedCustomer extends Customer {
  readonly mode: Mode;
}

/** Parses the path of a URL; missing parts are empty. */
export function parsePath(url: string): { readonly customer?: AddressedCustomer; readonly endPoint: EndPoint } {
  const path = url.replace(/^\w+:\/\/[^/?]*/, '').replace(/\?.*$/s, '');
  const [first = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1).map(decodeSegment);
  if (first !== 'c') return { endPoint: endPointOf([first, ...rest]) };
  const { mode, labels } = splitMode(rest);
  const [name = '', id = '', ...more] = labels;
  return { customer: customerOf(name, id, mode), endPoint: endPointOf(more) };
}

/**
 * Returns the end point of a path. With more than two segments, the resource contains a slash. Such a resource is unknown, and
 * is refused later.
 */
function endPointOf([version = '', ...rest]: readonly string[]): EndPoint {
  return { version, resource: rest.join('/') };
}

/** Whether the path has the form of an end point: a version and one resource. */
export function isEndPoint({ version, resource }: EndPoint): boolean {
  return version !== '' && resource !== '' && !resource.includes('/');
}

/** Maximum characters of a Host: a domain name (253, RFC 1035), its final dot, and a port. */
const MAX_HOST_LENGTH = 260;

/**
 * Finds the customer in a Host header. Returns undefined for an IP address, and for a name outside the base domain. Throws 403
 * for an unknown name under the base domain. Throws 400 for a long Host, because the regular expressions of this function take
 * quadratic time.
 */
export function parseHost(host: string, baseDomain: string): AddressedCustomer | undefined {
  if (host.length > MAX_HOST_LENGTH) {
    throw new GatewayError('request_malformed', { detail: `Send a Host of at most ${MAX_HOST_LENGTH} characters.` });
  }
  // Drops a port and a final dot before the name is compared with the base domain.
  const hostName = host
    .replace(/:.*$/, '')
    .replace(/[^a-z0-9]+$/i, '')
    .toLowerCase();
  if (baseDomain === '' || !hostName.endsWith(`.${baseDomain}`)) return undefined;
  const { mode, labels } = splitMode(hostName.slice(0, -baseDomain.length - 1).split('.'));
  const [name, id, ...more] = labels;
  if (name !== undefined && id !== undefined && more.length === 0) return customerOf(name, id, mode);
  throw mismatch(`The Host is not of the form <customer_name>.<customer_id>.${baseDomain}.`);
}

/** Throws 403 unless the key belongs to the administration and mode of the address. */
export function assertAddressed(
  addressed: AddressedCustomer | undefined,
  key: Key,
  administration: Administration,
): void {
  if (addressed === undefined) return;
  const { customer, name } = administration;
  if (addressed.mode !== key.mode) {
    throw mismatch(`The address is for ${addressed.mode}, but the key of ${key.label} is for ${key.mode}.`);
  }
  if (customer === null) {
    throw mismatch(`${name} has no customer name and id yet. Ask the store to set them.`);
  }
  if (customer.name !== addressed.name || customer.id !== addressed.id) {
    throw mismatch(
      `The address does not belong to ${name}, whose customer name is ${customer.name} and customer id ${customer.id}.`,
    );
  }
}

function splitMode(labels: readonly string[]): { readonly mode: Mode; readonly labels: readonly string[] } {
  return labels[0]?.toLowerCase() === TEST_HOST_PREFIX
    ? { mode: 'test', labels: labels.slice(1) }
    : { mode: 'production', labels };
}

/** Makes the customer of an address. Converts name and id to lower case, because domain names ignore case. */
function customerOf(name: string, id: string, mode: Mode): AddressedCustomer {
  return { name: name.toLowerCase(), id: id.toLowerCase(), mode };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function mismatch(detail: string): GatewayError {
  return new GatewayError('address_mismatch', { detail });
}
