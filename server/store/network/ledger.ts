// The network: what people decided about it, and the gateway's own certificate authorities.

import type { NetworkSettings } from '../../contract/network.ts';

export interface NetworkLedger {
  /** Returns what people decided; a closed network before anybody decided. */
  settings(): Promise<NetworkSettings>;
  /** Changes the given settings only, notes the act, and returns all settings. Without a difference it changes nothing. */
  change(change: Partial<NetworkSettings>, actor: string): Promise<NetworkSettings>;
  /** Lists the gateway's own authorities, newest first. The newest usable one is in use. */
  authorities(): Promise<StoredAuthority[]>;
  /**
   * Stores a new authority, seals its key if there is a keyring, and notes the act. Returns false if another process added one
   * after `replacesId`, the id of the newest authority known to the caller; undefined for none.
   */
  addAuthority(authority: NewAuthority, replacesId: number | undefined, actor: string): Promise<boolean>;
}

export interface NewAuthority {
  /** PEM. */
  readonly certificate: string;
  /** PEM (PKCS #8). */
  readonly key: string;
  /** SHA-256 as browsers show it. */
  readonly fingerprint: string;
}

export interface StoredAuthority extends Omit<NewAuthority, 'key'> {
  readonly id: number;
  /** Undefined if the key was sealed by another keyring. Then the gateway needs a new authority. */
  readonly key: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The network before anybody decided: closed. */
export const CLOSED_NETWORK: NetworkSettings = {
  isOpen: false,
  interfaces: null,
  allowsPlainHttp: false,
  isConsoleOpen: false,
  isAnnounced: null,
};
