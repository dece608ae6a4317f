// The network settings that people made, and the gateway's own certificate authorities.

import type { NetworkSettings } from '../../contract/network.ts';
import type { Customer } from '../../contract/setup.ts';

export interface NetworkLedger {
  /** Returns the network settings that people made. If nobody has made any, returns `CLOSED_NETWORK`. */
  settings(): Promise<NetworkSettings>;
  /**
   * Changes only the given settings, logs the act, and returns all settings. If nothing differs, it changes and logs nothing.
   */
  change(change: Partial<NetworkSettings>, actor: string): Promise<NetworkSettings>;
  /** Lists the gateway's own authorities, newest first. The gateway uses the newest usable authority. */
  authorities(): Promise<StoredAuthority[]>;
  /**
   * Stores a new authority and logs the act. Seals its key if there is a keyring. `replacesId` is the id of the newest
   * authority that the caller knows; undefined if it knows none. Returns false if another process has added a newer authority.
   */
  addAuthority(authority: NewAuthority, replacesId: number | undefined, actor: string): Promise<boolean>;
}

export interface NewAuthority {
  /** PEM. */
  readonly certificate: string;
  /** The private key as PEM (PKCS #8). */
  readonly key: string;
  /** SHA-256 of the certificate, in the form that browsers show. */
  readonly fingerprint: string;
}

export interface StoredAuthority extends Omit<NewAuthority, 'key'> {
  readonly id: number;
  /** The private key. Undefined if another keyring sealed it, so that the gateway needs a new authority. */
  readonly key: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** What the ports need from data of an earlier version. */
export interface EarlierNetwork {
  readonly settings: NetworkSettings;
  /** Newest first. */
  readonly authorities: StoredAuthority[];
  readonly hasUsers: boolean;
  readonly customers: readonly Customer[];
}

/** The network settings before people change them: the network is closed. */
export const CLOSED_NETWORK: NetworkSettings = {
  isOpen: false,
  interfaces: null,
  allowsPlainHttp: false,
  isConsoleOpen: false,
  isAnnounced: null,
};
