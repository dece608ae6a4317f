// Alerts: their receivers, the mail server, and the requests and answers of their routes.

import type { TaskLanguage } from './task-words.ts';

export const ALERT_KINDS = ['email', 'webhook', 'slack', 'teams', 'telegram'] as const;

/** How a receiver gets alerts. `webhook` is our own format; `slack`, `teams` and `telegram` use the format of that service. */
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_CHOICES = ['urgent', 'all', 'none'] as const;

/** Which new tasks a receiver gets alerts about. */
export type AlertChoice = (typeof ALERT_CHOICES)[number];

/** A range of the day, in minutes after midnight. If it crosses midnight, `from` is greater than `to`. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** The settings of a receiver, without its address. */
export interface ReceiverSettings {
  /** The name of a person or place, such as "Mia". */
  readonly name: string;
  readonly language: TaskLanguage;
  /** The IANA time zone for `quiet`, `digestAt` and the times in alerts. */
  readonly timeZone: string;
  readonly choice: AlertChoice;
  /** The hours in which no alert is sent. Alerts wait until the hours are over. Null for no quiet hours. */
  readonly quiet: QuietHours | null;
  /** The time of the daily message with all open tasks, in minutes after midnight. Null for no such message. */
  readonly digestAt: number | null;
}

/** The address for alerts. The gateway stores it encrypted, because most addresses are secrets. */
export type AlertDestination =
  | { readonly kind: 'email'; readonly address: string }
  /** `key` signs each alert. The gateway makes the key, and a person cannot choose it. */
  | { readonly kind: 'webhook'; readonly url: string; readonly key: string; readonly plainHttp: boolean }
  | { readonly kind: 'slack' | 'teams'; readonly url: string; readonly plainHttp: boolean }
  /** `url` is the base address of Telegram's Bot API. */
  | {
      readonly kind: 'telegram';
      readonly url: string;
      readonly token: string;
      readonly chat: string;
      readonly plainHttp: boolean;
    };

export const ALERT_FAULTS = [
  'unreachable',
  'untrusted',
  'link_local',
  'no_answer',
  'moved',
  'rejected',
  'mail_login',
  'mail_address',
  'mail_missing',
  'mail_unencrypted',
  'sealed',
] as const;

/**
 * Why an alert could not be sent. `detail` is an HTTP status, an SMTP status or an error code. `detail` never contains text
 * from the other side.
 */
export interface AlertFault {
  readonly code: (typeof ALERT_FAULTS)[number];
  readonly detail: string | null;
}

export interface ReceiverView extends ReceiverSettings {
  readonly id: number;
  readonly kind: AlertKind;
  /** The address of the receiver, without its secret parts. */
  readonly shown: string;
  readonly lastSentAt: number | null;
  /** The number of tasks that this receiver has not been told about yet. */
  readonly waiting: number;
  /** The fault of the last attempt; null if it did not fail. */
  readonly failing:
    | (AlertFault & { readonly since: number; readonly attempts: number; readonly nextAt: number })
    | null;
}

export const MAIL_SECURITY = ['tls', 'starttls', 'none'] as const;

/**
 * The settings of the mail server that sends the alerts. With the security `none`, the password and the alerts are sent
 * unencrypted.
 */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly security: (typeof MAIL_SECURITY)[number];
  /** The user name; empty if the server needs no login. */
  readonly user: string;
  /** The sender's e-mail address in alerts. */
  readonly from: string;
}

/** GET /api/alerts, for a manager. */
export interface AlertsView {
  /** The mail server; null if none is set. */
  readonly mail: (MailSettings & { readonly hasPassword: boolean }) | null;
  /** The receivers, sorted by name. */
  readonly receivers: readonly ReceiverView[];
}

/**
 * GET /api/alerts, for a clerk: the names of the receivers. A clerk gets no addresses, because they are personal, or allow
 * anyone to send to the receiver.
 */
export interface AlertNamesView {
  readonly names: readonly string[];
}

/**
 * Body of PUT /api/alerts/mail. Without a password, the gateway keeps the stored one, but only if the server and the user stay
 * the same.
 */
export type MailRequest = MailSettings & { readonly password?: string };

/** A destination as a manager enters it. */
export type DestinationRequest =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'webhook' | 'slack' | 'teams'; readonly url: string; readonly plainHttp?: boolean }
  | {
      readonly kind: 'telegram';
      readonly token: string;
      readonly chat: string;
      readonly url?: string;
      readonly plainHttp?: boolean;
    };

/** Body of POST /api/alerts/receivers. */
export type NewReceiverRequest = ReceiverSettings & { readonly destination: DestinationRequest };

/** Answer of POST /api/alerts/receivers. */
export interface NewReceiverView {
  readonly receiver: ReceiverView;
  /** The key that signs the alerts of a webhook. Only this answer contains it. Null for other kinds of receiver. */
  readonly signingKey: string | null;
}

/** Body of PATCH /api/alerts/receivers/ID. It contains only the changed members. The answer is a ReceiverView. */
export type ReceiverChangeRequest = Partial<ReceiverSettings>;

/** Answer of POST /api/alerts/receivers/ID/test. */
export interface AlertTestView {
  /** The fault of the test; null if the other side accepted the message. */
  readonly fault: AlertFault | null;
}
