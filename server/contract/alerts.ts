// Alerts: who is told about tasks, where, when, and what could not be sent.

import type { TaskLanguage } from './task-words.ts';

export const ALERT_KINDS = ['email', 'webhook', 'slack', 'teams', 'telegram'] as const;

/** How a receiver gets alerts. `slack`, `teams` and `telegram` are webhooks in the format of that service. */
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_CHOICES = ['urgent', 'all', 'none'] as const;

/** Which tasks a receiver is told about when they become open. */
export type AlertChoice = (typeof ALERT_CHOICES)[number];

/** A range of the day in minutes after midnight. It may cross midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** The settings of a receiver, without its address. */
export interface ReceiverSettings {
  /** A person or a place, such as "Mia". */
  readonly name: string;
  readonly language: TaskLanguage;
  /** IANA name of the zone of its times. */
  readonly timeZone: string;
  readonly choice: AlertChoice;
  /** When no alert is sent. Alerts that begin meanwhile are sent afterwards. Null for no quiet hours. */
  readonly quiet: QuietHours | null;
  /** When all open tasks are sent once a day, in minutes after midnight. Null for no digest. */
  readonly digestAt: number | null;
}

/** Where alerts go. The gateway seals it, because most addresses are secrets. */
export type AlertDestination =
  | { readonly kind: 'email'; readonly address: string }
  /** `key` signs each alert; only the gateway makes it. */
  | { readonly kind: 'webhook'; readonly url: string; readonly key: string; readonly plainHttp: boolean }
  | { readonly kind: 'slack' | 'teams'; readonly url: string; readonly plainHttp: boolean }
  /** `url` is the base address of the Bot API. */
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

/** Why an alert could not be sent. `detail` is an HTTP or SMTP status or an error code, never a text of the other side. */
export interface AlertFault {
  readonly code: (typeof ALERT_FAULTS)[number];
  readonly detail: string | null;
}

export interface ReceiverView extends ReceiverSettings {
  readonly id: number;
  readonly kind: AlertKind;
  /** The address without its secret parts. */
  readonly shown: string;
  readonly lastSentAt: number | null;
  /** Tasks that it has not been told about yet. */
  readonly waiting: number;
  /** Null unless the last attempt failed. */
  readonly failing:
    | (AlertFault & { readonly since: number; readonly attempts: number; readonly nextAt: number })
    | null;
}

export const MAIL_SECURITY = ['tls', 'starttls', 'none'] as const;

/** The server that sends the shop's e-mail. `none` sends the password and the alerts unencrypted. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly security: (typeof MAIL_SECURITY)[number];
  /** Empty without a login. */
  readonly user: string;
  /** The address that alerts come from. */
  readonly from: string;
}

/** GET /api/alerts */
export interface AlertsView {
  /** Null until somebody sets it. */
  readonly mail: (MailSettings & { readonly hasPassword: boolean }) | null;
  /** Sorted by name. */
  readonly receivers: readonly ReceiverView[];
}

/** Body of PUT /api/alerts/mail. Without a password, the stored one stays if the server and the user are the same. */
export type MailRequest = MailSettings & { readonly password?: string };

/** A destination as a person types it. */
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
  /** The key that signs the alerts of a webhook, never shown again; null for other kinds. */
  readonly signingKey: string | null;
}

/** Body of PATCH /api/alerts/receivers/ID: the changed members only. Answers with a ReceiverView. */
export type ReceiverChangeRequest = Partial<ReceiverSettings>;

/** Answer of POST /api/alerts/receivers/ID/test. */
export interface AlertTestView {
  /** Null if the test was accepted. */
  readonly fault: AlertFault | null;
}
