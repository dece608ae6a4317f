// What people set up: administrations with their journals, keys, and the log of who changed what.

import type { ActView, JournalView } from '../../contract.ts';
import type { ActPageQuery, NewAct } from '../sqlite/setup/act-log.ts';
import type {
  Administration,
  AdministrationChange,
  AdministrationResult,
  NewAdministration,
} from '../sqlite/setup/administration.ts';
import type { Key, NewKey, RotationResult } from '../sqlite/setup/key.ts';

export interface Setup {
  /** Every journal in the order administration, mode. */
  listJournals(): Promise<JournalView[]>;
  /** The key with this secret, revoked or not; knows the changes of other processes within a second. */
  findKey(secret: string): Key | undefined;
  /** Returns undefined when the key exists already. `actor`, here and below, says who does it, as "command line". */
  createKey(key: NewKey, actor: string): Promise<Key | undefined>;
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
  listActs(query: ActPageQuery): Promise<ActView[]>;
  /** Notes an act that changes nothing else in the store. */
  noteAct(act: NewAct, actor: string): Promise<void>;
  /** Remembers that a key was used; written within a second. */
  noteKeyUse(keyId: number, at: number): void;
}
