// Stores the rules that say where a record has its amount. Reads the amounts of old records after a person has set a rule.

import type { AmountRule, AmountRuleState, AmountSuggestion } from '../../contract/amounts.ts';

export interface AmountLedger {
  /** Lists the rules in force, sorted by administration and type. */
  listRules(): Promise<AdministrationRule[]>;
  /**
   * Sets the rule of a type and notes the act; null removes the rule. New records use the rule immediately. `fillSlice` then
   * reads the amounts of old records. Setting the same rule again changes nothing.
   */
  setRule(administration: string, type: string, rule: AmountRule | null, actor: string): Promise<RuleResult>;
  /**
   * Suggests rules for the most frequent types of an administration that have no rule, sorted by type. Uses the newest records.
   * Other queries are answered in between. Simultaneous calls share the work.
   */
  suggest(administration: string): Promise<AmountSuggestion[]>;
  /**
   * Reads the amounts of some old records in one short transaction. Resolves to true if more old records remain. Two processes
   * may call it at the same time. The caller pauses between two calls, so that tills get the write lock.
   */
  fillSlice(): Promise<boolean>;
}

export interface AdministrationRule extends AmountRuleState {
  readonly administration: string;
}

export type RuleResult =
  | { readonly kind: 'set' | 'removed' }
  | { readonly kind: 'unknown administration' }
  /** The type had no rule that could be removed. */
  | { readonly kind: 'no rule' };
