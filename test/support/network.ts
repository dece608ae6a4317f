// The network of a test's gateway: interfaces that do not exist, and changes as people make them. Linux listens at any address
// that begins with 127, so such an address can stand for an address in a network.

import type { NetworkSettings, NetworkView } from '../../server/contract/network.ts';
import type { Interfaces } from '../../server/lib/own-address.ts';
import type { BareGateway } from './open-gateway.ts';
import { waitUntil } from './wait-until.ts';

/** An interface with these IPv4 addresses. */
export function cardOf(...addresses: string[]): Interfaces[string] {
  return addresses.map((address) => ({
    address,
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '00:00:00:00:00:00',
    internal: false,
    cidr: `${address}/24`,
  }));
}

/** Changes the network as people do, and waits until the gateway has applied the change. */
export async function changeNetwork(
  { store, network }: Pick<BareGateway, 'store' | 'network'>,
  wanted: Partial<NetworkSettings>,
): Promise<NetworkView> {
  const settings = JSON.stringify(await store.network.change(wanted, 'Ann'));
  await waitUntil(() => JSON.stringify(network.view().settings) === settings);
  return network.view();
}
