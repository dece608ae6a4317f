// Reads the rules in force together with the functions that read amounts by them.

import type { AmountRule } from '../../../contract/amounts.ts';
import { openAmountReader, type ReadAmount } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import type { Connection } from '../engine/database.ts';
import { digestOf } from '../records/record.ts';
import { hasAmounts } from './stored-amount.ts';

export interface RuleInForce extends AmountRule {
  readonly id: number;
  readonly journalId: number;
  /** Reads the amount of a call; undefined if it cannot be read. */
  readonly read: (call: KeptCall) => ReadAmount | undefined;
}

export interface Rules {
  /** Whether any type of record has a rule. */
  readonly any: boolean;
  find(journalId: number, type: string): RuleInForce | undefined;
}

const NO_RULES: Rules = { any: false, find: () => undefined };

const RULES_SQL = `
  SELECT amount_rules.id, journals.id AS journalId, type, total, currency, payment, sign
  FROM amount_rules JOIN journals ON journals.administration_id = amount_rules.administration_id WHERE is_replaced = 0`;
/** Differs whenever the rules differ: a changed rule is a new row, and neither table loses a row. Null without any rule. */
const EDITION_SQL = `
  SELECT (SELECT max(id) FROM journals) || ' ' || max(id) || ' ' || sum(is_replaced) FROM amount_rules`;

/** Reads the amount of a stored record. It is undefined if the bytes are damaged, because they may not be JSON. */
export function readStored({ read }: RuleInForce, call: KeptCall & { digest: Buffer }): ReadAmount | undefined {
  return digestOf(call.body).equals(call.digest) ? read(call) : undefined;
}

/** Returns a function that returns the rules in force. It returns the same object until a rule changes. */
export function openRules(db: Connection): () => Rules {
  if (!hasAmounts(db)) return () => NO_RULES;
  const selectEdition = db.prepare<[], string | null>(EDITION_SQL).pluck();
  const selectRules = db.prepare<[], Omit<RuleInForce, 'read'>>(RULES_SQL);
  let known: { readonly edition: string | null; readonly rules: Rules } = { edition: null, rules: NO_RULES };
  return () => {
    const edition = selectEdition.get() ?? null;
    if (edition !== known.edition) known = { edition, rules: rulesOf(selectRules.all()) };
    return known.rules;
  };
}

function rulesOf(rows: readonly Omit<RuleInForce, 'read'>[]): Rules {
  const keyOf = (journalId: number, type: string): string => `${journalId} ${type}`;
  const rules = new Map(
    rows.map((row) => [keyOf(row.journalId, row.type), { ...row, read: openAmountReader(row) }] as const),
  );
  return { any: rules.size > 0, find: (journalId, type) => rules.get(keyOf(journalId, type)) };
}
