// Amounts of money: the rules that say where they stand in a record, and the reading of old records after a rule was set.

import type { AmountRule, AmountRuleState, AmountSuggestion } from '../../contract/amounts.ts';

export interface AmountLedger {
  /** Lists the rules in force, by administration and type. */
  listRules(): Promise<AdministrationRule[]>;
  /**
   * Sets the rule of a type and notes the act; null removes it. New records count by it at once. Amounts of old records follow
   * with `fill`. Setting the same rule again changes nothing.
   */
  setRule(administration: string, type: string, rule: AmountRule | null, actor: string): Promise<RuleResult>;
  /** Suggests a rule for each type of an administration without one, from its newest records. */
  suggest(administration: string): Promise<AmountSuggestion[]>;
  /**
   * Reads the amounts of some old records, in one short transaction. Resolves to whether there are more. Another process may do
   * the same at the same time. The caller pauses between two slices, so that tills get the write lock.
   */
  fillSlice(): Promise<boolean>;
}

export interface AdministrationRule extends AmountRuleState {
  readonly administration: string;
}

export type RuleResult =
  | { readonly kind: 'set' | 'removed' }
  | { readonly kind: 'unknown administration' }
  /** There is no rule to remove. */
  | { readonly kind: 'no rule' };
