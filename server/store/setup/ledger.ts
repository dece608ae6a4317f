// The set-up: administrations with their journals, keys, and the log of acts.

import type { ActEntry, NotedAct } from '../../contract/acts.ts';
import type { Status, Mode, KeyInterface, Interface } from '../../contract/codes.ts';
import type { DayRule, DayRules } from '../../contract/days.ts';
import type { Customer, IssuedKey, Journal, Resource } from '../../contract/setup.ts';

export interface SetupLedger {
  /** Lists all journals, sorted by administration and mode. */
  listJournals(): Promise<Journal[]>;
  /** Finds a key by its secret, even a revoked key. Sees changes by other processes within a second. */
  findKey(secret: string): Key | undefined;
  /**
   * Whether a key that was found earlier has been revoked. Fast, because it computes no hash. Sees changes by other processes
   * within a second.
   */
  isRevoked(key: Key): boolean;
  /** Makes a key. Returns undefined when its secret already belongs to a key. `actor` says who makes it. */
  createKey(key: NewKey, actor: string): Promise<Key | undefined>;
  /**
   * Makes a key, unless the till already has a key that can serve instead. Two simultaneous calls make only one key. Returns
   * undefined when the secret belongs to another key.
   */
  ensureKey(key: NewKey, actor: string): Promise<EnsuredKey | undefined>;
  /** Makes a new key for the same till. The old key works for another `graceMs` milliseconds. */
  rotateKey(id: number, graceMs: number, actor: string): Promise<RotationResult>;
  /** Revokes a key permanently and immediately. A second call changes nothing. Returns undefined for an unknown key. */
  revokeKey(id: number, actor: string): Promise<Key | undefined>;
  /** Lists all keys, including revoked ones. */
  listKeys(): Promise<Key[]>;
  /** Returns the administration of a key or a lane. */
  administrationOf(found: { readonly administration: string }): Administration;
  /** Makes an administration with a journal per mode. Returns undefined when the name is taken. */
  createAdministration(wanted: NewAdministration, actor: string): Promise<Administration | undefined>;
  /** Changes the given settings only. A renamed administration keeps its journals and keys. */
  changeAdministration(name: string, change: AdministrationChange, actor: string): Promise<AdministrationResult>;
  /** Lists administrations by name. */
  listAdministrations(): Promise<Administration[]>;
  /** Lists a page of the log of acts, newest first. */
  listActs(query: ActPageQuery): Promise<ActEntry[]>;
  /** Logs an act that changes nothing else in the store. */
  noteAct(act: NewAct, actor: string): Promise<void>;
  /**
   * Stores when a key was last used (epoch milliseconds), and which base address the till called, such as
   * https://192.168.1.20:7410. The store writes this within a second.
   */
  noteKeyUse(keyId: number, at: number, address?: string): void;
}

export interface Administration extends DayRule {
  readonly name: string;
  /** The customer in the addresses of this administration, in lower case; null until somebody sets it. */
  readonly customer: Customer | null;
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** The statuses of the records that are forwarded. */
  readonly forwarded: readonly Status[];
  /**
   * Whether other senders use the same account of the upstream. If so, a record that only the upstream has does not count as a
   * difference.
   */
  readonly othersSend: boolean;
  /**
   * All rules that say when the administration's store days begin, including past rules. The last rule has the present zone and
   * cut-off.
   */
  readonly dayRules: DayRules;
}

/** A key with its journal and till. */
export interface Key extends IssuedKey {
  readonly journalId: number;
  readonly tillId: number;
  readonly administration: string;
  readonly mode: Mode;
  /**
   * The base address that the till called at the last use. Null if the key was never used, or last used with an older version
   * of the gateway.
   */
  readonly lastAddress: string | null;
  /** The till's name. */
  readonly label: string;
}

/** The settings to change. A new zone or cut-off applies to all days that are not closed. */
export type AdministrationChange = Partial<Omit<Administration, 'dayRules'>>;

/** An act for the log. The other fields name the administration, journal or lane that the act is about. */
export interface NewAct {
  readonly act: NotedAct;
  readonly administration?: string;
  readonly mode?: Mode;
  readonly interface?: Interface;
}

export interface ActPageQuery {
  readonly limit: number;
  /** Whether to list only acts about a lane. */
  readonly aboutLanes?: boolean | undefined;
  /** Lists only entries with a smaller id, for the next page. */
  readonly beforeId?: number | undefined;
}

export type AdministrationResult =
  | { readonly kind: 'changed'; readonly administration: Administration }
  | { readonly kind: 'unknown' }
  /** Another administration, `by`, has this customer name and id. */
  | { readonly kind: 'taken'; readonly by: string }
  | { readonly kind: 'name taken' };

export interface NewAdministration extends DayRule {
  readonly name: string;
}

export interface NewKey {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface: KeyInterface;
  /** The key as the till sends it. Its prefix shows the mode. */
  readonly secret: string;
  readonly isAdopted: boolean;
}

export interface EnsuredKey {
  readonly key: Key;
  /** False if the till already had the key, so that no key was made. */
  readonly isNew: boolean;
}

export type RotationResult =
  /** `secret` is the new key, shown only now. `replaced` is the old key, which works until it expires. */
  | { readonly kind: 'rotated'; readonly key: Key; readonly secret: string; readonly replaced: Key }
  | { readonly kind: 'unknown' }
  /** The key is revoked or already replaced. */
  | { readonly kind: 'ended'; readonly key: Key };
