// Validates input against schemas. Each fault gets a JSON pointer, a stable code and a sentence. Tills and the console get
// faults in the same form.

import type { z } from 'zod';

import type { FieldError } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { extendPointer } from '../lib/json-pointer.ts';
import { queryOf, readQuery } from '../lib/query-string.ts';

export type Validated<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] };

/** Returns the parsed value or all faults. `shownName` returns the name that the sender uses for a member of the schema. */
export function validate<T>(
  schema: z.ZodType<T>,
  value: unknown,
  shownName: (name: string) => string = (name) => name,
): Validated<T> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { kind: 'valid', value: result.data };
  return { kind: 'invalid', errors: result.error.issues.flatMap((issue) => describeIssue(issue, shownName)) };
}

function describeIssue(issue: z.core.$ZodIssue, shownName: (name: string) => string): FieldError[] {
  const path = issue.path.map((step) => shownName(String(step)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => memberFault([...path, name], 'unknown', 'is not known here'));
  }
  if (path.length === 0) return [{ pointer: '', code: 'type', detail: 'the body must be a JSON object' }];
  if (issue.input === undefined) return [memberFault(path, 'required', 'is required')];
  if (issue.code === 'invalid_type')
    return [memberFault(path, 'type', `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`)];
  if (issue.code === 'invalid_value') {
    return [memberFault(path, 'value', `must be one of: ${issue.values.join(', ')}`)];
  }
  if (issue.code === 'invalid_union' && 'options' in issue) {
    return [memberFault(path, 'value', `must be one of: ${issue.options?.map(String).join(', ')}`)];
  }
  const code = issue.code === 'custom' ? String(issue.params?.['code']) : issue.code;
  return [memberFault(path, code, issue.message)];
}

/** Makes the fault of a member or parameter. A long name from the sender is shortened. */
export function parameterFault(name: string, code: string, what: string): FieldError {
  return memberFault([name], code, what);
}

/** Makes the fault of a nested member. `path` has the names that lead to it. */
function memberFault(path: readonly string[], code: string, what: string): FieldError {
  const name = path.join('.');
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const pointer = path.reduce<string | undefined>((at, step) => (at === undefined ? at : extendPointer(at, step)), '');
  return { pointer: pointer ?? '', code, detail: `${shown} ${what}`.trim() };
}

export function invalidFields(errors: readonly FieldError[]): GatewayError {
  return new GatewayError('field_invalid', { detail: `${errors.map(({ detail }) => detail).join('; ')}.`, errors });
}

export function invalidQuery(errors: readonly FieldError[]): GatewayError {
  return new GatewayError('query_invalid', { detail: `${errors.map(({ detail }) => detail).join('; ')}.`, errors });
}

/**
 * The query parameters of a URL by name. Throws `query_invalid` for bad encoding and repeated names. With `known` names, other
 * parameters are ignored, even if they are badly encoded or repeated.
 */
export function queryParameters(url: string, known?: readonly string[]): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const { name, value } of readQuery(queryOf(url))) {
    if (name === undefined)
      throw invalidQuery([parameterFault('', 'encoding', 'a name is not properly percent-encoded')]);
    if (known?.includes(name) === false) continue;
    if (value === undefined) throw invalidQuery([parameterFault(name, 'encoding', 'is not properly percent-encoded')]);
    if (parameters.has(name)) throw invalidQuery([parameterFault(name, 'repeated', 'is given more than once')]);
    parameters.set(name, value);
  }
  return Object.fromEntries(parameters);
}
