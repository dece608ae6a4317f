// A network state for tests: open on one interface, with the gateway's own certificate.

import type { ListenFailure, NetworkView } from '../../server/contract/network.ts';

const FINGERPRINT = Array.from({ length: 32 }, (_, at) => at.toString(16).padStart(2, '0').toUpperCase()).join(':');

/** The default state, with the given members replaced. */
export function networkView(changed: Partial<NetworkView> = {}): NetworkView {
  return {
    settings: { isOpen: true, interfaces: null, allowsPlainHttp: false, isConsoleOpen: false, isAnnounced: null },
    fixedBy: [],
    interfaces: [{ name: 'eth0', addresses: ['192.168.1.20'], isVirtual: false, isUsed: true }],
    addresses: ['https://192.168.1.20:7410'],
    names: ['till-server.local'],
    consoleAddresses: [],
    localAddress: 'http://127.0.0.1:7410',
    announcement: { state: 'off' },
    certificate: {
      source: 'own',
      names: ['till-server.local', 'localhost', '127.0.0.1', '192.168.1.20'],
      expiresAt: Date.UTC(2027, 1, 1),
      fingerprint: FINGERPRINT,
    },
    authority: {
      fingerprint: FINGERPRINT,
      file: '/var/lib/counterfoil/ca.pem',
      createdAt: Date.UTC(2026, 10, 1),
      expiresAt: Date.UTC(2036, 10, 1),
    },
    tillsAtOldAddress: [],
    tillsToTrust: [],
    failures: [],
    ...changed,
  };
}

/** An address that tills cannot use. */
export function failureAt(address: string, detail: string, kind: ListenFailure['kind'] = 'failed'): ListenFailure {
  return { kind, address, detail, since: Date.UTC(2026, 10, 23) };
}
