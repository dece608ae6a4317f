// What people set up: administrations with their journals, keys, and the log of who changed what.

import type { LoggedAct, NotedAct } from '../../contract/acts.ts';
import type { Status, Mode, KeyInterface, Interface } from '../../contract/codes.ts';
import type { DayRule, DayRules } from '../../contract/days.ts';
import type { IssuedKey, Journal } from '../../contract/setup.ts';

export interface Setup {
  /** Every journal in the order administration, mode. */
  listJournals(): Promise<Journal[]>;
  /** The key with this secret, revoked or not; knows the changes of other processes within a second. */
  findKey(secret: string): Key | undefined;
  /** Returns undefined when the key exists already. `actor`, here and below, says who does it, as "command line". */
  createKey(key: NewKey, actor: string): Promise<Key | undefined>;
  /**
   * Makes a key, unless the till already has one that serves in its place. Two calls at once make one key. Returns undefined when
   * the secret belongs to another key.
   */
  createMissingKey(key: NewKey, actor: string): Promise<MissingKeyResult | undefined>;
  /** Makes a key for the same till, and lets this one work for `graceMs` more. */
  rotateKey(id: number, graceMs: number, actor: string): Promise<RotationResult>;
  /** For ever, at once. Returns undefined when there is no such key. */
  revokeKey(id: number, actor: string): Promise<Key | undefined>;
  /** All keys, revoked ones too. */
  listKeys(): Promise<Key[]>;
  /** The administration of a key or a lane that was found. */
  administrationOf(found: { readonly administration: string }): Administration;
  /** With a journal per mode. Returns undefined when there is one of this name. */
  createAdministration(wanted: NewAdministration, actor: string): Promise<Administration | undefined>;
  changeAdministration(name: string, change: AdministrationChange, actor: string): Promise<AdministrationResult>;
  /** By name. */
  listAdministrations(): Promise<Administration[]>;
  /** Newest first. */
  listActs(query: ActPageQuery): Promise<LoggedAct[]>;
  /** Notes an act that changes nothing else in the store. */
  noteAct(act: NewAct, actor: string): Promise<void>;
  /** Remembers that a key was used; written within a second. */
  noteKeyUse(keyId: number, at: number): void;
}

export interface Administration extends DayRule {
  readonly name: string;
  /** Of its addresses, in lower case; null until it has one. */
  readonly customer: Customer | null;
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** The statuses of the records that are forwarded. */
  readonly forwarded: readonly Status[];
  /** Whether others send to the same administration upstream: then what only the upstream has is no difference. */
  readonly othersSend: boolean;
  /** When its store days begin and began; the last of them is the one above. */
  readonly dayRules: DayRules;
}

export interface Customer {
  readonly name: string;
  readonly id: string;
}

/** A key, and what it belongs to. */
export interface Key extends IssuedKey {
  readonly journalId: number;
  readonly tillId: number;
  readonly administration: string;
  readonly mode: Mode;
  /** The till's name. */
  readonly label: string;
}

/** What is to be changed; the rest stays as it is. A rule is for all days that are not closed. */
export type AdministrationChange = Partial<Omit<Administration, 'dayRules'>>;

export interface Resource {
  readonly name: string;
  /** The parameter that tells its records apart. */
  readonly idParameter: string;
}

/** What was done, and the store and lane that it was about. */
export interface NewAct {
  readonly act: NotedAct;
  readonly administration?: string;
  readonly mode?: Mode;
  readonly interface?: Interface;
}

export interface ActPageQuery {
  readonly limit: number;
  /** Only those about a lane. */
  readonly aboutLanes?: boolean | undefined;
  /** Only entries with a smaller id: where the next page goes on. */
  readonly beforeId?: number | undefined;
}

export type AdministrationResult =
  | { readonly kind: 'changed'; readonly administration: Administration }
  | { readonly kind: 'unknown' }
  /** Another administration has this customer name and id. */
  | { readonly kind: 'taken'; readonly by: string }
  | { readonly kind: 'name taken' };

/** What is made with a new administration. */
export interface NewAdministration extends DayRule {
  readonly name: string;
}

export interface NewKey {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface: KeyInterface;
  /** The key as the till will send it; its prefix says the mode. */
  readonly secret: string;
  readonly isAdopted: boolean;
}

export interface MissingKeyResult {
  readonly key: Key;
  /** Whether the key was there before. Then the wanted one was not made. */
  readonly existed: boolean;
}

export type RotationResult =
  /** `secret` is the new key, shown only now; `replaced` goes on working until it expires. */
  | { readonly kind: 'rotated'; readonly key: Key; readonly secret: string; readonly replaced: Key }
  | { readonly kind: 'unknown' }
  /** It is revoked, or was replaced already. */
  | { readonly kind: 'ended'; readonly key: Key };
