// Sessions, people, administrations, keys, settings and live changes.

import type { Role, Mode, UnusualFormCount, KeyInterface, Status } from './codes.ts';
import type { DayRules } from './days.ts';

/** GET /api/session */
export interface SessionView {
  /** As the log of acts will name them. */
  readonly actor: string;
  readonly role: Role;
  readonly version: string;
  /** Where tills send to, as this machine knows it. */
  readonly apiUrl: string;
}

/** POST /api/session */
export interface BegunSessionView extends SessionView {
  /** For the path of each call to come, /s/KEY/api/…, without which the session's cookie opens nothing. */
  readonly key: string;
}

/** GET /api/sessions: one's own, and those of all people for a manager; newest first. */
export interface SignedInView {
  readonly id: string;
  /** As the log of acts names them. */
  readonly actor: string;
  readonly role: Role;
  /** Where the browser was when it signed in. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Whether it is that of the call. */
  readonly isThis: boolean;
}

/** PUT /api/password */
export interface PasswordRequest {
  /** The one before. */
  readonly current: string;
  readonly password: string;
}

/** The address that a one-time link leads to ends with it and the session's key, which is not sent to any server. */
export const SESSION_HASH = '#session=';

/** GET /api/journals, in the order administration, mode. */
export type JournalView = Journal;

/** All records of one administration in one mode. */
export interface Journal {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
  /** IANA name; the zone that every time of this administration is shown in. */
  readonly timeZone: string;
  /** When store days begin, and began. */
  readonly dayRules: DayRules;
  readonly hasRecords: boolean;
}

/** GET /api/tills?journal=ID */
export interface Till {
  readonly id: number;
  readonly label: string;
  readonly keys: readonly KeyView[];
  /** NEW records of the last seven days, the oldest first. */
  readonly week: readonly number[];
  /** Of the last thirty days, by all its keys. */
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
  /** Until when it works beside the key that replaces it; null for a key that was not rotated. */
  readonly expiresAt: number | null;
  /** Since when it does not work any more. */
  readonly revokedAt: number | null;
}

/** POST /api/keys takes it; of a till, an administration or a mode that is new, the rest is made. */
export interface NewKeyRequest {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /** Where it is left out, both; of a key that is adopted without a prefix, the earlier one. */
  readonly interface?: KeyInterface;
  /** A key that the till uses already. */
  readonly adopt?: string;
}

/** POST /api/keys and /api/keys/ID/rotate answer with it: the only time the key is seen. */
export interface CreatedKey {
  readonly till: string;
  readonly key: KeyView;
  /** Null for a key that was adopted: the till has it. */
  readonly secret: string | null;
  readonly apiUrl: string;
}

/** POST /api/keys/ID/rotate takes it: how long the old key works on, at most thirty days. */
export interface RotateRequest {
  readonly graceHours: number;
}

/** POST /api/administrations answers with it, PATCH /api/administrations/NAME too; its journals are in GET /api/journals. */
export interface AdministrationView {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight; a whole quarter hour. */
  readonly dayStartsAt: number;
  /** How the earlier interface addresses it: parts of a domain name. */
  readonly customer: Customer | null;
  /** What it takes on the earlier interface. */
  readonly versions: readonly string[];
  readonly resources: readonly Resource[];
  /** Which of its records are forwarded; NEW is always among them. */
  readonly forwarded: readonly Status[];
  /** Whether others send to the same administration upstream: then what only the upstream has is no difference. */
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

/** POST /api/administrations takes it; without a zone it has the machine's, and its day begins at midnight. */
export type NewAdministrationRequest = Pick<AdministrationView, 'name'> &
  Partial<Pick<AdministrationView, 'timeZone' | 'dayStartsAt'>>;

/** PATCH /api/administrations/NAME takes it: what is to be changed. */
export type AdministrationChangeRequest = Partial<AdministrationView>;

export const SETTING_SOURCES = ['flag', 'variable', 'file', 'default'] as const;

/** Where the value of a setting comes from. */
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** GET /api/settings: how the gateway runs, and what people have set up. */
export interface SettingsView {
  /** As they are in force since the gateway started; what is secret about them is masked. */
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** By name. */
  readonly administrations: readonly AdministrationView[];
  /** Who may sign in with a password, by name. */
  readonly users: readonly UserView[];
  /** The command that adds one. */
  readonly addUser: string;
}

export interface SettingView {
  /** As in the settings file. */
  readonly name: string;
  /** Null where it is not set. */
  readonly value: string | number | boolean | null;
  readonly source: SettingSource;
}

export type UserView = NamedUser;

/** A person who may sign in, without the password. */
export interface NamedUser {
  readonly name: string;
  readonly role: Role;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** GET /api/entrance: how to get in; it takes no session. */
export interface EntranceView {
  /** Whether there is anybody who could sign in with a password. */
  readonly hasUsers: boolean;
  /** Whether this browser has a session that has not ended. */
  readonly isSignedIn: boolean;
  /** What prints a link that lets in, on the machine that the gateway runs on. */
  readonly command: string;
}

/** POST /api/session takes it, and answers with a BegunSessionView. */
export interface SignInRequest {
  readonly name: string;
  readonly password: string;
}

/** How often a window hears from the gateway at least, in milliseconds: an event `alive` where nothing has changed. */
export const LIVE_ALIVE_MS = 15_000;

/** GET /api/live sends it as `change`, four times a second at the most: what to look at again. */
export interface LiveChange {
  readonly subjects: readonly LiveSubject[];
}

export const LIVE_SUBJECTS = ['records', 'lanes', 'setup', 'refusals', 'trouble', 'days'] as const;

/** What may have changed; `setup` is what people set: keys, upstreams, stores, users. */
export type LiveSubject = (typeof LIVE_SUBJECTS)[number];
