// The network: who may connect, at which addresses, and with which certificate.

/** What people decided about the network. */
export interface NetworkSettings {
  /** Whether tills on other machines may connect. */
  readonly isOpen: boolean;
  /** The network interfaces to listen on, such as "eth0"; null means all but those of containers and virtual machines. */
  readonly interfaces: readonly string[] | null;
  /** Whether tills on other machines may also send over HTTP, which anyone in the network can read. */
  readonly allowsPlainHttp: boolean;
  /** Whether the console is open to other machines too. It needs users with passwords. */
  readonly isConsoleOpen: boolean;
  /** Whether the gateway announces its name by mDNS; null means only in the desktop app. */
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

/** For each setting, the setting of the gateway that may decide in its place. */
const FIXED_BY = {
  isOpen: 'host',
  interfaces: 'host',
  allowsPlainHttp: 'host',
  isConsoleOpen: 'consoleHost',
  isAnnounced: 'host',
} as const satisfies Record<keyof NetworkSettings, string>;

export type FixingSetting = (typeof FIXED_BY)[keyof NetworkSettings];

/** The setting of the gateway that decides about one of `members` in place of people; undefined if people decide about all. */
export function fixingSetting(
  { fixedBy }: Pick<NetworkView, 'fixedBy'>,
  members: readonly (keyof NetworkSettings)[],
): FixingSetting | undefined {
  return members.map((member) => FIXED_BY[member]).find((setting) => fixedBy.includes(setting));
}

/** As `fixingSetting`, for the members of a change. */
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

/** GET /api/network, and the state that a gateway writes for commands. */
export interface NetworkView {
  readonly settings: NetworkSettings;
  /** True while `settings` are being applied: the rest of the view is then older than they are. */
  readonly isApplying?: boolean;
  /** The settings of the gateway that decide in place of `settings`, such as `host`; empty if people may change the network. */
  readonly fixedBy: readonly string[];
  readonly interfaces: readonly NetworkInterface[];
  /** The base addresses for tills on other machines, in the order in which a till should try them; empty while closed. */
  readonly addresses: readonly string[];
  /** The names of this machine in the certificate; the name by mDNS is first. */
  readonly names: readonly string[];
  /** The console's base addresses for other machines; empty while closed. */
  readonly consoleAddresses: readonly string[];
  /** The base address for tills on this machine. */
  readonly localAddress: string;
  readonly announcement: AnnouncementState;
  /** Null while the gateway uses only HTTP. */
  readonly certificate: CertificateView | null;
  /** The gateway's own authority; null before its first use, and with the shop's own certificate. */
  readonly authority: AuthorityView | null;
  /** Tills that last called by an address that this machine no longer has. */
  readonly tillsAtOldAddress: readonly TillAtAddress[];
  /** Tills that last called by HTTPS before the present authority was made, so they must trust it first. */
  readonly tillsToTrust: readonly TillAtAddress[];
  /** Addresses that tills cannot use although they should be open, each with a sentence that says what to do. */
  readonly failures: readonly ListenFailure[];
}

/** A network interface of this machine, without loopback. */
export interface NetworkInterface {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Whether it belongs to containers or virtual machines, which have no tills. */
  readonly isVirtual: boolean;
  /** Whether the gateway listens on it. */
  readonly isUsed: boolean;
}

/** The announcement by mDNS. `name` is the name that leads here, such as counterfoil.local. */
export type AnnouncementState =
  | { readonly state: 'off' }
  | { readonly state: 'on'; readonly name: string }
  | { readonly state: 'failed'; readonly detail: string };

export interface CertificateView {
  /** `own`: issued by the gateway's own authority; `files`: the shop's own. */
  readonly source: 'own' | 'files';
  /** Every name and address in it. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** SHA-256 as browsers show it: pairs of capital hexadecimal digits with colons. */
  readonly fingerprint: string;
}

export interface AuthorityView {
  /** SHA-256 as browsers show it: pairs of capital hexadecimal digits with colons. */
  readonly fingerprint: string;
  /** The absolute path of its certificate (PEM), for copying to a till. */
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
 * `failed`: somebody must remove the cause. `uncertified`: the certificate does not contain the address, so tills use another one.
 * That is normal for a public address, and no failure of the gateway.
 */
export const LISTEN_FAILURE_KINDS = ['failed', 'uncertified'] as const;

export interface ListenFailure {
  readonly kind: (typeof LISTEN_FAILURE_KINDS)[number];
  /** Empty if the failure concerns the whole network. */
  readonly address: string;
  readonly detail: string;
  /** Epoch milliseconds of the first attempt. */
  readonly since: number;
}

/** The steps of a test that connects to the gateway as an outside client does. */
export const NETWORK_TEST_STEPS = ['resolve', 'connect', 'certificate', 'name', 'time', 'answer'] as const;

export type NetworkTestStep = (typeof NETWORK_TEST_STEPS)[number];

/** POST /api/network/test: the result for each address. */
export interface NetworkTestView {
  readonly address: string;
  /** Null if a till can send to this address. */
  readonly fault: NetworkTestFault | null;
}

/** The step that failed, with a sentence that says what to do. */
export interface NetworkTestFault {
  readonly step: NetworkTestStep;
  readonly detail: string;
}
