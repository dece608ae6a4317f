// Sessions, people, administrations, keys, settings and live changes.

import type { Role, Mode, UnusualFormCount, KeyInterface, Status } from './codes.ts';
import type { DayRules } from './days.ts';
import type { DiskState } from './machine.ts';

/** GET /api/session */
export interface SessionView {
  /** The name of the user in the log of acts. */
  readonly actor: string;
  readonly role: Role;
  readonly version: string;
  /** The address for tills, as this machine knows it. Tills behind a router or proxy may need another address. */
  readonly apiUrl: string;
}

/** POST /api/session */
export interface BegunSessionView extends SessionView {
  /** The key for the path of each later call, /s/KEY/api/…. The session's cookie is worthless without it. */
  readonly key: string;
}

/** GET /api/sessions: the user's own sessions, or all sessions for a manager; newest first. */
export interface SignedInView {
  readonly id: string;
  /** The name of the user in the log of acts. */
  readonly actor: string;
  readonly role: Role;
  /** The address of the browser at sign-in. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Whether the call that asks belongs to this session. */
  readonly isThis: boolean;
}

/** PUT /api/password */
export interface PasswordRequest {
  /** The old password. */
  readonly current: string;
  readonly password: string;
}

/** Body of POST /api/users. Without a password, the answer has a link with which the user chooses one. */
export interface NewUserRequest {
  readonly name: string;
  readonly role: Role;
  readonly password?: string;
}

/** Answer of POST /api/users. */
export interface AddedUserView {
  readonly user: UserView;
  /** Null if the request has a password. */
  readonly link: PasswordLinkView | null;
}

/** Body of PATCH /api/users/NAME. Answers with a UserView. The sessions of the user end. */
export type UserChangeRequest = Pick<UserView, 'role'>;

/** Answer of POST /api/users/NAME/reset. The old password no longer works, and the sessions of the user end. */
export interface PasswordLinkView {
  /** Opens, once, a page at the console's address and this path, on which the user chooses a password. */
  readonly path: string;
  /** Epoch milliseconds. The link also ends when the gateway stops, and when the user gets another one. */
  readonly expiresAt: number;
}

/** The path of a link for a new password ends with this text and the code. Browsers never send the part after #. */
export const PASSWORD_HASH = '#password=';

/** Body of POST /api/password-link/user. Answers with a LinkedUserView, and does not use the link up. */
export interface LinkedUserRequest {
  readonly code: string;
}

export interface LinkedUserView {
  /** The user who chooses a password with the link. */
  readonly name: string;
}

/** Body of POST /api/password-link: what the page of that link sends. Answers with a BegunSessionView. */
export interface LinkedPasswordRequest extends LinkedUserRequest {
  readonly password: string;
}

/**
 * The browser goes from a one-time link to an address that ends with this text and the session's key. Browsers never send the part
 * after #.
 */
export const SESSION_HASH = '#session=';

/** The path of the sign-in page ends with this text if a used or expired one-time link led there. */
export const USED_LINK_HASH = '#used-link';

/** GET /api/journals, sorted by administration and mode. */
export type JournalView = Journal;

/** All records of one administration in one mode. */
export interface Journal {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
  /** IANA name of the zone in which all times of this administration are shown. */
  readonly timeZone: string;
  /** The present and past rules for the start of store days. */
  readonly dayRules: DayRules;
  readonly hasRecords: boolean;
}

/** GET /api/tills?journal=ID */
export interface Till {
  readonly id: number;
  readonly label: string;
  readonly keys: readonly KeyView[];
  /** NEW records of each of the last seven days, oldest first. */
  readonly week: readonly number[];
  /** Unusual forms in calls with any of its keys, in the last thirty days. */
  readonly unusualForms: readonly UnusualFormCount[];
}

export type KeyView = IssuedKey;

/** A key of a till, without the till. Times are epoch milliseconds. */
export interface IssuedKey {
  readonly id: number;
  readonly interface: KeyInterface;
  readonly isAdopted: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** When a replaced key stops working; null for a key that was not replaced. */
  readonly expiresAt: number | null;
  /** When the key stopped working; null while it works. */
  readonly revokedAt: number | null;
}

/** Body of POST /api/keys. Creates the till, the administration and the journal if they do not exist. */
export interface NewKeyRequest {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /** If omitted: both interfaces, but only the earlier one for an adopted key without a prefix. */
  readonly interface?: KeyInterface;
  /** A key that the till already uses. */
  readonly adopt?: string;
}

/** The store and the till of the first key of a headless start. The first run of the console hides these names. */
export const FIRST_START = { administration: 'My store', till: 'First till' } as const;

/** Answer of POST /api/keys and /api/keys/ID/rotate. The key is never shown again. */
export interface CreatedKey {
  readonly till: string;
  readonly key: KeyView;
  /** Null for an adopted key, which the till already has. */
  readonly secret: string | null;
  readonly apiUrl: string;
}

/** Body of POST /api/keys/ID/rotate: how long the old key still works, at most thirty days. */
export interface RotateRequest {
  readonly graceHours: number;
}

/** Answer of POST /api/administrations and PATCH /api/administrations/NAME. GET /api/journals lists the journals. */
export interface AdministrationView {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight, a multiple of 15. */
  readonly dayStartsAt: number;
  /** The customer name and id in addresses of the earlier interface; both are parts of a domain name. */
  readonly customer: Customer | null;
  /** The versions that the administration accepts on the earlier interface. */
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** The statuses of records that are forwarded; always includes NEW. */
  readonly forwarded: readonly Status[];
  /**
   * Whether other systems also send to this administration upstream. If so, records that only the upstream has are no difference.
   */
  readonly othersSend: boolean;
}

export interface Customer {
  readonly name: string;
  readonly id: string;
}

export interface Resource {
  readonly name: string;
  /** The name of the parameter with a record's id. */
  readonly idParameter: string;
}

/** Body of POST /api/administrations. The defaults are the machine's zone, and days that begin at midnight. */
export type NewAdministrationRequest = Pick<AdministrationView, 'name'> &
  Partial<Pick<AdministrationView, 'timeZone' | 'dayStartsAt'>>;

/** Body of PATCH /api/administrations/NAME: the changed members only. */
export type AdministrationChangeRequest = Partial<AdministrationView>;

export const SETTING_SOURCES = ['flag', 'variable', 'file', 'default'] as const;

/** The source of a setting's value. */
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** GET /api/settings: the settings of the gateway, the administrations and the users. */
export interface SettingsView {
  /** The settings in force since the start of the gateway, with secrets masked. */
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** The size of the database and its write-ahead log; null if it cannot be read. */
  readonly databaseBytes: number | null;
  /** The disk with the data; null if the system does not report it. */
  readonly disk: DiskState | null;
  /** Sorted by name. */
  readonly administrations: readonly AdministrationView[];
  /** The users who may sign in with a password, sorted by name. */
  readonly users: readonly ListedUser[];
}

export interface SettingView {
  /** The name in the settings file. */
  readonly name: string;
  /** Null if it is not set. */
  readonly value: string | number | boolean | null;
  readonly source: SettingSource;
}

export type UserView = NamedUser;

/** A user, without the password. */
export interface NamedUser {
  readonly name: string;
  readonly role: Role;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A user in a list. */
export interface ListedUser extends NamedUser {
  /** False until the user has chosen one, and again after a manager has reset it. */
  readonly hasPassword: boolean;
}

/** GET /api/entrance: how to sign in. Needs no session. */
export interface EntranceView {
  /** Whether any user with a password exists. */
  readonly hasUsers: boolean;
  /** Whether this browser has a valid session. */
  readonly isSignedIn: boolean;
  /** The command that prints a one-time link, on the machine of the gateway. */
  readonly command: string;
  /** Why the session of this page ended. Null if there was none, if the browser ended it, and after a restart. */
  readonly ended: SessionEnd | null;
}

/** Why a session ended, unless its own browser ended it. `old`: begun a week ago. `replaced`: by a newer session of the person. */
export const SESSION_ENDS = ['idle', 'old', 'replaced', 'everywhere', 'password', 'role', 'removed'] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** Body of POST /api/session, which answers with a BegunSessionView. */
export interface SignInRequest {
  readonly name: string;
  readonly password: string;
}

/** Maximum interval between two live events, in milliseconds. Without a change, the event is `alive`. */
export const LIVE_ALIVE_MS = 15_000;

/** The event `change` of GET /api/live: which subjects to refetch. At most four a second. */
export interface LiveChange {
  readonly subjects: readonly LiveSubject[];
}

export const LIVE_SUBJECTS = ['records', 'lanes', 'setup', 'refusals', 'trouble', 'days', 'certify', 'todo'] as const;

/** A subject that may have changed. `setup` covers keys, upstreams, stores, users and the network. */
export type LiveSubject = (typeof LIVE_SUBJECTS)[number];
