// The log of acts: who did what, when, and about which store. An act is data; the command line and the console turn it into words.

import type { AlertKind } from './alerts.ts';
import type { Amount, AmountRule } from './amounts.ts';
import type { Interface, KeyInterface, Mode, Role } from './codes.ts';
import type { NetworkSettings } from './network.ts';
import type { RecordChoice } from './records.ts';
import type { AdministrationView } from './setup.ts';
import type { TaskFact, TaskMarkKind } from './todo.ts';

/** An item in the answer of GET /api/acts, which is sorted newest first. */
export interface ActEntry {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The name of a user, or one of ACTORS. */
  readonly actor: string;
  /** The name that the administration had at the time of the act. Null if the act is not about an administration. */
  readonly administration: string | null;
  readonly mode: Mode | null;
  /** The interface of the lane. Null if the act is not about a lane. */
  readonly interface: Interface | null;
  readonly act: NotedAct | UnknownAct;
}

/** The act itself. Never contains a key, a password or a body. */
export type NotedAct =
  | { readonly kind: 'create administration' }
  | { readonly kind: 'change administration'; readonly changes: readonly SettingChange[] }
  | {
      readonly kind: 'create key' | 'adopt key' | 'revoke key';
      readonly till: string;
      readonly keyId: number;
      readonly interface: KeyInterface;
    }
  | {
      readonly kind: 'rotate key';
      readonly till: string;
      readonly keyId: number;
      /** The id of the replaced key. That key works until `replacedUntil`, in epoch milliseconds. */
      readonly replacedId: number;
      readonly replacedUntil: number;
    }
  | { readonly kind: 'add user'; readonly name: string; readonly role: Role }
  | { readonly kind: 'remove user'; readonly name: string }
  /** A token with which a program reads the console's API. */
  | { readonly kind: 'add read token' | 'remove read token'; readonly name: string }
  | { readonly kind: 'change role'; readonly name: string; readonly before: Role; readonly after: Role }
  /** A manager reset a forgotten password. `name` is the name of the password's user. */
  | { readonly kind: 'reset password'; readonly name: string }
  | { readonly kind: 'change password' | 'sign out' | 'sign out everywhere' }
  | { readonly kind: 'sign in'; readonly by: 'link' | 'password'; readonly address: string }
  | { readonly kind: 'refuse sign-in' | 'refuse link'; readonly address: string }
  | {
      readonly kind: 'refuse call';
      /** The HTTP status of the refusal. `code` is its error code. */
      readonly status: number;
      readonly code: string;
      readonly method: string;
      readonly path: string;
      readonly address: string;
    }
  | { readonly kind: 'pause' | 'resume' | 'try now' }
  /** `madeAt` is the time of the backup in epoch milliseconds; null if an earlier version made it. */
  | { readonly kind: 'restore'; readonly madeAt: number | null }
  /** A person confirmed that no other gateway forwards the restored data. */
  | { readonly kind: 'confirm restore' }
  | { readonly kind: 'set upstream'; readonly url: string }
  /** A change of the amount rule of a type. `before` is null if there was no rule. `after` is null if the rule was removed. */
  | {
      readonly kind: 'set amounts';
      readonly type: string;
      readonly before: AmountRule | null;
      readonly after: AmountRule | null;
    }
  | { readonly kind: 'change network'; readonly changes: readonly NetworkChange[] }
  /** The gateway made its own certificate authority. `fingerprint` is the SHA-256 of its certificate, as browsers show it. */
  | { readonly kind: 'make authority'; readonly fingerprint: string }
  | { readonly kind: 'mark task'; readonly as: TaskMarkKind; readonly note: string; readonly fact: TaskFact }
  | {
      readonly kind: 'add receiver' | 'change receiver' | 'remove receiver';
      readonly name: string;
      readonly by: AlertKind;
    }
  /** `server` is the host and port of the mail server; null if a person removed the mail server. */
  | { readonly kind: 'set mail server'; readonly server: string | null }
  /** A person removed a mark from a task. */
  | { readonly kind: 'reopen task'; readonly fact: TaskFact }
  | {
      readonly kind: 'certify till';
      readonly till: string;
      /** The number of steps that passed. The next two members are the numbers of failed and of skipped steps. */
      readonly passed: number;
      readonly failed: number;
      readonly skipped: number;
    }
  | ({
      readonly kind: 'send again';
      readonly records: NotedRecords;
      /** Whether the act also sends delivered records again. */
      readonly delivered: boolean;
    } & Progress)
  | ({ readonly kind: 'set aside'; readonly records: NotedRecords; readonly reason: string } & Progress)
  | {
      readonly kind: 'declare total';
      /** YYYY-MM-DD. */
      readonly date: string;
      /** The record type of the declared total; null means all types. `till` is the till of the total; null means all tills. */
      readonly type: string | null;
      readonly till: string | null;
      /** The declared number of sales. Null if the act withdrew the total. */
      readonly records: number | null;
      /** The declared amounts; absent if no amounts were declared. */
      readonly amounts?: readonly Amount[];
    }
  | {
      readonly kind: 'import totals';
      /** The first date of the import, YYYY-MM-DD. `to` is the last date. */
      readonly from: string;
      readonly to: string;
      readonly totals: number;
    }
  | {
      readonly kind: 'sign off day' | 'take back signature';
      /** YYYY-MM-DD. */
      readonly date: string;
      /** The signer's name as typed. It may differ from the actor. */
      readonly name: string;
      readonly note: string;
    };

/** Which records an act is about. */
export type NotedRecords =
  | RecordChoice
  | { readonly kind: 'held at'; readonly version: string; readonly resource: string };

/** The progress of an act on many records. The gateway changes the records in slices. */
interface Progress {
  /**
   * Number of records that the act has changed until now. Null for an act of the first version of the gateway, which did not
   * count them.
   */
  readonly moved: number | null;
  /** Whether the act is complete. False while it runs, and if it was interrupted. */
  readonly isOver: boolean;
}

/** A changed setting of an administration. */
export type SettingChange = {
  readonly [Member in keyof SettingValues]: {
    readonly member: Member;
    readonly before: SettingValues[Member];
    readonly after: SettingValues[Member];
  };
}[keyof SettingValues];

/** A change of one network setting. */
export type NetworkChange = {
  readonly [Member in keyof NetworkSettings]: {
    readonly member: Member;
    readonly before: NetworkSettings[Member];
    readonly after: NetworkSettings[Member];
  };
}[keyof NetworkSettings];

interface SettingValues extends Omit<AdministrationView, 'timeZone'> {
  /** The time zone. Null if the administration had no time zone before the change, as in earlier versions of the gateway. */
  readonly timeZone: string | null;
}

/** An act that another version of the gateway wrote. This version does not know the act, and shows its name and text. */
export interface UnknownAct {
  readonly kind: 'unknown';
  readonly name: string;
  readonly text: string;
}
