// Stores the receivers of alerts, the mail server, and the tasks that each receiver was told about. Secrets are encrypted if
// the machine has a keyring.

import type { AlertDestination, AlertFault, MailSettings, ReceiverSettings } from '../../contract/alerts.ts';

export interface AlertLedger {
  /** Lists all receivers, sorted by name. A receiver has its alerts about tasks that have not ended. */
  list(): Promise<StoredReceiver[]>;
  /** Adds a receiver and notes the act. Resolves to its id; undefined if the name is taken. */
  add(receiver: NewReceiver, actor: string): Promise<number | undefined>;
  /** Changes some settings of a receiver and notes the act. */
  change(id: number, change: Partial<ReceiverSettings>, actor: string): Promise<'changed' | 'unknown' | 'name taken'>;
  /** Removes a receiver with its alerts, and notes the act. Returns false for an unknown id. */
  remove(id: number, actor: string): Promise<boolean>;
  /** Reads the mail server; null until a person sets one. */
  mail(): Promise<StoredMail | null>;
  /**
   * Replaces the mail server and notes the act. Null removes the mail server. If the password is undefined, the stored password
   * stays, even if it cannot be decrypted.
   */
  setMail(mail: StoredMail | null, actor: string): Promise<void>;
  /**
   * Stores a report about one receiver in one transaction: new, sent and dropped alerts, and whether sending works. Storing the
   * same report twice is harmless.
   */
  note(report: AlertReport): Promise<void>;
}

export interface NewReceiver {
  readonly settings: ReceiverSettings;
  readonly destination: AlertDestination;
  /** The address to show to people, without its secret parts. */
  readonly shown: string;
  /** The date of the last daily digest, YYYY-MM-DD. */
  readonly digestOn: string;
}

export interface StoredReceiver extends Omit<NewReceiver, 'destination'> {
  readonly id: number;
  readonly kind: AlertDestination['kind'];
  /** The address that gets the alerts. Undefined if it was encrypted with another key, so that this gateway cannot read it. */
  readonly destination: AlertDestination | undefined;
  readonly state: DeliveryCondition;
  readonly alerts: readonly StoredAlert[];
}

/** Whether alerts reach a receiver: the last success and the present failure, if any. Times are epoch milliseconds. */
export interface DeliveryCondition {
  readonly lastSentAt: number | null;
  readonly failing:
    | (AlertFault & { readonly since: number; readonly attempts: number; readonly nextAt: number })
    | null;
}

/** Identifies an alert. A receiver gets one alert each time a task becomes open; `opening` counts these times. */
export interface AlertKey {
  readonly taskId: number;
  readonly opening: number;
}

export interface StoredAlert extends AlertKey {
  readonly state: 'waiting' | 'sent';
}

export interface StoredMail extends MailSettings {
  /** The password of the mail server. Null if none is set; undefined if it was encrypted with another key. */
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
