// The ports while a start updates data of an earlier version. They have the same addresses, names and certificate as before. Each
// call gets 503, so that tills send it again. The data are not changed. If the ports cannot be opened, the update goes on.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { connectionLimits, limitConnections } from '../http/connection-limit.ts';
import { answerMeanwhile } from '../http/problem.ts';
import { openSecureServer, type SecureServer } from '../http/secure-server.ts';
import type { EarlierNetwork } from '../store/network/ledger.ts';
import { openEntry } from './entry.ts';
import { type NetworkParts, openNetwork } from './network.ts';

const SERVER_OPTIONS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  requireHostHeader: false,
};
/** Maximum time that running calls get to finish. */
const MAX_DRAIN_MS = 1000;

export interface UpdatePorts {
  /** Closes the ports. Safe to call twice. */
  close(): Promise<void>;
}

export interface UpdatePortsParts extends Omit<
  NetworkParts,
  'store' | 'isClockRight' | 'metrics' | 'api' | 'console' | 'beforeListening' | 'onChange'
> {
  readonly earlier: EarlierNetwork;
}

/** Begins to open the ports, and does not wait for them. */
export function openUpdatePorts(parts: UpdatePortsParts): UpdatePorts {
  const { earlier, log } = parts;
  const { waitToListen } = parts;
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {}); // nobody may be waiting
  let closing: Promise<void> | undefined;
  const tills = openListener(parts);
  const consoleListener = openListener(parts);
  const opening = openNetwork({
    ...parts,
    api: tills,
    console: consoleListener,
    store: {
      network: {
        settings: async () => earlier.settings,
        authorities: async () => earlier.authorities,
        addAuthority: () => Promise.reject(new Error('the data are being updated')),
      },
      people: { list: async () => (earlier.hasUsers ? [{}] : []) },
      setup: {
        listAdministrations: async () => earlier.customers.map((customer) => ({ customer })),
        listKeys: async () => [],
      },
      watch() {},
    },
    isClockRight: () => false, // then an authority that expires soon stays in use
    metrics: { addGauge() {} },
    // The end of the update must not wait until a person has answered.
    ...(waitToListen !== undefined && { waitToListen: () => Promise.race([waitToListen(), end.promise]) }),
    onChange() {},
  }).catch((err: unknown) => {
    if (closing === undefined)
      log.warn({ err }, 'tills get no answer during the update, because the ports cannot be opened');
    return undefined;
  });
  async function closeAll(): Promise<void> {
    end.reject(new Error('the update has ended'));
    const network = await opening;
    await network?.close();
    await Promise.all([tills, consoleListener].map((listener) => listener.close()));
  }
  return { close: () => (closing ??= closeAll()) };
}

type Listener = NetworkParts['api'] & { close(): Promise<void> };

/** A listener that serves nothing. */
function openListener({ config, log }: Pick<UpdatePortsParts, 'config' | 'log'>): Listener {
  const answer = (req: IncomingMessage, res: ServerResponse): void =>
    answerMeanwhile(req, res, 'updating its data to a new version');
  const plain = createServer(SERVER_OPTIONS, answer).on('checkContinue', answer);
  let allowsPlainHttp = false;
  let secure: SecureServer | undefined;
  const entry = openEntry({
    plain,
    takesPlainFromNetwork: () => allowsPlainHttp,
    onSilence() {},
    onError: (err) => log.error({ err }, 'a listener failed'),
  });
  limitConnections(entry, connectionLimits(config.connectionsPerAddress));
  return {
    entry,
    secureWith(certificate) {
      if (certificate !== undefined && secure === undefined) {
        secure = openSecureServer(SERVER_OPTIONS, certificate, () => {});
        secure.server.on('request', answer).on('checkContinue', answer);
      }
      entry.secureWith(certificate && secure?.server);
    },
    allowPlainHttp: (isAllowed) => void (allowsPlainHttp = isAllowed),
    async close() {
      secure?.close();
      await entry.close(MAX_DRAIN_MS);
    },
  };
}
