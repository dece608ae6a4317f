// Alerts: receivers, the mail server, and which receiver has been told about which task. Secrets are sealed if there is a keyring.

import type { AlertDestination, AlertFault, MailSettings, ReceiverSettings } from '../../contract/alerts.ts';

export interface AlertLedger {
  /** All receivers by name, with the alerts of tasks that have not ended. */
  list(): Promise<StoredReceiver[]>;
  /** Adds a receiver and notes the act. Undefined if the name is taken. */
  add(receiver: NewReceiver, actor: string): Promise<number | undefined>;
  /** Changes settings and notes the act. */
  change(id: number, change: Partial<ReceiverSettings>, actor: string): Promise<'changed' | 'unknown' | 'name taken'>;
  /** Removes a receiver with its alerts, and notes the act. Returns false for an unknown id. */
  remove(id: number, actor: string): Promise<boolean>;
  /** Null until somebody sets it. */
  mail(): Promise<StoredMail | null>;
  /** Replaces the mail server and notes the act. Null removes it. */
  setMail(mail: (MailSettings & { readonly password: string | null }) | null, actor: string): Promise<void>;
  /** Stores new alerts and outcomes of one receiver in one transaction. Safe to call twice. */
  note(report: AlertReport): Promise<void>;
}

export interface NewReceiver {
  readonly settings: ReceiverSettings;
  readonly destination: AlertDestination;
  /** The address without its secret parts. */
  readonly shown: string;
  /** The date of the last digest, YYYY-MM-DD. */
  readonly digestOn: string;
}

export interface StoredReceiver extends Omit<NewReceiver, 'destination'> {
  readonly id: number;
  readonly kind: AlertDestination['kind'];
  /** Undefined if it was sealed with another key. */
  readonly destination: AlertDestination | undefined;
  readonly state: DeliveryCondition;
  readonly alerts: readonly StoredAlert[];
}

/** How sending to a receiver goes. Times are epoch milliseconds. */
export interface DeliveryCondition {
  readonly lastSentAt: number | null;
  readonly failing:
    | (AlertFault & { readonly since: number; readonly attempts: number; readonly nextAt: number })
    | null;
}

/** One opening of a task, of which a receiver is told once. */
export interface AlertKey {
  readonly taskId: number;
  readonly opening: number;
}

export interface StoredAlert extends AlertKey {
  readonly state: 'waiting' | 'sent';
}

export interface StoredMail extends MailSettings {
  /** Null without a password, undefined if it was sealed with another key. */
  readonly password: string | null | undefined;
}

export interface AlertReport {
  readonly receiverId: number;
  readonly added: readonly AlertKey[];
  readonly sent: readonly AlertKey[];
  /** Alerts that are no longer needed, because their task ended or was marked. */
  readonly dropped: readonly AlertKey[];
  readonly state?: DeliveryCondition;
  readonly digestOn?: string;
}
