// How a call of the earlier interface is addressed (specification 9): by Host `<customer_name>.<customer_id>.<base_domain>`,
// by the path `/c/{customer_name}/{customer_id}/…` where a till has no DNS, or by its token alone. What a Host or path says
// of customer and mode must be what the key says.

import { type Mode, TEST_LABEL } from '../contract.ts';
import { GatewayError } from '../errors.ts';
import type { Administration } from '../store/administration.ts';
import type { Key } from '../store/key.ts';

/** Paths of the earlier interface: `/{version}/{resource}`, and everything under `/c/`. */
export const EARLIER_PATHS = /^\/(?:c\/.*|[^/]+\/[^/]*\/?)$/; // captures nothing, so nothing is decoded on the way

/** Whom an address names. */
interface Addressee {
  readonly customerName: string;
  readonly customerId: string;
  readonly mode: Mode;
}

export interface EndPoint {
  readonly version: string;
  readonly resource: string;
}

/** Reads the path of a URL, which is one of EARLIER_PATHS; a part that is not there is empty. */
export function parsePath(url: string): { readonly addressee?: Addressee; readonly endPoint: EndPoint } {
  const path = url.replace(/^\w+:\/\/[^/?]*/, '').replace(/\?.*$/s, '');
  const [first = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1).map(decodeSegment);
  if (first !== 'c') return { endPoint: endPointOf([first, ...rest]) };
  const { mode, labels } = splitMode(rest);
  const [customerName = '', customerId = '', ...more] = labels;
  return { addressee: addresseeOf(customerName, customerId, mode), endPoint: endPointOf(more) };
}

/** More than two segments make no resource that could be set up. */
function endPointOf([version = '', ...rest]: readonly string[]): EndPoint {
  return { version, resource: rest.join('/') };
}

/** Whom a Host header names under the base domain; undefined when it is another name or an IP address. Throws 403 when it names nobody. */
export function parseHost(host: string, baseDomain: string): Addressee | undefined {
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  if (baseDomain === '' || !name.endsWith(`.${baseDomain}`)) return undefined;
  const { mode, labels } = splitMode(name.slice(0, -baseDomain.length - 1).split('.'));
  const [customerName, customerId, ...more] = labels;
  if (customerName !== undefined && customerId !== undefined && more.length === 0) {
    return addresseeOf(customerName, customerId, mode);
  }
  throw mismatch(`The Host is not of the form <customer_name>.<customer_id>.${baseDomain}.`);
}

/** Throws 403 unless the key is one of the administration and mode that an address names. */
export function assertAddressed(addressee: Addressee | undefined, key: Key, administration: Administration): void {
  if (addressee === undefined) return;
  const { customer, name } = administration;
  if (addressee.mode !== key.mode) {
    throw mismatch(`The address is for ${addressee.mode}, but the key of ${key.label} is for ${key.mode}.`);
  }
  if (customer === null) {
    throw mismatch(`${name} has no customer name and id yet: counterfoil administrations set gives it both.`);
  }
  if (customer.name !== addressee.customerName || customer.id !== addressee.customerId) {
    throw mismatch(`The address is not that of ${name}: its customer name is ${customer.name}, its id ${customer.id}.`);
  }
}

function splitMode(labels: readonly string[]): { readonly mode: Mode; readonly labels: readonly string[] } {
  return labels[0]?.toLowerCase() === TEST_LABEL
    ? { mode: 'test', labels: labels.slice(1) }
    : { mode: 'production', labels };
}

/** Customer names and ids are parts of a domain name, so their case makes no difference. */
function addresseeOf(customerName: string, customerId: string, mode: Mode): Addressee {
  return { customerName: customerName.toLowerCase(), customerId: customerId.toLowerCase(), mode };
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
