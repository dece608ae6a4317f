// Routes for amount rules, which say where records contain their amounts. Also returns the rules that the gateway proposes.
// Only managers can set rules.

import { z } from 'zod';

import { AMOUNT_SIGNS, type AmountRuleRequest, type AmountsView } from '../contract/amounts.ts';
import { invalidFields } from '../http/validation.ts';
import { CURRENCY_FORM, POINTER_FORM, readRule } from '../store/amounts/rule-input.ts';
import { administrationOfJournal, readJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody } from './request.ts';
import type { Routes } from './rights.ts';

const ruleRequest = z.strictObject({
  journal: z.int().positive(),
  type: z.string().min(1).max(100),
  rule: z
    .strictObject({
      total: z.string(),
      currency: z.string().nullable(),
      payment: z.string().nullable(),
      sign: z.enum(AMOUNT_SIGNS),
    })
    .nullable(),
}) satisfies z.ZodType<AmountRuleRequest>;

export function bindAmounts(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/amounts', async (req, res) => {
    const { administration } = readJournal(req, store);
    res.json((await viewOf(administration.name)) satisfies AmountsView);
  });

  routes.forManagers.put('/api/amounts', async (req, res) => {
    assertNoQuery(req);
    const { journal, type, rule: wanted } = readBody(req, ruleRequest);
    const { name } = administrationOfJournal(store, journal);
    const rule = wanted === null ? null : readRule({ type, ...wanted });
    if (typeof rule === 'string') {
      const form = rule === 'currency' ? CURRENCY_FORM : POINTER_FORM;
      throw invalidFields([{ pointer: `/rule/${rule}`, code: 'pointer', detail: `${rule} ${form}` }]);
    }
    const { kind } = await store.amounts.setRule(name, type, rule, sessionOf(res).actor);
    if (kind === 'no rule') throw nothingHere('No amounts of this type are read.');
    res.json((await viewOf(name)) satisfies AmountsView);
  });

  async function viewOf(name: string): Promise<AmountsView> {
    const [rules, suggestions] = await Promise.all([store.amounts.listRules(), store.amounts.suggest(name)]);
    const ofName = rules.filter(({ administration }) => administration === name);
    return { rules: ofName.map(({ administration: _, ...rule }) => rule), suggestions };
  }
}
