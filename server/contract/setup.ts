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
  /** The address for tills, as this machine knows it. If tills are behind a router or proxy, they may need another address. */
  readonly apiUrl: string;
}

/** POST /api/session */
export interface BegunSessionView extends SessionView {
  /** The key for the path of every later call, /s/KEY/api/…. The session's cookie does not work without this key. */
  readonly key: string;
}

/** Answer of GET /api/sessions, newest first. A manager sees all sessions; a clerk sees only their own. */
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
  /** Whether this is the session of the caller. */
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

/** Answer of POST /api/users, which adds a user. */
export interface AddedUserView {
  readonly user: UserView;
  /** The link to send to the user; null if the request has a password. */
  readonly link: PasswordLinkView | null;
}

/** Body of PATCH /api/users/NAME. The answer is a UserView. If the role changes, all sessions of the user end. */
export type UserChangeRequest = Pick<UserView, 'role'>;

/** Answer of POST /api/users/NAME/reset. The old password no longer works, and the sessions of the user end. */
export interface PasswordLinkView {
  /** The path of a page of the console on which the user chooses a password. The link works only once. */
  readonly path: string;
  /**
   * When the link expires, in epoch milliseconds. The link ends earlier if the gateway stops, or if the user gets another link.
   */
  readonly expiresAt: number;
}

/** A link for a new password ends with this text, followed by the code. Browsers never send the part after #. */
export const PASSWORD_HASH = '#password=';

/** Body of POST /api/password-link/user. The answer is a LinkedUserView. This call does not use the link up. */
export interface LinkedUserRequest {
  readonly code: string;
}

export interface LinkedUserView {
  /** The name of the user who chooses a password with the link. */
  readonly name: string;
}

/** Body of POST /api/password-link, sent by the page of the link. The answer is a BegunSessionView. */
export interface LinkedPasswordRequest extends LinkedUserRequest {
  readonly password: string;
}

/**
 * A one-time link leads the browser to an address that ends with this text and the session's key. Browsers never send the part
 * of an address after #.
 */
export const SESSION_HASH = '#session=';

/** If a one-time link was used or has expired, the gateway opens the sign-in page with this text at the end of its address. */
export const USED_LINK_HASH = '#used-link';

/** GET /api/journals, sorted by administration and mode. */
export type JournalView = Journal;

/** All records of one administration in one mode. */
export interface Journal {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
  /** The IANA name of the administration's time zone. The console shows all its times in this zone. */
  readonly timeZone: string;
  /** The rules for the start of store days: the current rule and the earlier ones. */
  readonly dayRules: DayRules;
  readonly hasRecords: boolean;
}

/** GET /api/tills?journal=ID */
export interface Till {
  readonly id: number;
  readonly label: string;
  readonly keys: readonly KeyView[];
  /** Number of NEW records on each of the last seven days, oldest first. */
  readonly week: readonly number[];
  /** Unusual forms of calls that the till made in the last thirty days, with any of its keys. */
  readonly unusualForms: readonly UnusualFormCount[];
}

export type KeyView = IssuedKey;

/** A key without the data of its till. All times are in epoch milliseconds. */
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

/** Body of POST /api/keys. If the till, the administration or the journal does not exist, the call creates it. */
export interface NewKeyRequest {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /**
   * The interface that the key is valid for. If omitted, the key is valid for both interfaces. An adopted key without a prefix
   * is then valid only for the earlier interface.
   */
  readonly interface?: KeyInterface;
  /** A key that the till already has and will keep. */
  readonly adopt?: string;
}

/**
 * A headless start makes a first key for this store and this till. The screens of the console's first run do not show these two
 * names.
 */
export const FIRST_START = { administration: 'My store', till: 'First till' } as const;

/** Answer of POST /api/keys and /api/keys/ID/rotate. Only this answer contains the key. */
export interface CreatedKey {
  readonly till: string;
  readonly key: KeyView;
  /** The key itself. Null for an adopted key, because the till already has it. */
  readonly secret: string | null;
  readonly apiUrl: string;
}

/** Body of POST /api/keys/ID/rotate. The old key works for `graceHours` more hours, at most thirty days. */
export interface RotateRequest {
  readonly graceHours: number;
}

/** Answer of POST /api/administrations and PATCH /api/administrations/NAME. */
export interface AdministrationView {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  /** The cut-off in minutes after midnight, a multiple of 15. */
  readonly dayStartsAt: number;
  /**
   * The customer name and customer id in addresses of the earlier interface. Both are parts of a domain name. Null if there is
   * no such address.
   */
  readonly customer: Customer | null;
  /** The versions of the earlier interface that the administration accepts. */
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** The statuses whose records are forwarded. Records with another status stay in this gateway. Always contains NEW. */
  readonly forwarded: readonly Status[];
  /**
   * Whether other systems also send to this administration at the upstream. If they do, a record that only the upstream has is
   * not a difference.
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

/** Body of POST /api/administrations. By default, the time zone is that of the machine, and days begin at midnight. */
export type NewAdministrationRequest = Pick<AdministrationView, 'name'> &
  Partial<Pick<AdministrationView, 'timeZone' | 'dayStartsAt'>>;

/** Body of PATCH /api/administrations/NAME: the changed members only. */
export type AdministrationChangeRequest = Partial<AdministrationView>;

export const SETTING_SOURCES = ['flag', 'variable', 'file', 'default'] as const;

export type SettingSource = (typeof SETTING_SOURCES)[number];

/** GET /api/settings: the settings of the gateway, the administrations and the users. */
export interface SettingsView {
  /** The settings that the gateway read at its start. Secrets are masked. */
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** The size of the database and its write-ahead log; null if it cannot be read. */
  readonly databaseBytes: number | null;
  /** The disk with the data; null if the system does not report it. */
  readonly disk: DiskState | null;
  /** The administrations, sorted by name. */
  readonly administrations: readonly AdministrationView[];
  /** The users who may sign in with a password, sorted by name. */
  readonly users: readonly ListedUser[];
}

/** A token with which a program reads this API, without its secret. */
export interface ReadToken {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The last use, in epoch milliseconds, up to an hour too early. Null until the first use. */
  readonly usedAt: number | null;
}

/** GET /api/read-tokens: all tokens, by name. */
export type ReadTokenView = ReadToken;

/** Body of POST /api/read-tokens. */
export type NewReadTokenRequest = Pick<ReadToken, 'name'>;

/** Answer of POST /api/read-tokens. Only this answer contains the token. */
export interface AddedReadTokenView {
  readonly token: string;
}

export interface SettingView {
  /** The name in the settings file. */
  readonly name: string;
  /** The value of the setting; null if it has none. */
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

/** A user in the list of users. */
export interface ListedUser extends NamedUser {
  /** Whether the user has a password. False until the user has chosen a password, and after a manager has reset it. */
  readonly hasPassword: boolean;
}

/** GET /api/entrance: the ways to sign in. The call needs no session. */
export interface EntranceView {
  /** Whether there is any user. */
  readonly hasUsers: boolean;
  /** Whether this browser has a valid session. */
  readonly isSignedIn: boolean;
  /** The command that prints a one-time link. A person must run it on the gateway's machine. */
  readonly command: string;
  /**
   * The reason why the session of this page ended. Null if there was no session, if this browser ended the session, or if the
   * gateway has restarted.
   */
  readonly ended: SessionEnd | null;
}

/**
 * The reasons why a session ended. A sign-out in the session's own browser is not in the list, because it needs no explanation.
 * `old`: it began a week ago. `replaced`: the same person began a newer session.
 */
export const SESSION_ENDS = ['idle', 'old', 'replaced', 'everywhere', 'password', 'role', 'removed'] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** Body of POST /api/session, which answers with a BegunSessionView. */
export interface SignInRequest {
  readonly name: string;
  readonly password: string;
}

/** Maximum interval between two live events, in milliseconds. If nothing has changed, the event `alive` is sent. */
export const LIVE_ALIVE_MS = 15_000;

/** The event `change` of GET /api/live. It lists the subjects to refetch, and is sent at most four times a second. */
export interface LiveChange {
  readonly subjects: readonly LiveSubject[];
}

export const LIVE_SUBJECTS = ['records', 'lanes', 'setup', 'refusals', 'trouble', 'days', 'certify', 'todo'] as const;

/** A subject that may have changed. `setup` covers keys, upstreams, stores, users and the network. */
export type LiveSubject = (typeof LIVE_SUBJECTS)[number];
