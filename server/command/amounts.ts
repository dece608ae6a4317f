// `counterfoil amounts`: shows, suggests and sets the rules that say where records contain their amounts.

import { type Command, Option } from 'commander';

import { SLICE_PAUSE_MS } from '../amount-filler.ts';
import { AMOUNT_SIGNS, type AmountRule, type AmountSign, type AmountSuggestion } from '../contract/amounts.ts';
import { ACTORS } from '../contract/codes.ts';
import { dataDirectory, dataOption, shownCommand } from '../data-location.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import type { AdministrationRule } from '../store/amounts/ledger.ts';
import { CURRENCY_FORM, POINTER_FORM, readRule } from '../store/amounts/rule-input.ts';
import type { Store } from '../store/store.ts';
import { type CommonOptions, inert, printJson, printTable, quote, withCommonOptions, withStore } from './output.ts';
import { openProgressLine } from './progress.ts';

/** Number of newest records in which a new rule must find an amount. */
const LOOKED_RECORDS = 500;

export function bindAmounts(program: Command, clock = machineClock): void {
  const amounts = program
    .command('amounts')
    .description('show, suggest and set where the amounts of money stand in the records');

  withCommonOptions(
    amounts
      .command('show')
      .description('show the amount rules; each rule says where the amount is in the records of one type')
      .option('--administration <name>', 'only the rules of this administration (default: all)'),
  ).action(show);

  withCommonOptions(
    amounts
      .command('suggest')
      .description(
        'read the newest records of the most frequent types, and suggest where their amounts are; changes nothing',
      )
      .option('--administration <name>', 'only the records of this administration (default: all)'),
  ).action(suggest);

  withCommonOptions(
    amounts
      .command('set')
      .description(
        'set where the amounts are in the records of a type; the gateway then reads the amounts of all old records',
      )
      .requiredOption('--administration <name>', 'the administration')
      .requiredOption('--type <type>', 'the type of the records; on the earlier interface, the resource')
      .requiredOption(
        '--total <pointer>',
        'the JSON pointer to the total, such as /object/total; on the earlier interface, the name of a parameter, such as amount',
      )
      .option('--currency <pointer|code>', 'the JSON pointer to the currency, or its code, such as EUR')
      .option('--payment <pointer>', 'the JSON pointer to the payment method')
      .addOption(
        new Option(
          '--sign <rule>',
          'negative is for a type that has only refunds: each total reduces the sum, with or without a minus sign',
        )
          .choices(AMOUNT_SIGNS.map(writeSign))
          .default('as-sent'),
      ),
  ).action((options: SetOptions) => set(options, clock));

  withCommonOptions(
    amounts
      .command('remove')
      .description('stop reading the amounts of a type; the records do not change')
      .requiredOption('--administration <name>', 'the administration')
      .requiredOption('--type <type>', 'the type of the records'),
  ).action((options: TypeOptions) => remove(options, clock));
}

interface ChoiceOptions extends CommonOptions {
  readonly administration?: string;
}

interface TypeOptions extends CommonOptions {
  readonly administration: string;
  readonly type: string;
}

interface SetOptions extends TypeOptions {
  readonly total: string;
  readonly currency?: string;
  readonly payment?: string;
  readonly sign: string;
}

async function show(options: ChoiceOptions): Promise<void> {
  const rules = await withStore(options, async (store) => {
    const names = await chooseAdministrations(store, options);
    return (await store.amounts.listRules()).filter(({ administration }) => names.includes(administration));
  });
  printRules(rules, options);
}

function printRules(rules: readonly AdministrationRule[], options: CommonOptions): void {
  if (options.json === true) return printJson(rules);
  if (rules.length === 0)
    return console.log(
      `No amounts are read yet. ${shownCommand(options.data, 'amounts suggest')} shows where they may stand.`,
    );
  printTable(
    ['administration', 'type', 'total', 'currency', 'payment', 'sign', 'old records'],
    rules.map(({ administration, type, total, currency, payment, sign, fill }) => [
      administration,
      type,
      total,
      currency ?? '-',
      payment ?? '-',
      sign,
      fill === null ? 'read' : `${fill.done} of ${fill.total} read`,
    ]),
  );
}

async function suggest(options: ChoiceOptions): Promise<void> {
  const suggestions = await withStore(options, async (store) => {
    const lists = (await chooseAdministrations(store, options)).map(async (administration) =>
      (await store.amounts.suggest(administration)).map((suggestion) => ({ administration, ...suggestion })),
    );
    return (await Promise.all(lists)).flat();
  });
  if (options.json === true) return printJson(suggestions);
  if (suggestions.length === 0)
    return console.log(
      'No further type has records with a total that can be recognised. Set its place with amounts set --total.',
    );
  const data = dataOption(dataDirectory(options.data));
  for (const suggestion of suggestions)
    for (const line of describeSuggestion(suggestion, data)) console.log(inert(line));
}

/** Describes a suggestion. `data` is the --data option to put into the command. */
function describeSuggestion(
  { administration, rule, looked, readable, example }: AmountSuggestion & { readonly administration: string },
  data: string,
): string[] {
  const { amount, payment, externalId } = example;
  const read = [`${amount.value}${amount.currency === null ? '' : ` ${amount.currency}`}`, payment ?? ''];
  return [
    `${administration}, ${rule.type}: ${readable} of ${looked} records have an amount.`,
    `Example: the amount of ${externalId} is ${read.filter((part) => part !== '').join(', ')}.`,
    `To confirm: ${PROGRAM} amounts set${data} ${optionsOf(administration, rule)}`,
    ...(rule.currency === null ? ['Add the currency: --currency EUR, for example.'] : []),
    '',
  ];
}

function optionsOf(administration: string, { type, total, currency, payment, sign }: AmountRule): string {
  const options = { administration, type, total, currency, payment, sign: sign === 'as sent' ? null : writeSign(sign) };
  return Object.entries(options)
    .map(([name, value]) => (value === null ? '' : `--${name} ${shellArgument(value)}`))
    .filter((option) => option !== '')
    .join(' ');
}

async function set(options: SetOptions, clock: Clock): Promise<void> {
  const { administration, type } = options;
  const sign = AMOUNT_SIGNS.find((each) => writeSign(each) === options.sign);
  const rule = readRule({ ...options, sign });
  switch (rule) {
    case 'currency':
      throw new UsageError(`--currency ${CURRENCY_FORM}, not ${quote(options.currency ?? '')}.`);
    case 'total':
    case 'payment':
      throw new UsageError(`--${rule} ${POINTER_FORM}, not ${quote(options[rule] ?? '')}.`);
    case 'type':
    case 'sign':
      throw new UsageError(`--type must be a type of records, not ${quote(type)}.`);
    default:
      return change({ ...options, administration, type }, rule, clock);
  }
}

function remove(options: TypeOptions, clock: Clock): Promise<void> {
  return change(options, null, clock);
}

async function change(options: TypeOptions, rule: AmountRule | null, clock: Clock): Promise<void> {
  const { administration, type } = options;
  const { rules, warning } = await withStore(options, async (store) => {
    const { kind } = await store.amounts.setRule(administration, type, rule, ACTORS.commandLine);
    switch (kind) {
      case 'set':
      case 'removed':
        break;
      case 'unknown administration':
        throw unknownAdministration(administration, options);
      case 'no rule':
        throw new OperatorError(
          `No amounts of ${quote(type)} are read; ${shownCommand(options.data, 'amounts show')} shows the types.`,
        );
      default:
        assertNever(kind);
    }
    await fillAll(store, options, clock);
    return {
      rules: await store.amounts.listRules(),
      warning: rule === null ? undefined : await warningOf(store, administration, rule),
    };
  });
  printRules(
    rules.filter((each) => each.administration === administration && (rule === null || each.type === type)),
    options,
  );
  if (warning !== undefined) console.error(`counterfoil: ${inert(warning)}`);
}

/** Returns a warning if the rule finds no amount in the newest records; otherwise undefined. */
async function warningOf(store: Store, administration: string, rule: AmountRule): Promise<string | undefined> {
  const { type, total } = rule;
  const newest = await store.records.list({ administration, limit: LOOKED_RECORDS });
  const ofType = newest.filter((record) => record.type === type);
  const seen = `the newest ${newest.length} records`;
  if (ofType.length === 0) return `${seen} of ${quote(administration)} have none of the type ${quote(type)}.`;
  if (ofType.some(({ amount }) => amount !== 'unreadable')) return undefined;
  return `no record of the type ${quote(type)} among ${seen} has an amount at ${quote(total)}. Check --total, or run amounts remove and then amounts suggest.`;
}

/** Reads the amounts of all old records. A running gateway may safely do this at the same time. */
async function fillAll(store: Store, options: CommonOptions, clock: Clock): Promise<void> {
  const line = openProgressLine(options);
  try {
    while (await store.amounts.fillSlice()) {
      const fill = (await store.amounts.listRules()).find((each) => each.fill !== null)?.fill;
      if (fill) line.show('Reading the amounts of old records', { ...fill, unit: 'records' });
      await new Promise<void>((resolve) => clock.after(SLICE_PAUSE_MS, resolve));
    }
  } finally {
    line.clear();
  }
}

/**
 * Returns the name in the option --administration. Without the option, returns the names of all administrations. Throws for an
 * unknown name.
 */
async function chooseAdministrations(store: Store, options: ChoiceOptions): Promise<string[]> {
  const { administration } = options;
  const names = (await store.setup.listAdministrations()).map(({ name }) => name);
  if (administration === undefined) return names;
  if (names.includes(administration)) return [administration];
  throw unknownAdministration(administration, options);
}

function unknownAdministration(name: string, { data }: CommonOptions): OperatorError {
  return new OperatorError(
    `The administration ${quote(name)} does not exist; ${shownCommand(data, 'administrations list')} shows them.`,
  );
}

function writeSign(sign: AmountSign): string {
  return sign.replace(' ', '-');
}
