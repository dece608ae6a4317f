// Compares the file of `counterfoil apply` with a store. Finds the steps that make the store as declared, the conflicts that
// prevent it, and what the store has beyond the file. Changes nothing.

import type { AmountRule } from '../contract/amounts.ts';
import type { FieldError, KeyInterface, Mode, Role } from '../contract/codes.ts';
import type { DayRule } from '../contract/days.ts';
import type { ListedUser, Resource } from '../contract/setup.ts';
import { assertNever } from '../errors.ts';
import { readUpstream } from '../forward/address.ts';
import type { AdministrationRule } from '../store/amounts/ledger.ts';
import type { LaneName, LaneSettings, LaneStatus, Upstream } from '../store/outbox/ledger.ts';
import { ADOPTABLE_FORM, foldName } from '../store/setup/input-rules.ts';
import { adoptionOf, digestSecret } from '../store/setup/key-secret.ts';
import type { Administration, AdministrationChange, Key } from '../store/setup/ledger.ts';
import { isKeyFor } from '../store/setup/missing-key.ts';
import type { Store } from '../store/store.ts';
import { quote } from './output.ts';
import {
  type DeclaredAdministration,
  type DeclaredTill,
  pointerOfKeyFile,
  pointerOfToken,
  type StoreFile,
} from './store-file.ts';
import { formatTimeOfDay } from './time-of-day.ts';

/** What a store has. */
export interface PresentStore {
  readonly administrations: readonly Administration[];
  readonly lanes: readonly LaneSettings[];
  readonly laneStatus: readonly Pick<LaneStatus, keyof LaneName | 'url'>[];
  readonly keys: readonly Key[];
  readonly rules: readonly AdministrationRule[];
  readonly users: readonly ListedUser[];
  findKey(secret: string): Key | undefined;
}

/** A store without anything in it. */
export const EMPTY_STORE: PresentStore = {
  administrations: [],
  lanes: [],
  laneStatus: [],
  keys: [],
  rules: [],
  users: [],
  findKey: () => undefined,
};

export async function readPresentStore({ setup, outbox, amounts, people }: Store): Promise<PresentStore> {
  return {
    administrations: await setup.listAdministrations(),
    lanes: outbox.lanes(),
    laneStatus: await outbox.listLaneStatus(),
    keys: await setup.listKeys(),
    rules: await amounts.listRules(),
    users: await people.list(),
    findKey: (secret) => setup.findKey(secret),
  };
}

/** One change of the store. */
export type Step =
  | ({ readonly kind: 'create administration'; readonly name: string } & DayRule)
  | {
      readonly kind: 'change administration';
      readonly name: string;
      readonly change: AdministrationChange;
      /** The administration before the change; undefined if it is new. */
      readonly before: Administration | undefined;
    }
  | { readonly kind: 'create key'; readonly till: WantedTill }
  | {
      readonly kind: 'set amounts';
      readonly administration: string;
      readonly rule: AmountRule;
      /** The rule of this type before the change; undefined if there is none. */
      readonly before: AmountRule | undefined;
    }
  | {
      readonly kind: 'set upstream';
      readonly pointer: string;
      readonly lane: LaneName;
      readonly upstream: Upstream;
      /** The address before the change; null if there is none. */
      readonly before: string | null;
    }
  | { readonly kind: 'add user'; readonly name: string; readonly role: Role }
  | { readonly kind: 'change role'; readonly name: string; readonly role: Role; readonly before: Role };

export interface WantedTill {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface: KeyInterface;
  /** The file for a new key. Undefined if the key is printed instead. */
  readonly keyFile: string | undefined;
  /** The key that is already in the key file. Undefined if a key must be made. */
  readonly adopted: string | undefined;
}

export interface Plan {
  /** In the order of execution. */
  readonly steps: readonly Step[];
  /** Sentences about what the store has and the file does not name. */
  readonly left: readonly string[];
  /** Reasons why the store cannot become as declared. With a conflict, no step may be carried out. */
  readonly conflicts: readonly FieldError[];
}

export function planStore(file: StoreFile, secrets: ReadonlyMap<string, string>, present: PresentStore): Plan {
  const conflicts: FieldError[] = [];
  const parts = { file, secrets, present, conflict: (each: FieldError): void => void conflicts.push(each) };
  const steps = [
    ...file.administrations.flatMap((declared, at) => [
      ...planAdministration(parts, declared, at),
      ...planKeys(parts, declared, at),
      ...planAmounts(parts, declared),
      ...planUpstreams(parts, declared, at),
    ]),
    ...planPeople(parts),
  ];
  return { steps, left: listLeft(file, present), conflicts };
}

interface PlanParts {
  readonly file: StoreFile;
  readonly secrets: ReadonlyMap<string, string>;
  readonly present: PresentStore;
  conflict(fault: FieldError): void;
}

/** When a store day of a new administration begins, in minutes after midnight. */
const MIDNIGHT = 0;

function planAdministration({ present, conflict }: PlanParts, declared: DeclaredAdministration, at: number): Step[] {
  const { amounts: _, tills: __, upstreams: ___, name, ...settings } = declared;
  const { timeZone, dayStartsAt = MIDNIGHT, ...more } = settings;
  const known = present.administrations.find((each) => each.name === name);
  const other = present.administrations.find(
    (each) => each.name !== name && more.customer && isSame(each.customer, more.customer),
  );
  if (other !== undefined)
    conflict({
      pointer: `/administrations/${at}/customer`,
      code: 'taken',
      detail: `${quote(other.name)} already has this customer name and id; change them there first`,
    });
  const change = known === undefined ? more : differences(known, settings);
  return [
    ...(known === undefined ? [{ kind: 'create administration', name, timeZone, dayStartsAt } as const] : []),
    ...(Object.keys(change).length > 0
      ? [{ kind: 'change administration', name, change, before: known } as const]
      : []),
  ];
}

function differences(known: Administration, wanted: AdministrationChange): AdministrationChange {
  return Object.fromEntries(
    Object.entries(wanted).filter(([member, value]) => !isSame(known[member as keyof AdministrationChange], value)),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function planKeys(parts: PlanParts, { name, tills }: DeclaredAdministration, at: number): Step[] {
  return tills.flatMap((declared, index) => {
    const pointer = pointerOfKeyFile(at, index);
    const { mode, label, keyFile } = declared;
    const adopted = parts.secrets.get(pointer);
    const isThere = (key: Key): boolean => hasKey(key, name, declared);
    if (adopted === undefined && parts.present.keys.some(isThere)) return [];
    const known = adopted === undefined ? undefined : parts.present.findKey(adopted);
    if (known !== undefined && isThere(known)) return [];
    const adoption = adopted === undefined ? undefined : adoptionOf(adopted, mode, declared.interface);
    const detail =
      known !== undefined
        ? 'the key in this file belongs to another till or is revoked; name a file that does not exist yet'
        : findAdoptionFault(adoption?.kind, declared);
    if (detail !== undefined) parts.conflict({ pointer, code: 'key', detail });
    const by = adoption?.kind === 'adoptable' ? adoption.interface : (declared.interface ?? 'both');
    return [
      { kind: 'create key', till: { administration: name, mode, label, interface: by, keyFile, adopted } } as const,
    ];
  });
}

function hasKey(key: Key, administration: string, { mode, label, interface: by }: DeclaredTill): boolean {
  return isKeyFor(key, { administration, mode, label, interface: by ?? key.interface, isAdopted: false });
}

function findAdoptionFault(
  kind: ReturnType<typeof adoptionOf>['kind'] | undefined,
  { mode, interface: by }: DeclaredTill,
): string | undefined {
  if (kind === undefined || kind === 'adoptable') return undefined;
  if (kind === 'key') return `the key in this file must have ${ADOPTABLE_FORM}`;
  const on = by === undefined ? '' : ` and the interface ${by}`;
  return `the key in this file does not fit the mode ${mode}${on}; name the file of another key`;
}

function planAmounts({ present }: PlanParts, { name, amounts }: DeclaredAdministration): Step[] {
  const known = present.rules.filter(({ administration }) => administration === name);
  return amounts
    .filter((rule) => !known.some(({ administration: _, fill: __, ...each }) => isSame(sorted(each), sorted(rule))))
    .map((rule) => {
      const before = known.find(({ type }) => type === rule.type);
      return { kind: 'set amounts', administration: name, rule, before };
    });
}

function sorted({ type, total, currency, payment, sign }: AmountRule): AmountRule {
  return { type, total, currency, payment, sign };
}

const FIELDS = { url: 'url', token: 'the key', mode: 'mode', plainHttp: '"plainHttp": true' };

function planUpstreams(parts: PlanParts, declared: DeclaredAdministration, at: number): Step[] {
  const { name: administration, tills, upstreams } = declared;
  const { present, conflict } = parts;
  return upstreams.flatMap(({ mode, interface: by, url, plainHttp }, index) => {
    const pointer = `/administrations/${at}/upstreams/${index}`;
    const lane = { administration, mode, interface: by };
    const token = parts.secrets.get(pointerOfToken(at, index)) ?? '';
    const lanes = listLanesOfOthers(parts, lane);
    const reading = readUpstream({ url, token, mode, interface: by, plainHttp, linkLocal: true }, FIELDS, lanes);
    if (reading.kind === 'faulty') {
      conflict({
        pointer: `${pointer}/${reading.field}`,
        code: reading.code,
        detail: reading.detail.replace(/\.$/, ''),
      });
      return [];
    }
    const isNew = !present.administrations.some(({ name }) => name === administration);
    const settings = present.lanes.find((each) => isLane(each, lane));
    if (settings === undefined && !isNew && !tills.some((each) => each.mode === mode)) {
      const detail = `${quote(administration)} has no till in ${mode} mode; declare one`;
      conflict({ pointer: `${pointer}/mode`, code: 'mode', detail });
    }
    const { upstream } = reading;
    const before = present.laneStatus.find((each) => isLane(each, lane))?.url ?? null;
    const isThere = before === upstream.url && settings?.tokenDigest === digestSecret(token);
    return isThere ? [] : [{ kind: 'set upstream', pointer, lane, upstream, before } as const];
  });
}

/** Lists the lanes with their keys as they will be: of the file, and of the store if the file does not name the lane. */
function listLanesOfOthers({ file, secrets, present }: PlanParts, own: LaneName) {
  const declared = file.administrations.flatMap(({ name: administration, upstreams }, at) =>
    upstreams.map(({ mode, interface: by }, index) => {
      const token = secrets.get(pointerOfToken(at, index));
      const tokenDigest = token === undefined ? null : digestSecret(token);
      return { administration, mode, interface: by, tokenDigest };
    }),
  );
  const rest = present.lanes.filter((lane) => !declared.some((each) => isLane(each, lane)));
  return [...declared, ...rest].filter((lane) => !isLane(lane, own));
}

function isLane(one: LaneName, other: LaneName): boolean {
  return one.administration === other.administration && one.mode === other.mode && one.interface === other.interface;
}

/** Promotes before it demotes, so that a manager is left. */
function planPeople({ file, present, conflict }: PlanParts): Step[] {
  const find = (name: string): ListedUser | undefined =>
    present.users.find((each) => foldName(each.name) === foldName(name));
  const added = file.people.filter(({ name }) => find(name) === undefined);
  const changed = file.people.flatMap(({ name, role }, at) => {
    const user = find(name);
    return user === undefined || user.role === role ? [] : [{ at, name: user.name, role, before: user.role }];
  });
  const [promoted, demoted] = [changed.filter(isPromoted), changed.filter((each) => !isPromoted(each))];
  const isLeft = present.users.some(
    ({ name, role, hasPassword }) =>
      hasPassword &&
      (role === 'manager' || promoted.some((each) => each.name === name)) &&
      !demoted.some((each) => each.name === name),
  );
  for (const { at } of isLeft ? [] : demoted) {
    const detail = 'no other manager has a password; give one the role and a password first';
    conflict({ pointer: `/people/${at}/role`, code: 'last_manager', detail });
  }
  return [
    ...added.map(({ name, role }) => ({ kind: 'add user', name, role }) as const),
    ...[...promoted, ...demoted].map(({ at: _, ...each }) => ({ kind: 'change role', ...each }) as const),
  ];
}

function isPromoted({ role }: { readonly role: Role }): boolean {
  return role === 'manager';
}

function listLeft(file: StoreFile, present: PresentStore): string[] {
  const find = (name: string): DeclaredAdministration | undefined =>
    file.administrations.find((each) => each.name === name);
  return [
    ...present.administrations.filter(({ name }) => !find(name)).map(({ name }) => `administration ${quote(name)}`),
    ...present.keys
      .filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt === null)
      .filter((key) => !find(key.administration)?.tills.some((each) => hasKey(key, key.administration, each)))
      .map(({ id, label, administration, mode }) => `key ${id} of ${label} (${administration}, ${mode})`),
    ...present.laneStatus
      .filter(({ url }) => url !== null)
      .filter(
        (lane) =>
          !find(lane.administration)?.upstreams.some(
            (each) => each.mode === lane.mode && each.interface === lane.interface,
          ),
      )
      .map(({ administration, mode, interface: by, url }) => `upstream ${url} (${administration}, ${mode}, ${by})`),
    ...present.rules
      .filter(({ administration, type }) => !find(administration)?.amounts.some((each) => each.type === type))
      .map(({ administration, type }) => `amounts of ${quote(type)} (${administration})`),
    ...present.users
      .filter(({ name }) => !file.people.some((each) => foldName(each.name) === foldName(name)))
      .map(({ name, role }) => `user ${name} (${role})`),
  ];
}

/** Describes a step in words, without secrets. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'create administration':
      return `create administration ${quote(step.name)}: ${step.timeZone}, days start at ${formatTimeOfDay(step.dayStartsAt)}`;
    case 'change administration':
      return `change administration ${quote(step.name)}: ${describeChange(step.change, step.before)}`;
    case 'create key': {
      const { label, administration, mode, keyFile, adopted } = step.till;
      const where =
        keyFile === undefined ? 'shown once' : adopted === undefined ? `into ${keyFile}` : `from ${keyFile}`;
      return `${adopted === undefined ? 'create' : 'adopt'} key of ${label} (${administration}, ${mode}): ${where}`;
    }
    case 'set amounts': {
      const { rule, before, administration } = step;
      const old = before && describeRule(before);
      return `set amounts of ${quote(rule.type)} (${administration}): ${fromTo(old, describeRule(rule))}`;
    }
    case 'set upstream': {
      const { lane, before, upstream } = step;
      const what = before === upstream.url ? `${before}, with another key` : fromTo(before ?? undefined, upstream.url);
      return `set upstream (${lane.administration}, ${lane.mode}, ${lane.interface}): ${what}`;
    }
    case 'add user':
      return `add user ${step.name}: ${step.role}`;
    case 'change role':
      return `change role of user ${step.name}: ${fromTo(step.before, step.role)}`;
    default:
      return assertNever(step);
  }
}

/** The value after a change, with the value before it if there is one. */
function fromTo(before: string | undefined, after: string): string {
  return before === undefined ? after : `${before} → ${after}`;
}

function describeChange(change: AdministrationChange, before: Administration | undefined): string {
  return Object.entries(change)
    .map(([member, value]) => {
      const old = before && describeValue(member, before[member as keyof AdministrationChange]);
      return `${member}: ${fromTo(old, describeValue(member, value))}`;
    })
    .join('; ');
}

function describeValue(member: string, value: AdministrationChange[keyof AdministrationChange]): string {
  if (member === 'dayStartsAt') return formatTimeOfDay(Number(value));
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if ('id' in value) return `${value.name} ${value.id}`;
  return [...value].map(describeItem).join(', ');
}

function describeItem(item: string | Resource): string {
  return typeof item === 'string' ? item : `${item.name}:${item.idParameter}`;
}

function describeRule({ total, currency, payment, sign }: AmountRule): string {
  return [
    `total ${total}`,
    `currency ${currency ?? 'none'}`,
    ...(payment === null ? [] : [`payment ${payment}`]),
    ...(sign === 'negative' ? ['sign negative'] : []),
  ].join(', ');
}
