// The file of `counterfoil apply`: its form, and the secrets to which it refers. A secret is in another file or in an
// environment variable. No message contains one.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { z } from 'zod';

import { AMOUNT_SIGNS } from '../contract/amounts.ts';
import { type FieldError, INTERFACES, KEY_INTERFACES, MODES, ROLES } from '../contract/codes.ts';
import { UsageError } from '../errors.ts';
import { validate } from '../http/validation.ts';
import { CURRENCY_FORM, POINTER_FORM, readRule } from '../store/amounts/rule-input.ts';
import { foldName } from '../store/setup/input-rules.ts';
import { nameText, optionalSettings, timeZoneText, userName } from '../store/setup/input-schema.ts';
import { readSecretFile } from './given-key.ts';
import { readTimeOfDay } from './time-of-day.ts';

const timeOfDay = z.string().transform((text, context) => {
  const minutes = readTimeOfDay(text, 15);
  if (minutes !== undefined) return minutes;
  return fault(context, [], 'must be a time on a quarter hour, such as 04:00');
});

/** Adds a fault to the value that a schema reads, or to a member of it. */
function fault(context: z.RefinementCtx, path: readonly (string | number)[], message: string): never {
  // Not undefined, because `validate` would then report a missing value.
  context.addIssue({ code: 'custom', path: [...path], message, input: null, params: { code: 'value' } });
  return z.NEVER;
}

/** Where a secret is. */
type SecretSource = { readonly file: string } | { readonly env: string };

const sourceSchema = z.union([
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ env: z.string().regex(/^\w+$/) }),
]);
const secret = z.custom<SecretSource>((value) => sourceSchema.safeParse(value).success, {
  error: 'must be {"file": "PATH"} or {"env": "VARIABLE"}; the secret itself must not be here',
  params: { code: 'secret' },
});

const amountRule = z
  .strictObject({
    type: z.string().min(1).max(100),
    total: z.string(),
    currency: z.string().nullable().exactOptional(),
    payment: z.string().nullable().exactOptional(),
    sign: z.enum(AMOUNT_SIGNS).exactOptional(),
  })
  .transform((given, context) => {
    const rule = readRule(given);
    if (typeof rule !== 'string') return rule;
    return fault(context, [rule], rule === 'currency' ? CURRENCY_FORM : POINTER_FORM);
  });

const till = z.strictObject({
  label: nameText,
  mode: z.enum(MODES),
  interface: z.enum(KEY_INTERFACES).exactOptional(),
  keyFile: z.string().min(1).exactOptional(),
});

const upstream = z.strictObject({
  mode: z.enum(MODES),
  interface: z.enum(INTERFACES).default('current'),
  url: z.string().max(2000),
  token: secret,
  plainHttp: z.boolean().default(false),
});

/** Reads the form `refund:refundid` of the command line. Without a colon, the id parameter is transactionid. */
function readResource(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, name = value, idParameter = 'transactionid'] = /^([^:]*)(?::(.*))?$/s.exec(value) ?? [];
  return { name, idParameter };
}

const resources = z
  .preprocess((value) => (Array.isArray(value) ? value.map(readResource) : value), optionalSettings.resources.unwrap())
  .exactOptional();

/** A list in which no two items have the same identity. */
function listOf<T>(item: z.ZodType<T>, identify: (value: T) => string) {
  return z
    .array(item)
    .superRefine((items, context) => {
      const known = new Set<string>();
      for (const [index, each] of items.entries()) {
        const identity = identify(each);
        if (known.has(identity)) fault(context, [index], 'repeats an earlier entry; keep one of them');
        known.add(identity);
      }
    })
    .default([]);
}

const administration = z.strictObject({
  name: nameText,
  timeZone: timeZoneText,
  dayStartsAt: timeOfDay.exactOptional(),
  ...optionalSettings,
  resources,
  amounts: listOf(amountRule, ({ type }) => type),
  tills: listOf(till, ({ label, mode }) => `${mode} ${label}`),
  upstreams: listOf(upstream, ({ mode, interface: by }) => `${mode} ${by}`),
});

const storeFile = z.strictObject({
  administrations: listOf(administration, ({ name }) => name),
  people: listOf(z.strictObject({ name: userName, role: z.enum(ROLES) }), ({ name }) => foldName(name)),
});

export type StoreFile = z.infer<typeof storeFile>;
export type DeclaredAdministration = StoreFile['administrations'][number];
export type DeclaredTill = DeclaredAdministration['tills'][number];

type StoreFileReading =
  | {
      readonly kind: 'valid';
      readonly file: StoreFile;
      /** The secrets by the pointer of their place: the keys for upstreams, and the keys in key files that already exist. */
      readonly secrets: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'faulty'; readonly faults: readonly FieldError[] };

/**
 * Reads a file and the secrets to which it refers. Paths in it are relative to its folder. If it has faults, returns all of
 * them. Throws a UsageError if the file cannot be read as JSON.
 */
export async function readStoreFile(path: string, env: NodeJS.ProcessEnv): Promise<StoreFileReading> {
  const reading = validate(storeFile, readJson(path));
  if (reading.kind === 'invalid') return { kind: 'faulty', faults: reading.errors.map(withoutName) };
  const file = inFolder(reading.value, dirname(path));
  const secrets = new Map<string, string>();
  const faults: FieldError[] = [];
  const keyFiles = new Set<string>();
  for (const { pointer, source, isKeyFile } of listSources(file)) {
    if (isKeyFile && 'file' in source) {
      if (keyFiles.has(source.file))
        faults.push({ pointer, code: 'repeated', detail: 'is the key file of another till; give each till its own' });
      keyFiles.add(source.file);
    }
    if (isKeyFile && 'file' in source && !existsSync(source.file)) {
      if (!isFolder(dirname(source.file)))
        faults.push({ pointer, code: 'file', detail: 'its folder does not exist; make the folder first' });
      continue;
    }
    const read = await readSecret(source, env);
    if ('secret' in read) secrets.set(pointer, read.secret);
    else faults.push({ pointer, code: 'secret', detail: read.fault });
  }
  return faults.length === 0 ? { kind: 'valid', file, secrets } : { kind: 'faulty', faults };
}

/** Leaves out the name of the member at the beginning of a detail, because the pointer has it. */
function withoutName({ pointer, code, detail }: FieldError): FieldError {
  const name = `${pointer.slice(1).replaceAll('/', '.')} `;
  return { pointer, code, detail: detail.startsWith(name) ? detail.slice(name.length) : detail };
}

function readJson(path: string): object {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    // The message of the parser is not shown whole, because it quotes the file.
    const place = /line \d+ column \d+/.exec(String(error))?.[0];
    const { code } = error as NodeJS.ErrnoException;
    const what =
      code === undefined ? `is not JSON${place === undefined ? '' : `: ${place}`}` : `is not readable (${code})`;
    throw new UsageError(`${path} ${what}.`);
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  throw new UsageError(`${path} must be a JSON object with the members administrations and people.`);
}

/** Resolves the paths in a file. */
function inFolder(file: StoreFile, folder: string): StoreFile {
  const administrations = file.administrations.map((each) => ({
    ...each,
    tills: each.tills.map(({ keyFile, ...rest }) =>
      keyFile === undefined ? rest : { ...rest, keyFile: resolve(folder, keyFile) },
    ),
    upstreams: each.upstreams.map(({ token, ...rest }) => ({
      ...rest,
      token: 'file' in token ? { file: resolve(folder, token.file) } : token,
    })),
  }));
  return { ...file, administrations };
}

interface PlacedSource {
  readonly pointer: string;
  readonly source: SecretSource;
  readonly isKeyFile: boolean;
}

function listSources({ administrations }: StoreFile): PlacedSource[] {
  return administrations.flatMap(({ tills, upstreams }, at) => [
    ...tills.flatMap(({ keyFile }, index) =>
      keyFile === undefined
        ? []
        : [{ pointer: pointerOfKeyFile(at, index), source: { file: keyFile }, isKeyFile: true }],
    ),
    ...upstreams.map(({ token }, index) => ({ pointer: pointerOfToken(at, index), source: token, isKeyFile: false })),
  ]);
}

export function pointerOfKeyFile(administration: number, till: number): string {
  return `/administrations/${administration}/tills/${till}/keyFile`;
}

export function pointerOfToken(administration: number, upstreamIndex: number): string {
  return `/administrations/${administration}/upstreams/${upstreamIndex}/token`;
}

async function readSecret(
  source: SecretSource,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly secret: string } | { readonly fault: string }> {
  if ('env' in source) {
    const value = env[source.env]?.trim() ?? '';
    return value === ''
      ? { fault: `the variable ${source.env} is not set; set it for this command` }
      : { secret: value };
  }
  try {
    const value = await readSecretFile(source.file);
    return value === '' ? { fault: `${source.file} is empty; put the key into it` } : { secret: value };
  } catch (error) {
    return { fault: `${source.file} is not readable (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
