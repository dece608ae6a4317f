// `counterfoil apply`: makes a store as a file declares it, for a chain with many gateways. It adds and changes; it never
// deletes an administration, a till, an upstream, an amount rule or a user, and never revokes a key. A second run changes
// nothing. After a failure, the next run continues.

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import type { Command } from 'commander';

import { ACTORS, type FieldError } from '../contract/codes.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import { findLinkLocalWarning } from '../forward/link-local.ts';
import { findOwnAddressFault } from '../forward/own-address.ts';
import { missingPassword } from '../lib/password.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import { databasePath } from '../store/data-directory.ts';
import { generateSecret } from '../store/setup/key-secret.ts';
import type { Store } from '../store/store.ts';
import { type CommonOptions, inert, printJson, withCommonOptions, withStore } from './output.ts';
import { makePasswordLink } from './password-link.ts';
import { readStoreFile } from './store-file.ts';
import {
  describeStep,
  EMPTY_STORE,
  type Plan,
  planStore,
  type PresentStore,
  readPresentStore,
  type Step,
  type WantedTill,
} from './store-plan.ts';
import { listOwnPorts } from './upstream.ts';

export function bindApply(program: Command): void {
  withCommonOptions(
    program
      .command('apply <file>')
      .description(
        'make administrations, tills, upstreams, amount rules and users as a JSON file declares; deletes none of them and revokes no key',
      )
      .option('--dry-run', 'print the changes without making them'),
  ).action(apply);
}

interface ApplyOptions extends CommonOptions {
  readonly dryRun?: boolean;
}

/** An entry of the JSON output. */
interface Entry {
  readonly action: Step['kind'] | 'leave';
  readonly text: string;
  readonly done: boolean;
  readonly made?: Made;
}

/** What a step made that only this output shows. */
interface Made {
  /** The new key of a till without a key file. */
  readonly key?: string;
  /** The link with which a new user chooses a password. Null if no gateway runs, which could make it. */
  readonly passwordLink?: string | null;
}

async function apply(path: string, options: ApplyOptions): Promise<void> {
  const reading = await readStoreFile(path, process.env);
  const refuse = (what: string, faults: readonly FieldError[]): string => {
    if (options.json === true) printJson({ faults });
    return listFaults(path, what, faults);
  };
  if (reading.kind === 'faulty') throw new UsageError(refuse('is not valid', reading.faults));
  const { file, secrets } = reading;
  const dataDir = dataDirectory(options.data);
  const planFor = async (present: PresentStore): Promise<Plan> => {
    const plan = planStore(file, secrets, present);
    const conflicts = [...plan.conflicts, ...(await findOwnAddresses(plan.steps, dataDir))];
    if (conflicts.length > 0) throw new OperatorError(refuse('does not fit this store', conflicts));
    return plan;
  };
  if (options.dryRun === true) {
    const isNew = !existsSync(databasePath(dataDir));
    const plan = await planFor(isNew ? EMPTY_STORE : await withStore(options, readPresentStore));
    return options.json === true ? printJson(listEntries(plan, [])) : printPlan(plan);
  }
  await withStore(
    options,
    async (store) => {
      const plan = await planFor(await readPresentStore(store));
      if (options.json !== true) printPlan(plan);
      await carryOut(store, plan, options, dataDir);
    },
    'mayCreate',
  );
}

function listFaults(path: string, what: string, faults: readonly FieldError[]): string {
  const lines = faults.map(({ pointer, detail }) => inert(`  ${pointer}: ${detail}.`));
  return [`${path} ${what}. Nothing was changed.`, ...lines].join('\n');
}

/** Finds the upstreams whose address is this gateway itself. */
async function findOwnAddresses(steps: readonly Step[], dataDir: string): Promise<FieldError[]> {
  const ports = listOwnPorts(dataDir);
  const faults: FieldError[] = [];
  for (const step of steps) {
    if (step.kind !== 'set upstream') continue;
    const sentence = await findOwnAddressFault(step.upstream.url, ports);
    if (sentence === undefined) continue;
    faults.push({ pointer: `${step.pointer}/url`, code: 'own_address', detail: sentence.replace(/\.$/, '') });
  }
  return faults;
}

function printPlan({ steps, left }: Plan): void {
  console.log(steps.length === 0 ? 'Nothing to change.' : 'Changes:');
  for (const step of steps) console.log(inert(`  ${describeStep(step)}`));
  if (left.length > 0) console.log('Left as it is, because the file does not name it:');
  for (const each of left) console.log(inert(`  ${each}`));
}

/** Carries out the steps in order. If one fails, reports which steps were done. */
async function carryOut(store: Store, plan: Plan, options: CommonOptions, dataDir: string): Promise<void> {
  const { steps } = plan;
  const done: Made[] = [];
  try {
    for (const step of steps) {
      const made = await perform(store, step, dataDir);
      done.push(made);
      if (options.json !== true) printMade(step, made, dataDir);
    }
  } catch (error) {
    if (options.json === true) printJson(listEntries(plan, done));
    const list = (title: string, some: readonly Step[]): string[] =>
      some.length === 0 ? [] : [title, ...some.map((step) => inert(`  ${describeStep(step)}`))];
    throw new OperatorError(
      [
        `The changes are not complete: ${error instanceof Error ? error.message : String(error)}`,
        ...list('Done:', steps.slice(0, done.length)),
        ...list('Not done:', steps.slice(done.length)),
        'Run the command again to continue.',
      ].join('\n'),
      { cause: error },
    );
  }
  if (options.json === true) return printJson(listEntries(plan, done));
  if (steps.length > 0) console.log(`Done: ${steps.length} ${steps.length === 1 ? 'change' : 'changes'}.`);
}

function printMade(step: Step, { key, passwordLink }: Made, dataDir: string): void {
  if (key !== undefined) {
    console.log(inert(`${describeStep(step)}:`));
    console.log(key);
  }
  if (step.kind !== 'add user' || passwordLink === undefined) return;
  const command = `${PROGRAM} users link${dataOption(dataDir)} --name ${shellArgument(step.name)}`;
  if (passwordLink === null)
    console.log(inert(`${step.name} has no password yet. Make a link while the gateway runs: ${command}`));
  else console.log(inert(`${step.name} chooses a password at this link, within 24 hours: ${passwordLink}`));
}

/** `done` has an item for each step that is done. */
function listEntries({ steps, left }: Plan, done: readonly Made[]): Entry[] {
  return [
    ...steps.map((step, index): Entry => {
      const made = done[index] ?? {};
      const entry = { action: step.kind, text: describeStep(step), done: index < done.length };
      return Object.keys(made).length === 0 ? entry : { ...entry, made };
    }),
    ...left.map((text): Entry => ({ action: 'leave', text, done: false })),
  ];
}

/** Carries out a step. */
async function perform(store: Store, step: Step, dataDir: string): Promise<Made> {
  const actor = ACTORS.commandLine;
  switch (step.kind) {
    case 'create administration':
      assertDone((await store.setup.createAdministration(step, actor)) !== undefined);
      return {};
    case 'change administration':
      assertDone((await store.setup.changeAdministration(step.name, step.change, actor)).kind === 'changed');
      return {};
    case 'create key':
      return createKey(store, step.till);
    case 'set amounts': {
      const { administration, rule } = step;
      assertDone((await store.amounts.setRule(administration, rule.type, rule, actor)).kind === 'set');
      return {};
    }
    case 'set upstream': {
      const { lane, upstream } = step;
      assertDone((await store.outbox.performAct(lane, { kind: 'set upstream', upstream }, actor)).kind === 'done');
      const warning = findLinkLocalWarning(upstream.url);
      if (warning !== undefined) console.error(`counterfoil: ${warning}`);
      return {};
    }
    case 'add user': {
      const user = { name: step.name, role: step.role, createdAt: Date.now(), password: missingPassword() };
      assertDone(await store.people.add(user, actor));
      return { passwordLink: (await makePasswordLink(store, dataDir, step.name)) ?? null };
    }
    case 'change role':
      assertDone((await store.people.changeRole(step, actor)) === 'changed');
      return {};
    default:
      return assertNever(step);
  }
}

function assertDone(isDone: boolean): void {
  if (!isDone) throw new OperatorError('Somebody else has just changed the store.');
}

/** Makes or adopts the key of a till. Returns the key if it must be shown. */
async function createKey(store: Store, till: WantedTill): Promise<Made> {
  const { administration, mode, label, interface: by, keyFile, adopted } = till;
  const secret = adopted ?? generateSecret(mode);
  // The file comes first: if the command ends between the two, the next run adopts the key from the file.
  if (keyFile !== undefined && adopted === undefined) writeKeyFile(keyFile, secret);
  const isAdopted = adopted !== undefined;
  const made = await store.setup.createKey(
    { administration, mode, label, interface: by, secret, isAdopted },
    ACTORS.commandLine,
  );
  assertDone(made !== undefined);
  return keyFile === undefined ? { key: secret } : {};
}

/** Writes a file that only its owner can read. A part of a key never gets this name, because the next run would adopt it. */
function writeKeyFile(path: string, secret: string): void {
  const fresh = `${path}.new`;
  try {
    rmSync(fresh, { force: true });
    writeFileSync(fresh, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${path} cannot be written (${code}).`, { cause: error });
  }
}
