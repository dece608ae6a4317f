// Stores the rules that say where a record has its amount. For each administration and type, one rule is in force. A changed
// rule is a new row, so that amounts read with the old rule do not count for the new rule.

import type { AmountRule } from '../../../contract/amounts.ts';
import type { AdministrationRule, RuleResult } from '../../amounts/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

interface RuleRow extends AmountRule {
  readonly id: number;
  readonly administration: string;
  readonly filledUntil: number;
  readonly fillTo: number;
}

const SELECT = `
  SELECT amount_rules.id, name AS administration, type, total, currency, payment, sign, filled_until AS filledUntil,
    fill_to AS fillTo
  FROM amount_rules JOIN administrations ON administrations.id = administration_id WHERE is_replaced = 0`;

/** Lists the rules in force. */
export function listAmountRules(db: Connection): AdministrationRule[] {
  return db
    .prepare<[], RuleRow>(`${SELECT} ORDER BY name, type`)
    .all()
    .map(({ id: _, filledUntil, fillTo, ...rule }) => ({
      ...rule,
      fill: filledUntil < fillTo ? { done: filledUntil, total: fillTo } : null,
    }));
}

/**
 * Sets the rule of a type, or removes it (null), and notes the act. Runs in the caller's transaction, which must have folded
 * the tail before. New records use the new rule; older records are read later (fill.ts).
 */
export function setAmountRule(
  db: Connection,
  administration: string,
  type: string,
  rule: AmountRule | null,
  actor: string,
  now: number,
): RuleResult {
  const administrationId = db
    .prepare<[string], number>('SELECT id FROM administrations WHERE name = ?')
    .pluck()
    .get(administration);
  if (administrationId === undefined) return { kind: 'unknown administration' };
  const current = db
    .prepare<[string, string], RuleRow>(`${SELECT} AND name = ? AND type = ?`)
    .get(administration, type);
  const before = current === undefined ? null : ruleOf(current);
  const after = rule === null ? null : ruleOf({ ...rule, type });
  if (after === null && before === null) return { kind: 'no rule' };
  const result = { kind: after === null ? 'removed' : 'set' } as const;
  if (JSON.stringify(after) === JSON.stringify(before)) return result;
  if (current !== undefined) db.prepare('UPDATE amount_rules SET is_replaced = 1 WHERE id = ?').run(current.id);
  if (after !== null)
    db.prepare(`
      INSERT INTO amount_rules (administration_id, type, total, currency, payment, sign, filled_until, fill_to)
      SELECT @administrationId, @type, @total, @currency, @payment, @sign, 0, folded_until FROM fold`).run({
      administrationId,
      ...after,
    });
  noteAct(db, { act: { kind: 'set amounts', type, before, after }, administration }, actor, now);
  return result;
}

function ruleOf({ type, total, currency, payment, sign }: AmountRule): AmountRule {
  return { type, total, currency, payment, sign };
}
