// Makes valid calls: for tills from /openapi.json, for the console from its table of routes.

import fc from 'fast-check';

import { MODES } from '../../../server/contract/codes.ts';
import { bodyOfRow, type Ids, isApi, methodOf, pathOf, type Row } from '../../support/console-routes.ts';
import type { Draft } from './draft.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

interface Operation {
  readonly parameters?: readonly {
    readonly in: 'path' | 'query';
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

/** A route by name, with its valid calls. */
export interface Target {
  readonly route: string;
  readonly calls: fc.Arbitrary<Draft>;
}

/** The customer name and id of the administration that owns the keys. An address of the earlier interface contains them. */
export const CUSTOMER = { customer_name: 'bakery', customer_id: '1' } as const;
const PAGES = ['/healthz', '/readyz', '/openapi.json', '/docs'];

/** Every operation of the OpenAPI document, and every page of the tills' listener. */
export function listTillTargets(
  document: OpenApi,
  host: string,
  keys: Readonly<Record<(typeof MODES)[number], string>>,
): Target[] {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Target => {
      const security = Object.keys((operation.security ?? document.security)[0] ?? {});
      const key = path.includes('/c/') && !path.includes('dev-plem') ? keys.production : keys.test;
      const header = security.includes('bearer')
        ? (['Authorization', `Bearer ${key}`] as const)
        : (['token', key] as const);
      return {
        route: `${method.toUpperCase()} ${path}`,
        calls: draftsOf(document, path, method, operation).map((draft) => ({
          ...draft,
          headers: [['Host', host], header, ...draft.headers],
        })),
      };
    }),
  );
  const pages = PAGES.map((path): Target => ({
    route: `GET ${path}`,
    calls: fc.constant({ ...EMPTY, path, headers: [['Host', host]] }),
  }));
  return [...described, ...pages];
}

const EMPTY: Draft = {
  method: 'GET',
  path: '/',
  query: [],
  version: 'HTTP/1.1',
  headers: [],
  body: undefined,
  framing: 'length',
  fate: { kind: 'whole' },
};

function draftsOf(
  { components }: OpenApi,
  path: string,
  method: string,
  { parameters = [], requestBody }: Operation,
): fc.Arbitrary<Draft> {
  const given = fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        name in CUSTOMER ? fc.constant(CUSTOMER[name as keyof typeof CUSTOMER]) : valuesOf(components, schema),
      ]),
    ),
    {
      requiredKeys: parameters
        .filter(({ required, in: where }) => required === true || where === 'path')
        .map(({ name }) => name),
    },
  );
  const schema = requestBody?.content['application/json'].schema;
  const bodies = schema === undefined ? fc.constant(undefined) : valuesOf(components, schema);
  return fc.record({ given, body: bodies }).map(({ given: values, body }) => {
    const encoded = (name: string): string => encodeURIComponent(String(values[name]));
    const query = parameters.filter(({ in: where, name }) => where === 'query' && name in values);
    return {
      ...EMPTY,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(name)),
      query: query.map(({ name }) => `${name}=${encoded(name)}`),
      headers: schema === undefined ? [] : [['Content-Type', 'application/json']],
      body: schema === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    };
  });
}

function valuesOf(components: OpenApi['components'], schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type, properties, required = [], items } = schema;
  const inner = (each: Schema): fc.Arbitrary<unknown> => valuesOf(components, each);
  if ($ref !== undefined) return inner(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.examples !== undefined) return fc.constantFrom(...schema.examples);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(inner));
  if (Array.isArray(type)) return fc.oneof(...type.map((each: string) => inner({ ...schema, type: each })));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -1e9), max: Math.min(schema.maximum ?? 1e9, 1e9) });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.uniqueArray(inner(items ?? {}), { maxLength: 4, selector: (item) => JSON.stringify(item) });
    default:
      if (properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
      return fc.record(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])), {
        requiredKeys: [...required],
      });
  }
}

/**
 * The maximum number of generated texts that do not fit a pattern. Without it, fast-check would search endlessly for a rare
 * pattern.
 */
const MAX_MISFITS = 10_000;

/**
 * Texts that a schema allows. There are only a few short ids, so that ids repeat with the same or another content. Throws if
 * the pattern is too rare for random texts. A schema with a rare pattern needs an example.
 */
function textsOf({ minLength = 0, maxLength = 40, pattern = '' }: Schema): fc.Arbitrary<string> {
  const allowed = new RegExp(pattern, 'u');
  let misfits = 0;
  const any = fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
    .map((text) => text.toWellFormed());
  return fc
    .oneof({ weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c') }, { weight: 3, arbitrary: any })
    .filter((text) => {
      const isAllowed = allowed.test(text) && [...text].length >= minLength;
      misfits = isAllowed ? 0 : misfits + 1;
      if (misfits > MAX_MISFITS) throw new Error(`random texts do not fit the pattern ${pattern}`);
      return isAllowed;
    });
}

/** Who calls the console. "nobody" has neither a cookie nor a key. */
export interface Caller {
  readonly cookie: string;
  readonly url: (path: string) => string;
}

/** A valid call of a route of the console. */
export function draftOfRow(row: Row, ids: Ids, { cookie, url }: Caller, consoleUrl: string): Draft {
  const { pathname, search } = new URL(url(pathOf(row, ids)));
  const json = bodyOfRow(row, ids);
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const change: [string, string][] = [
    ['Origin', consoleUrl],
    ['Sec-Fetch-Site', 'same-origin'],
  ];
  return {
    ...EMPTY,
    method: methodOf(row),
    path: pathname,
    query: search === '' ? [] : search.slice(1).split('&'),
    headers: [
      ['Host', new URL(consoleUrl).host],
      ['Cookie', cookie],
      ['Accept', isApi(row) ? 'application/json' : 'text/html'],
      ...(methodOf(row) === 'GET' ? [] : change),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body,
  };
}
