// A network for tests of the console. The test gives its addresses and tills. Its settings follow the changes that people make.

import type { NetworkTools } from '../../server/console/parts.ts';
import type { NetworkTestView, NetworkView } from '../../server/contract/network.ts';
import type { Store } from '../../server/store/store.ts';

const fingerprint = (start: number): string =>
  Array.from({ length: 32 }, (_, at) => ((start + at * 37) % 256).toString(16).padStart(2, '0').toUpperCase()).join(
    ':',
  );

const INTERFACES = [
  { name: 'eth0', addresses: ['192.168.1.20', 'fe80::5054:ff:fe12:3456'], isVirtual: false },
  { name: 'wlan0', addresses: ['192.168.1.21'], isVirtual: false },
  { name: 'docker0', addresses: ['172.17.0.1'], isVirtual: true },
];

export interface GivenNetwork extends Partial<NetworkView> {
  readonly tests?: readonly NetworkTestView[];
}

/**
 * The network of a machine with a cable, a wireless network and containers. `given` replaces members of the view. The test may
 * change `given` later.
 */
export async function openGivenNetwork(store: Store, given: GivenNetwork = {}): Promise<NetworkTools> {
  let settings = await store.network.settings();
  store.watch({
    setupChanged: () => void store.network.settings().then((present) => (settings = present)),
  });

  function view(): NetworkView {
    const { tests: _, ...changed } = given;
    const { isOpen, interfaces, isConsoleOpen, isAnnounced } = settings;
    const shown = INTERFACES.map((each) => {
      return { ...each, isUsed: isOpen && (interfaces?.includes(each.name) ?? !each.isVirtual) };
    });
    const hosts = shown.filter(({ isUsed }) => isUsed).flatMap(({ addresses }) => addresses.slice(0, 1));
    return {
      settings,
      fixedBy: [],
      interfaces: shown,
      addresses: [...hosts, ...(isOpen ? ['counterfoil.local'] : [])].map((host) => `https://${host}:7410`),
      names: ['counterfoil.local', 'shop-pc.local'],
      consoleAddresses: isConsoleOpen ? ['https://192.168.1.20:7411'] : [],
      localAddress: 'http://127.0.0.1:7410',
      announcement: isOpen && isAnnounced !== false ? { state: 'on', name: 'counterfoil.local' } : { state: 'off' },
      certificate: {
        source: 'own',
        names: ['counterfoil.local', 'shop-pc.local', 'localhost', '127.0.0.1', '192.168.1.20', '192.168.1.21'],
        expiresAt: Date.UTC(2027, 1, 20),
        fingerprint: fingerprint(11),
      },
      authority: {
        fingerprint: fingerprint(200),
        file: '/var/lib/counterfoil/ca.pem',
        createdAt: Date.UTC(2026, 10, 1, 8, 30),
        expiresAt: Date.UTC(2036, 9, 30),
      },
      tillsAtOldAddress: [],
      tillsToTrust: [],
      failures: [],
      ...changed,
    };
  }

  return {
    view,
    settle: async () => {},
    test: async () => given.tests ?? view().addresses.map((address) => ({ address, fault: null })),
  };
}
