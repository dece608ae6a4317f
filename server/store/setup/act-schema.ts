// Reads acts from the log of acts, which stores each act as JSON.

import { z } from 'zod';

import type { NetworkChange, NotedAct, NotedRecords, SettingChange } from '../../contract/acts.ts';
import { ALERT_KINDS } from '../../contract/alerts.ts';
import { type Amount, AMOUNT_SIGNS, type AmountRule } from '../../contract/amounts.ts';
import { KEY_INTERFACES, ROLES, STATUSES } from '../../contract/codes.ts';
import { TASK_MARKS } from '../../contract/todo.ts';
import { taskFact } from '../tasks/fact-schema.ts';

const plain = <const Kinds extends readonly string[]>(kinds: Kinds) => z.strictObject({ kind: z.enum(kinds) });
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);

const records = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('one'), recordId: z.int() }),
  z.strictObject({ kind: z.literal('missing'), verdictId: z.int() }),
  z.strictObject({ kind: z.literal('some'), recordIds: z.array(z.int()) }),
  z.strictObject({ kind: z.literal('sold'), from: z.int(), to: z.int() }),
  z.strictObject({ kind: z.literal('held at'), version: z.string(), resource: z.string() }),
  plain(['held', 'all']),
]) satisfies z.ZodType<NotedRecords>;
const progress = { moved: z.int().nullable(), isOver: z.boolean() };

const changeOf = <const Member extends string, Value extends z.ZodType>(member: Member, value: Value) =>
  z.strictObject({ member: z.literal(member), before: value, after: value });
const change = z.discriminatedUnion('member', [
  changeOf('name', z.string()),
  changeOf('timeZone', z.string().nullable()),
  changeOf('dayStartsAt', z.int()),
  changeOf('customer', z.strictObject({ name: z.string(), id: z.string() }).nullable()),
  changeOf('versions', z.array(z.string())),
  changeOf('resources', z.array(z.strictObject({ name: z.string(), idParameter: z.string() }))),
  changeOf('forwarded', z.array(z.enum(STATUSES))),
  changeOf('othersSend', z.boolean()),
]) satisfies z.ZodType<SettingChange>;

const networkChange = z.discriminatedUnion('member', [
  changeOf('isOpen', z.boolean()),
  changeOf('interfaces', z.array(z.string()).nullable()),
  changeOf('allowsPlainHttp', z.boolean()),
  changeOf('isConsoleOpen', z.boolean()),
  changeOf('isAnnounced', z.boolean().nullable()),
]) satisfies z.ZodType<NetworkChange>;

const amountRule = z.strictObject({
  type: z.string(),
  total: z.string(),
  currency: z.string().nullable(),
  payment: z.string().nullable(),
  sign: z.enum(AMOUNT_SIGNS),
}) satisfies z.ZodType<AmountRule>;

const amount = z.strictObject({ currency: z.string().nullable(), value: z.string() }) satisfies z.ZodType<Amount>;

const schema = z.discriminatedUnion('kind', [
  plain([
    'create administration',
    'change password',
    'sign out',
    'sign out everywhere',
    'pause',
    'resume',
    'try now',
    'confirm restore',
  ]),
  z.strictObject({ kind: z.literal('restore'), madeAt: z.number().nullable() }),
  z.strictObject({ kind: z.literal('change administration'), changes: z.array(change) }),
  z.strictObject({
    kind: z.enum(['create key', 'adopt key', 'revoke key']),
    till: z.string(),
    keyId: z.int(),
    interface: z.enum(KEY_INTERFACES),
  }),
  z.strictObject({
    kind: z.literal('rotate key'),
    till: z.string(),
    keyId: z.int(),
    replacedId: z.int(),
    replacedUntil: z.int(),
  }),
  z.strictObject({ kind: z.literal('add user'), name: z.string(), role: z.enum(ROLES) }),
  z.strictObject({
    kind: z.enum(['remove user', 'reset password', 'add read token', 'remove read token']),
    name: z.string(),
  }),
  z.strictObject({
    kind: z.literal('change role'),
    name: z.string(),
    before: z.enum(ROLES),
    after: z.enum(ROLES),
  }),
  z.strictObject({ kind: z.literal('sign in'), by: z.enum(['link', 'password']), address: z.string() }),
  z.strictObject({ kind: z.enum(['refuse sign-in', 'refuse link']), address: z.string() }),
  z.strictObject({
    kind: z.literal('refuse call'),
    status: z.int(),
    code: z.string(),
    method: z.string(),
    path: z.string(),
    address: z.string(),
  }),
  z.strictObject({
    kind: z.literal('set amounts'),
    type: z.string(),
    before: amountRule.nullable(),
    after: amountRule.nullable(),
  }),
  z.strictObject({ kind: z.literal('set upstream'), url: z.string() }),
  z.strictObject({ kind: z.literal('change network'), changes: z.array(networkChange) }),
  z.strictObject({ kind: z.literal('make authority'), fingerprint: z.string() }),
  z.strictObject({ kind: z.literal('mark task'), as: z.enum(TASK_MARKS), note: z.string(), fact: taskFact }),
  z.strictObject({
    kind: z.enum(['add receiver', 'change receiver', 'remove receiver']),
    name: z.string(),
    by: z.enum(ALERT_KINDS),
  }),
  z.strictObject({ kind: z.literal('set mail server'), server: z.string().nullable() }),
  z.strictObject({ kind: z.literal('reopen task'), fact: taskFact }),
  z.strictObject({
    kind: z.literal('certify till'),
    till: z.string(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
  }),
  z.strictObject({ kind: z.literal('send again'), records, delivered: z.boolean(), ...progress }),
  z.strictObject({ kind: z.literal('set aside'), records, reason: z.string(), ...progress }),
  z.strictObject({
    kind: z.literal('declare total'),
    date,
    type: z.string().nullable(),
    till: z.string().nullable(),
    records: z.int().nullable(),
    amounts: z.array(amount).exactOptional(),
  }),
  z.strictObject({ kind: z.literal('import totals'), from: date, to: date, totals: z.int() }),
  z.strictObject({
    kind: z.enum(['sign off day', 'take back signature']),
    date,
    name: z.string(),
    note: z.string(),
  }),
]) satisfies z.ZodType<NotedAct>;

type Frozen<T> = T extends object ? { readonly [Member in keyof T]: Frozen<T[Member]> } : T;
/** The type T itself. The code does not compile if the schema above lacks a form of T. */
type ReadBy<Schema extends z.ZodType, T extends Frozen<z.infer<Schema>>> = T;

/** Reads a stored act. Returns undefined for an act that this version does not know. */
export function parseAct(json: string): ReadBy<typeof schema, NotedAct> | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined; // not JSON
  }
}
