// The network of a gateway: applies what people decided to both listeners, follows the addresses of this machine, and knows what to
// print for tills and browsers. Loopback always stays open. A fault at one address becomes a failure in the view; it never stops
// the others.

import { isIPv4 } from 'node:net';
import { hostname } from 'node:os';

import { type Config, isLoopback } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import type {
  AnnouncementState,
  AuthorityView,
  CertificateView,
  ListenFailure,
  NetworkSettings,
  NetworkTestView,
  NetworkView,
} from '../contract/network.ts';
import { OperatorError } from '../errors.ts';
import { loadCertificate, type ServedCertificate } from '../http/certificate.ts';
import { hostsOf, publicConsoleUrl } from '../http/public-address.ts';
import { type SharedCertificate, shareCertificate } from '../http/secure-server.ts';
import type { Clock } from '../lib/clock.ts';
import { chooseHost, type Interfaces, inUrl, type Resolve } from '../lib/own-address.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { PROGRAM } from '../program.ts';
import type { Store } from '../store/store.ts';
import { watchAddresses } from './addresses.ts';
import { type Authority, openAuthority } from './authority.ts';
import type { Discovery } from './discovery.ts';
import type { Entry } from './entry.ts';
import { removeNetworkFile, writeNetworkFile } from './network-file.ts';
import { listTestAddresses, testNetwork } from './outside-test.ts';
import { openOwnCertificate, type OwnCertificate } from './own-certificate.ts';
import { certifiedHosts, listAddresses, listCustomerHosts, listMachineNames, ownHosts } from './own-host.ts';
import { isWildcard, openPort, type Port } from './port.ts';
import { listBaseAddresses, markUsed } from './printed-address.ts';
import { listTillsAtOldAddress, listTillsToTrust } from './till-address.ts';

/** Interval at which failures are tried again, and at which tills that must change are looked up again. */
const RETRY_MS = 10_000;

/** A listener, as the network sees it. */
interface NetworkListener {
  readonly entry: Entry;
  secureWith(certificate: SharedCertificate | undefined): void;
}

export interface NetworkParts {
  readonly config: Config;
  readonly store: Pick<Store, 'network' | 'people' | 'setup' | 'watch'>;
  readonly clock: Clock;
  /** Whether the machine's clock is known to be right. */
  readonly isClockRight: () => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly api: NetworkListener & { allowPlainHttp(isAllowed: boolean): void };
  readonly console: NetworkListener;
  /** Resolves when the network may be opened, as after a question about the firewall. */
  readonly waitToListen?: (() => Promise<void>) | undefined;
  readonly readInterfaces?: (() => Interfaces) | undefined;
  readonly resolveName?: Resolve | undefined;
  /** Called after each change of the view. */
  readonly onChange: () => void;
}

export interface Network {
  readonly port: number;
  readonly consolePort: number;
  view(): NetworkView;
  /** Connects to every printed address as a till on another machine does. Never rejects. */
  test(): Promise<readonly NetworkTestView[]>;
  /** The address to print for tills: one for other machines if there is one, else that of this machine. */
  apiUrl(): string;
  consoleUrl(): string;
  /** The console's address for this machine, which needs no trusted certificate. */
  localConsoleUrl(): string;
  /** The certificate of the gateway's own authority; undefined without one. */
  authority(): { readonly certificate: string; readonly der: Buffer } | undefined;
  /** Whether a name or address is one of this machine. */
  isOwnHost(host: string): boolean;
  /** Stops following changes. Does not close the listeners. */
  close(): Promise<void>;
}

/**
 * Makes both listeners listen, and opens what people decided. Rejects with an OperatorError if the addresses or certificates of the
 * settings cannot be used.
 */
export async function openNetwork(parts: NetworkParts): Promise<Network> {
  const { config, store, clock, log, metrics, api, console: consoleListener } = parts;
  const { baseDomain } = config;
  const fixedBy = listFixed(config);
  const isTillsFixed = fixedBy.includes('host');
  const isConsoleFixed = fixedBy.includes('consoleHost');
  const isFixedOpen = !isLoopback(config.host);
  const isConsoleFixedOpen = !isLoopback(config.consoleHost);
  /** Something else protects the connection, such as a proxy. */
  const isPlainOnly = isFixedOpen && config.tls === undefined && config.allowsPlainHttp === true;

  const files = config.tls && shareCertificate(loadCertificate(config.tls), { log, metrics });
  let own: OwnCertificate | undefined;
  let inUse: SharedCertificate | undefined;
  let mayListen: Promise<void> | undefined;
  let isOwnHost = ownHosts([], baseDomain);
  let shown: { readonly view: NetworkView; readonly apiUrl: string; readonly consoleUrl: string } | undefined;
  let discovery: Discovery | undefined;
  const announced = (): AnnouncementState => discovery?.state() ?? { state: 'off' };

  const watch = watchAddresses({ clock, readInterfaces: parts.readInterfaces, onChange: () => void follow() });
  const listNames = (): readonly string[] => {
    const announcement = announced();
    return announcement.state === 'on' ? [announcement.name] : [];
  };
  const listHosts = async (): Promise<readonly string[]> => [
    ...listNames(),
    ...listMachineNames(),
    ...listAddresses(watch.interfaces()),
    ...(await listCustomerHosts(store.setup, baseDomain)),
  ];

  async function openOwn(): Promise<OwnCertificate> {
    const opened = await openOwnCertificate({
      authority: () =>
        openAuthority({
          network: store.network,
          dataDir: config.dataDir,
          hosts: [hostname()],
          baseDomain,
          now: clock.now(),
          isClockRight: parts.isClockRight(),
          actor: ACTORS.gateway,
          log,
        }),
      listHosts,
      clock,
      isClockRight: parts.isClockRight,
      log,
    });
    opened.onReplaced(() => void follow());
    metrics.addGauge(
      'counterfoil_tls_certificate_expires_at_seconds',
      'When the certificate in use expires, in seconds since 1970.',
      () => opened.inUse().expiresAt.getTime() / 1000,
    );
    return opened;
  }

  /** The certificate for the network; opened at first use, and fit for the present hosts. */
  async function certificate(): Promise<SharedCertificate> {
    if (files !== undefined) return files;
    if (own === undefined) own = await openOwn();
    else await own.refresh();
    return own;
  }

  const askOnce = (): Promise<void> => (mayListen ??= parts.waitToListen?.() ?? Promise.resolve());

  /** Opens what the settings of the gateway say. */
  async function openFixed(): Promise<readonly [tills: Port, console: Port]> {
    if (files !== undefined || (isFixedOpen && !isPlainOnly) || isConsoleFixedOpen) inUse = await certificate();
    if (!isPlainOnly) api.secureWith(inUse);
    if (isConsoleFixedOpen) consoleListener.secureWith(inUse);
    if (isFixedOpen || isConsoleFixedOpen) await askOnce();
    const tills = await openPort(api.entry, { host: config.host, port: config.port, flag: 'port' });
    if (isConsoleFixedOpen && !(await hasUsers())) throw new OperatorError(USERS_MISSING, { fault: 'settings_wrong' });
    const { consoleHost: host, consolePort: port } = config;
    return [tills, await openPort(consoleListener.entry, { host, port, flag: 'console-port' })];
  }

  async function hasUsers(): Promise<boolean> {
    return (await store.people.list()).length > 0;
  }

  const [tillsPort, consolePort] = await openFixed();

  /** Applies the present settings and addresses. */
  async function apply(): Promise<void> {
    const settings = await store.network.settings();
    const isOpen = settings.isOpen && !isTillsFixed;
    const wantsConsole = isOpen && settings.isConsoleOpen && !isConsoleFixed;
    const interfaces = markUsed(watch.interfaces(), isOpen || isFixedOpen, isTillsFixed ? null : settings.interfaces);
    const hosts = isOpen ? listAddresses(interfaces.filter(({ isUsed }) => isUsed)) : [];
    const failures: ListenFailure[] = [];
    const isHttpsNeeded = files !== undefined || isOpen || (isFixedOpen && !isPlainOnly) || isConsoleFixedOpen;
    let isReady = true;
    try {
      inUse = isHttpsNeeded ? await certificate() : undefined;
    } catch (err) {
      log.error({ err }, 'cannot make a certificate, so the network stays as it is');
      failures.push({ address: '', detail: `No certificate could be made: ${reasonOf(err)}. The log file says more.` });
      isReady = false;
    }
    const isConsoleReady = wantsConsole && (await hasUsers());
    if (wantsConsole && !isConsoleReady)
      failures.push({ address: `https://…:${consolePort.port}`, detail: USERS_MISSING });
    if (isReady) {
      if (!isPlainOnly) api.secureWith(inUse);
      api.allowPlainHttp(isOpen && settings.allowsPlainHttp);
      if (isConsoleReady || isConsoleFixedOpen) consoleListener.secureWith(inUse);
      if (hosts.length > 0) await askOnce();
      if (isClosed) return;
      failures.push(...(await tillsPort.open(hosts)), ...(await consolePort.open(isConsoleReady ? hosts : [])));
      if (!isConsoleReady && !isConsoleFixedOpen) consoleListener.secureWith(undefined);
    }
    failures.push(...listUncertified(hosts, settings));
    await announce(settings, hosts.length > 0);
    isOwnHost = ownHosts([...(await listHosts()), ...(files === undefined ? [] : hostsOf(files.inUse()))], baseDomain);
    await show({ settings, interfaces, failures });
  }

  /** IPv4 addresses that no till can use by HTTPS. A public IPv6 address is usual beside a private one, so it is no failure. */
  function listUncertified(hosts: readonly string[], { allowsPlainHttp }: NetworkSettings): readonly ListenFailure[] {
    if (inUse === undefined || allowsPlainHttp) return [];
    const certified = certifiedHosts(inUse.inUse());
    const detail =
      files === undefined
        ? "The gateway's own certificate cannot contain a public address. Use a certificate of the shop (--tls-certificate, --tls-key)."
        : 'The certificate does not contain this address, so tills refuse it. Tills must call a name of the certificate.';
    return hosts
      .filter((host) => isIPv4(host) && !certified.has(host))
      .map((host) => ({ address: `https://${host}:${tillsPort.port}`, detail }));
  }

  /** Announces the name by mDNS, or stops that. Without a decision, only the desktop app announces it. */
  async function announce({ isAnnounced }: NetworkSettings, isOpen: boolean): Promise<void> {
    if (isOpen && (isAnnounced ?? parts.waitToListen !== undefined)) {
      if (discovery !== undefined) return discovery.update();
      const { openDiscovery } = await import('./discovery.ts');
      discovery = openDiscovery({
        port: tillsPort.port,
        addresses: tillsPort.opened,
        scheme: 'https',
        log,
        clock,
        onChange: () => void follow(),
      });
      return;
    }
    const former = discovery;
    discovery = undefined;
    await former?.close();
  }

  async function show(found: Pick<NetworkView, 'settings' | 'interfaces' | 'failures'>): Promise<void> {
    const { settings, interfaces } = found;
    const all = listAddresses(interfaces);
    const served = inUse?.inUse();
    const certified = served && certifiedHosts(served);
    const fileHosts = files === undefined ? [] : hostsOf(files.inUse());
    const isAnyOpen = isFixedOpen || isConsoleFixedOpen || tillsPort.opened().length > 0;
    const fileHost = fileHosts.length > 0 && isAnyOpen ? await chooseHost(fileHosts, parts.resolveName) : undefined;
    const others = (host: string, port: Port): readonly string[] =>
      isWildcard(host)
        ? all.filter((each) => host === '::' || isIPv4(each))
        : isLoopback(host)
          ? port.opened()
          : [port.at.host.replace(/^\[|\]$/g, '')];
    const list = (host: string, port: Port, allowsPlainHttp: boolean): readonly string[] => {
      const hosts = others(host, port);
      if (hosts.length === 0) return [];
      const names = isPlainOnly ? [] : [...listNames()];
      const secure = allowsPlainHttp && isPlainOnly ? undefined : certified;
      const listed = listBaseAddresses({ port: port.port, hosts, names, certified: secure, allowsPlainHttp });
      const first = fileHost === undefined || secure === undefined ? [] : [`https://${inUrl(fileHost)}:${port.port}`];
      return [...new Set([...first, ...listed])];
    };
    const addresses = list(config.host, tillsPort, isPlainOnly || (settings.allowsPlainHttp && !isTillsFixed));
    const consoleAddresses = list(config.consoleHost, consolePort, false);
    const authority = own?.authority();
    const localAddress = `http://${tillsPort.local ?? tillsPort.at.host}:${tillsPort.port}`;
    const keys = isAnyOpen ? await store.setup.listKeys() : [];
    const view: NetworkView = {
      ...found,
      fixedBy,
      addresses,
      names: [
        ...listNames(),
        ...(certified === undefined ? [] : listMachineNames().filter((name) => certified.has(name))),
      ],
      consoleAddresses,
      localAddress,
      announcement: announced(),
      certificate: served === undefined ? null : viewOf(served, files === undefined ? 'own' : 'files'),
      authority: authority === undefined || files !== undefined ? null : viewOfAuthority(authority),
      tillsAtOldAddress: listTillsAtOldAddress(keys, isOwnHost),
      tillsToTrust: authority === undefined ? [] : listTillsToTrust(keys, authority.createdAt),
    };
    const isLocalSecure = files !== undefined && certified?.has(tillsPort.local ?? '') === true;
    const apiUrl = addresses[0] ?? (isLocalSecure ? localAddress.replace('http:', 'https:') : localAddress);
    const consoleUrl =
      consoleAddresses[0] ??
      (isConsoleFixedOpen ? publicConsoleUrl(consolePort.at, fileHosts, fileHost) : localConsoleUrl);
    const isSame = JSON.stringify(shown?.view) === JSON.stringify(view);
    shown = { view, apiUrl, consoleUrl };
    if (isSame || isClosed) return;
    try {
      writeNetworkFile(config.dataDir, view);
    } catch (err) {
      log.warn({ err }, 'cannot write the state of the network for commands');
    }
    parts.onChange();
  }

  const localConsoleUrl = `http://${consolePort.local ?? consolePort.at.host}:${consolePort.port}`;
  let isClosed = false;
  let isAskedAgain = false;
  let running: Promise<void> | undefined;
  let cancelRetry = (): void => {};

  /** Applies until nothing has changed meanwhile. Never rejects. */
  function follow(): Promise<void> {
    isAskedAgain = true;
    return (running ??= followAll().finally(() => (running = undefined)));
  }

  async function followAll(): Promise<void> {
    cancelRetry();
    while (isAskedAgain && !isClosed) {
      isAskedAgain = false;
      await apply().catch((err: unknown) => log.error({ err }, 'the settings of the network could not be applied'));
    }
    const { failures = [], tillsAtOldAddress = [], tillsToTrust = [] } = shown?.view ?? {};
    const isToRepeat = shown === undefined || failures.length + tillsAtOldAddress.length + tillsToTrust.length > 0;
    if (isToRepeat && !isClosed) cancelRetry = clock.after(RETRY_MS, () => void follow());
  }

  await apply();
  store.watch({ setupChanged: () => void follow() });
  const latest = (): NonNullable<typeof shown> => {
    if (shown === undefined) throw new Error('the network was not applied');
    return shown;
  };

  return {
    port: tillsPort.port,
    consolePort: consolePort.port,
    view: () => latest().view,
    test: () =>
      testNetwork(listTestAddresses(latest().view), files === undefined ? own?.authority().certificate : undefined, {
        shopFile: config.tls?.certificate,
        ...(parts.resolveName !== undefined && { resolve: parts.resolveName }),
      }),
    apiUrl: () => latest().apiUrl,
    consoleUrl: () => latest().consoleUrl,
    localConsoleUrl: () => localConsoleUrl,
    authority: () => (files === undefined ? own?.authority() : undefined),
    isOwnHost: (host) => isOwnHost(host),
    async close() {
      isClosed = true;
      watch.close();
      cancelRetry();
      await running;
      await discovery?.close();
      own?.close();
      files?.close();
      removeNetworkFile(config.dataDir);
    },
  };
}

const USERS_MISSING = `consoleHost opens the console to other machines, but no user exists. Add a user first: ${PROGRAM} users add.`;

/** The settings that decide in place of what people decide. */
function listFixed({ settings = [], host, consoleHost }: Config): readonly string[] {
  const given = new Set(settings.filter(({ source }) => source !== 'default').map(({ name }) => name));
  return [
    ...(given.has('host') || !isLoopback(host) ? ['host'] : []),
    ...(given.has('consoleHost') || !isLoopback(consoleHost) ? ['consoleHost'] : []),
  ];
}

function viewOf(certificate: ServedCertificate, source: CertificateView['source']): CertificateView {
  const { expiresAt, fingerprint } = certificate;
  return { source, names: [...certifiedHosts(certificate)], expiresAt: expiresAt.getTime(), fingerprint };
}

function viewOfAuthority({ fingerprint, file, createdAt, expiresAt }: Authority): AuthorityView {
  return { fingerprint, file, createdAt, expiresAt };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
