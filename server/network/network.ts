// The network of a gateway. It applies the network settings to both listeners, follows changes of this machine's addresses, and
// knows which addresses to print. Loopback always stays open. A fault at one address becomes a failure in the view, and the
// other addresses stay open.

import type { Config } from '../config.ts';
import type { NetworkSettings, NetworkTestView, NetworkView } from '../contract/network.ts';
import { OperatorError } from '../errors.ts';
import type { SharedCertificate } from '../http/secure-server.ts';
import type { Clock } from '../lib/clock.ts';
import { chooseHost, type Interfaces, type Resolve } from '../lib/own-address.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { NetworkLedger } from '../store/network/ledger.ts';
import type { Administration, SetupLedger } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import { watchAddresses } from './addresses.ts';
import { openAnnouncer } from './announcer.ts';
import { openCertificateSource } from './certificate-source.ts';
import type { Entry } from './entry.ts';
import { openFollower } from './follower.ts';
import { missingUserSentence } from './missing-user.ts';
import { removeNetworkFile, writeNetworkFile } from './network-file.ts';
import { type AppliedNetwork, listUncertified, localUrl, type ShownNetwork, showNetwork } from './network-view.ts';
import { decideOpening, type Opening, readFixedOpening } from './opening.ts';
import { listTestAddresses, testNetwork } from './outside-test.ts';
import { listAddresses, listCustomerHosts, listMachineNames, ownHosts } from './own-host.ts';
import { type NewFailure, openPort, type Port } from './port.ts';

/** The parts of a listener that this module uses. */
interface NetworkListener {
  readonly entry: Entry;
  secureWith(certificate: SharedCertificate | undefined): void;
}

export interface NetworkParts {
  readonly config: Config;
  readonly store: {
    readonly network: Pick<NetworkLedger, 'settings' | 'authorities' | 'addAuthority'>;
    readonly people: { list(): Promise<readonly unknown[]> };
    readonly setup: Pick<SetupLedger, 'listKeys'> & {
      listAdministrations(): Promise<readonly Pick<Administration, 'customer'>[]>;
    };
    readonly watch: Store['watch'];
  };
  readonly clock: Clock;
  /** Whether the machine's clock is known to be right. */
  readonly isClockRight: () => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'addGauge'>;
  readonly api: NetworkListener & { allowPlainHttp(isAllowed: boolean): void };
  readonly console: NetworkListener;
  /** Awaited before the first port opens. A gateway that restarts on restored data closes its former ports there. */
  readonly beforeListening?: (() => Promise<void>) | undefined;
  /** Resolves when the gateway may listen for other machines. Before that, the app may ask a person about the firewall. */
  readonly waitToListen?: (() => Promise<void>) | undefined;
  readonly readInterfaces?: (() => Interfaces) | undefined;
  readonly resolveName?: Resolve | undefined;
  /** The UDP port of mDNS; undefined for the standard port. */
  readonly mdnsPort?: number | undefined;
  /** Called after each change of the view. */
  readonly onChange: () => void;
}

export interface Network {
  readonly port: number;
  readonly consolePort: number;
  view(): NetworkView;
  /** Resolves when the present settings are applied and the view shows the result. */
  settle(): Promise<void>;
  /** Tests every printed address by connecting as a till on another machine would. Never rejects. */
  test(): Promise<readonly NetworkTestView[]>;
  /**
   * The address to print for tills. If other machines can connect, it is an address for them; otherwise it is one for this
   * machine.
   */
  apiUrl(): string;
  consoleUrl(): string;
  /** The console's address for this machine. It is HTTP, so it needs no trusted certificate. */
  localConsoleUrl(): string;
  /** The root certificate of the gateway's own authority; undefined if there is no authority. */
  authority(): { readonly certificate: string; readonly der: Buffer } | undefined;
  /** Whether a host name or an address belongs to this machine. */
  isOwnHost(host: string): boolean;
  /** Stops reacting to changes. The listeners stay open. */
  close(): Promise<void>;
}

/**
 * Makes both listeners listen, and opens the addresses that people chose. Rejects with an OperatorError if an address or
 * certificate in the settings cannot be used.
 */
export async function openNetwork(parts: NetworkParts): Promise<Network> {
  const { config, store, clock, log, api, console: consoleListener } = parts;
  const fixed = readFixedOpening(config);
  let inUse: SharedCertificate | undefined;
  let mayListen: Promise<void> | undefined;
  let isOwnHost = ownHosts([], config.baseDomain);
  let shown: ShownNetwork | undefined;
  let isClosed = false;

  const follower = openFollower({
    apply,
    isToRepeat() {
      const { failures = [], tillsAtOldAddress = [], tillsToTrust = [] } = shown?.view ?? {};
      return failures.some(({ kind }) => kind === 'failed') || tillsAtOldAddress.length > 0 || tillsToTrust.length > 0;
    },
    onFault: (err) => log.error({ err }, 'the settings of the network could not be applied'),
    clock,
  });
  const onChange = (): void => follower.follow();
  const watch = watchAddresses({ clock, readInterfaces: parts.readInterfaces, onChange });
  const announcer = openAnnouncer(config.dataDir, () => ({
    port: tillsPort.port,
    addresses: tillsPort.opened,
    scheme: 'https',
    log,
    clock,
    onChange,
    ...(parts.mdnsPort !== undefined && { mdnsPort: parts.mdnsPort }),
  }));
  const certificate = openCertificateSource({ ...parts, listHosts, onReplaced: onChange });

  async function listHosts(): Promise<readonly string[]> {
    return [
      ...announcer.names(),
      ...listMachineNames(),
      ...listAddresses(watch.interfaces()),
      ...(await listCustomerHosts(store.setup, config.baseDomain)),
    ];
  }

  const askOnce = (): Promise<void> => (mayListen ??= parts.waitToListen?.() ?? Promise.resolve());
  const hasUsers = async (): Promise<boolean> => (await store.people.list()).length > 0;

  /**
   * Chooses the certificate to use. If an authority exists, chooses a certificate even while the network is closed, so that
   * programs on this machine can use HTTPS. Rejects only if HTTPS is needed for other machines.
   */
  async function chooseCertificate(needsHttps: boolean): Promise<void> {
    if (needsHttps) inUse = await certificate.open();
    else if (!fixed.isPlainOnly)
      inUse = await certificate.find().catch((err: unknown) => {
        log.error({ err }, 'cannot make a certificate for programs on this machine');
        return inUse;
      });
  }

  /** Opens the addresses from the start settings of the gateway. */
  async function openFixed(): Promise<readonly [tills: Port, console: Port]> {
    const { host, port, consoleHost, consolePort } = config;
    if (fixed.isConsoleOpen && !(await hasUsers()))
      throw new OperatorError(missingUserSentence(config.dataDir), { fault: 'settings_wrong' });
    await chooseCertificate((fixed.isTillsOpen && !fixed.isPlainOnly) || fixed.isConsoleOpen);
    if (!fixed.isPlainOnly) api.secureWith(inUse);
    if (fixed.isConsoleOpen) consoleListener.secureWith(inUse);
    if (fixed.isTillsOpen || fixed.isConsoleOpen) await askOnce();
    await parts.beforeListening?.();
    const tills = await openPort(api.entry, { host, port, flag: 'port' });
    return [
      tills,
      await openPort(consoleListener.entry, { host: consoleHost, port: consolePort, flag: 'console-port' }),
    ];
  }

  function giveUp(error: unknown): never {
    try {
      watch.close();
      certificate.close();
    } catch (err) {
      log.error({ err }, 'a part of the network could not be closed'); // the caller must see why the start failed
    }
    throw error;
  }

  const [tillsPort, consolePort] = await openFixed().catch(giveUp);

  /** Applies the present network settings to the present addresses. */
  async function apply(): Promise<void> {
    const settings = await store.network.settings();
    const opening = decideOpening(settings, fixed, watch.interfaces());
    const failures: NewFailure[] = [];
    const isAnnounced = opening.hosts.length > 0 && (settings.isAnnounced ?? parts.waitToListen !== undefined);
    // This comes before the choice of the certificate, because the certificate must contain only announced names.
    if (!isAnnounced) await announcer.announce(false);
    const isReady = await chooseCertificate(opening.needsHttps).then(
      () => true,
      (err: unknown) => {
        log.error({ err }, 'cannot make a certificate, so the network stays as it is');
        failures.push({
          kind: 'failed',
          address: '',
          detail: `No certificate could be made: ${reasonOf(err)}. The log file says more.`,
        });
        return false;
      },
    );
    if (isReady) failures.push(...(await open(opening)));
    if (isClosed) return;
    if (isAnnounced) await announcer.announce(true);
    isOwnHost = ownHosts([...(await listHosts()), ...certificate.fileHosts()], config.baseDomain);
    await show(settings, opening, failures);
  }

  /** Listens at exactly these addresses, with the chosen certificate. Returns the failures. */
  async function open({ hosts, wantsConsole, allowsPlainHttp }: Opening): Promise<readonly NewFailure[]> {
    const isConsoleReady = wantsConsole && (await hasUsers());
    if (!fixed.isPlainOnly) api.secureWith(inUse);
    api.allowPlainHttp(allowsPlainHttp);
    if (isConsoleReady || fixed.isConsoleOpen) consoleListener.secureWith(inUse);
    if (hosts.length > 0) await askOnce();
    if (isClosed) return [];
    const failures = [...(await tillsPort.open(hosts)), ...(await consolePort.open(isConsoleReady ? hosts : []))];
    if (!isConsoleReady && !fixed.isConsoleOpen) consoleListener.secureWith(undefined);
    if (!wantsConsole || isConsoleReady) return failures;
    return [
      { kind: 'failed', address: `https://…:${consolePort.port}`, detail: missingUserSentence(config.dataDir) },
      ...failures,
    ];
  }

  /** Adds the time to each failure. A failure that already existed keeps its earlier time. */
  function dated(failures: readonly NewFailure[]): AppliedNetwork['failures'] {
    const known = new Map(shown?.view.failures.map((each) => [`${each.address} ${each.detail}`, each.since]));
    return failures.map((each) => ({ ...each, since: known.get(`${each.address} ${each.detail}`) ?? clock.now() }));
  }

  async function show(settings: NetworkSettings, opening: Opening, failures: readonly NewFailure[]): Promise<void> {
    const fileHosts = certificate.fileHosts();
    const isAnyOpen = fixed.isTillsOpen || fixed.isConsoleOpen || tillsPort.opened().length > 0;
    const served = inUse?.inUse();
    const { source } = certificate;
    const { allowsPlainHttp } = opening;
    const { baseDomain } = config;
    const uncertified = listUncertified({ tills: tillsPort, served, source, allowsPlainHttp, baseDomain });
    const next = showNetwork({
      settings,
      opening,
      failures: dated([...failures, ...uncertified]),
      config,
      fixed,
      tills: tillsPort,
      console: consolePort,
      served,
      source,
      fileHosts,
      fileHost: fileHosts.length > 0 && isAnyOpen ? await chooseHost(fileHosts, parts.resolveName) : undefined,
      authority: certificate.authority(),
      announcement: announcer.state(),
      names: announcer.names(),
      keys: isAnyOpen ? await store.setup.listKeys() : [],
      isOwnHost,
    });
    const isSame = JSON.stringify(shown?.view) === JSON.stringify(next.view);
    shown = next;
    if (isSame || isClosed) return;
    try {
      writeNetworkFile(config.dataDir, next.view);
    } catch (err) {
      log.warn({ err }, 'cannot write the state of the network for commands');
    }
    parts.onChange();
  }

  await follower.start().catch(giveUp);
  store.watch({ setupChanged: onChange });
  const latest = (): ShownNetwork => {
    if (shown === undefined) throw new Error('the network was not applied');
    return shown;
  };

  return {
    port: tillsPort.port,
    consolePort: consolePort.port,
    view: () => latest().view,
    settle: async () => follower.settle(),
    test: () =>
      testNetwork(listTestAddresses(latest().view), certificate.authority()?.certificate, {
        shopFile: config.tls?.certificate,
        ...(parts.resolveName !== undefined && { resolve: parts.resolveName }),
      }),
    apiUrl: () => latest().apiUrl,
    consoleUrl: () => latest().consoleUrl,
    localConsoleUrl: () => localUrl(consolePort),
    authority: certificate.authority,
    isOwnHost: (host) => isOwnHost(host),
    async close() {
      isClosed = true;
      watch.close();
      await follower.close();
      await announcer.close();
      certificate.close();
      removeNetworkFile(config.dataDir, log);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
