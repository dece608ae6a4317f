// The network: who may connect, at which addresses, and with which certificate.

/** The network settings that people chose. */
export interface NetworkSettings {
  /** Whether tills on other machines may connect. */
  readonly isOpen: boolean;
  /** The network interfaces to listen on, such as "eth0". Null means all except those of containers and virtual machines. */
  readonly interfaces: readonly string[] | null;
  /** Whether tills on other machines may also send over HTTP, which anyone in the network can read. */
  readonly allowsPlainHttp: boolean;
  /** Whether other machines can also open the console. This requires users with passwords. */
  readonly isConsoleOpen: boolean;
  /** Whether the gateway announces its name by mDNS. Null is the default: only the gateway of the desktop app announces it. */
  readonly isAnnounced: boolean | null;
}

/** The names of the settings. */
export const NETWORK_SETTINGS = [
  'isOpen',
  'interfaces',
  'allowsPlainHttp',
  'isConsoleOpen',
  'isAnnounced',
] as const satisfies readonly (keyof NetworkSettings)[];

/** For each network setting: the setting of the gateway that can override it. */
const FIXED_BY = {
  isOpen: 'host',
  interfaces: 'host',
  allowsPlainHttp: 'host',
  isConsoleOpen: 'consoleHost',
  isAnnounced: 'host',
} as const satisfies Record<keyof NetworkSettings, string>;

export type FixingSetting = (typeof FIXED_BY)[keyof NetworkSettings];

/** Returns the setting of the gateway that overrides one of `members`. Undefined if none of them is overridden. */
export function fixingSetting(
  { fixedBy }: Pick<NetworkView, 'fixedBy'>,
  members: readonly (keyof NetworkSettings)[],
): FixingSetting | undefined {
  return members.map((member) => FIXED_BY[member]).find((setting) => fixedBy.includes(setting));
}

/** Like `fixingSetting`, but checks all network settings that a change contains. */
export function fixingSettingOf(
  view: Pick<NetworkView, 'fixedBy'>,
  change: NetworkChangeRequest,
): FixingSetting | undefined {
  return fixingSetting(
    view,
    NETWORK_SETTINGS.filter((member) => change[member] !== undefined),
  );
}

/** Body of PATCH /api/network: the changed members only. Answers with a NetworkView. */
export type NetworkChangeRequest = Partial<NetworkSettings>;

/** Answer of GET /api/network. The gateway also writes it to a file for commands. */
export interface NetworkView {
  readonly settings: NetworkSettings;
  /** True while the gateway applies `settings`. The other members then still show the earlier state. */
  readonly isApplying?: boolean;
  /** Settings of the gateway, such as `host`, that override `settings`. Empty if people may change the whole network. */
  readonly fixedBy: readonly string[];
  readonly interfaces: readonly NetworkInterface[];
  /**
   * The base addresses for tills on other machines, in the order in which a till should try them. Empty while the network is
   * closed.
   */
  readonly addresses: readonly string[];
  /** The names of this machine in the certificate. The name that is announced by mDNS is first. */
  readonly names: readonly string[];
  /** The console's base addresses for other machines. Empty while the console is closed to them. */
  readonly consoleAddresses: readonly string[];
  /** The base address for tills on this machine. */
  readonly localAddress: string;
  readonly announcement: AnnouncementState;
  /** The certificate for HTTPS. Null while the gateway uses only HTTP. */
  readonly certificate: CertificateView | null;
  /** The gateway's own authority. Null until it is first used, and if the shop has its own certificate. */
  readonly authority: AuthorityView | null;
  /** Tills that last called by an address that this machine no longer has. */
  readonly tillsAtOldAddress: readonly TillAtAddress[];
  /** Tills whose last HTTPS call was before the current authority was made. They must trust this authority first. */
  readonly tillsToTrust: readonly TillAtAddress[];
  /** Addresses that should be open, but that tills cannot use. Each entry has a sentence that says what to do. */
  readonly failures: readonly ListenFailure[];
}

/** A network interface of this machine, without loopback. */
export interface NetworkInterface {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Whether the interface belongs to containers or virtual machines. No tills connect to such an interface. */
  readonly isVirtual: boolean;
  /** Whether the gateway listens on this interface. */
  readonly isUsed: boolean;
}

/** The announcement by mDNS. `name` is the announced name, such as counterfoil.local. */
export type AnnouncementState =
  | { readonly state: 'off' }
  | { readonly state: 'on'; readonly name: string }
  | { readonly state: 'failed'; readonly detail: string };

export interface CertificateView {
  /** `own`: the gateway's own authority issued the certificate. `files`: it is the shop's own certificate. */
  readonly source: 'own' | 'files';
  /** All names and addresses in the certificate. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** SHA-256 as browsers show it: pairs of capital hexadecimal digits with colons. */
  readonly fingerprint: string;
}

export interface AuthorityView {
  /** SHA-256 as browsers show it: pairs of capital hexadecimal digits with colons. */
  readonly fingerprint: string;
  /** The absolute path of the authority's certificate (PEM), for copying it to a till. */
  readonly file: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface TillAtAddress {
  readonly till: string;
  readonly administration: string;
  /** The base address that the till called, such as https://192.168.1.20:7410. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * `failed`: a person must remove the cause. `uncertified`: the certificate does not contain the address, so tills must use
 * another address. For a public address, this is no fault.
 */
export const LISTEN_FAILURE_KINDS = ['failed', 'uncertified'] as const;

export interface ListenFailure {
  readonly kind: (typeof LISTEN_FAILURE_KINDS)[number];
  /** The address that failed. Empty if the whole network failed. */
  readonly address: string;
  readonly detail: string;
  /** Time of the first failed attempt, in epoch milliseconds. */
  readonly since: number;
}

/** The steps of a test that connects to the gateway as an outside client does. */
export const NETWORK_TEST_STEPS = ['resolve', 'connect', 'certificate', 'name', 'time', 'answer'] as const;

export type NetworkTestStep = (typeof NETWORK_TEST_STEPS)[number];

/** POST /api/network/test: the result for each address. */
export interface NetworkTestView {
  readonly address: string;
  /** The fault of the address. Null if a till can send to it. */
  readonly fault: NetworkTestFault | null;
}

/** The step that failed, with a sentence that says what to do. */
export interface NetworkTestFault {
  readonly step: NetworkTestStep;
  readonly detail: string;
}
