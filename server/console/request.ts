// Parses the calls of the console with schemas. Refuses a field that is unknown, repeated or malformed, and names it.

import express, { type NextFunction, type Request, type Response } from 'express';
import { z } from 'zod';

import { MAX_BODY_BYTES } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { invalidFields, invalidQuery, parameterFault, queryParameters, validate } from '../http/validation.ts';
import { findPasswordFault } from '../lib/password.ts';

/** The query of a call. Throws `query_invalid`. */
export function readQuery<T>(req: Request, schema: z.ZodType<T>): T {
  const result = validate(schema, queryParameters(req.url));
  if (result.kind === 'invalid') throw invalidQuery(result.errors);
  return result.value;
}

const none = z.strictObject({});

/** Throws `query_invalid` if a call has a query. Used for calls without parameters. */
export function assertNoQuery(req: Request): void {
  readQuery(req, none);
}

const readBytes = express.raw({ limit: MAX_BODY_BYTES, inflate: false, type: () => true });

/** The path to which a manager uploads a backup in parts. The only path whose body is not JSON. */
export const UPLOAD_PATH = '/api/restore/upload';

/** Reads a JSON body in UTF-8, up to a maximum size. */
export function readJson(req: Request, res: Response, next: NextFunction): void {
  const isEmpty = req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined;
  if (isEmpty || req.headers['content-length'] === '0') return next();
  const isPart = req.get('content-type') === 'application/octet-stream';
  if (isPart && req.path === UPLOAD_PATH.slice('/api'.length)) return readBytes(req, res, next);
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(req.get('content-type') ?? '')) {
    throw new GatewayError('media_type_unsupported', { detail: 'Send Content-Type: application/json, in UTF-8.' });
  }
  readBytes(req, res, (error?: unknown) => {
    if (error !== undefined) return next(error);
    const body: unknown = parse(req.body as Buffer);
    if (body === undefined)
      return next(new GatewayError('json_malformed', { detail: 'The body is not JSON in UTF-8.' }));
    req.body = body;
    next();
  });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The body of a call. Throws `field_invalid`. */
export function readBody<T>(req: Request, schema: z.ZodType<T>): T {
  const result = validate(schema, req.body ?? {});
  if (result.kind === 'invalid') throw invalidFields(result.errors);
  return result.value;
}

const ID = /^[1-9]\d{0,14}$/;

/** The number in the path of a call. Throws `not_found`. */
export function readId(req: Request): number {
  const text = req.params['id'];
  if (typeof text === 'string' && ID.test(text)) return Number(text);
  throw nothingHere();
}

/** The error for an unknown number or name in the path. */
export function nothingHere(detail = 'This does not exist.'): GatewayError {
  return new GatewayError('not_found', { detail });
}

/** Returns the answer. Throws `not_found` with this detail if there is none. */
export function assertFound<Answer>(answer: Answer | undefined, detail: string): Answer {
  if (answer === undefined) throw nothingHere(detail);
  return answer;
}

/** The schema of a whole number in a query, from `least` to `most`. */
export function numberText(least: number, most: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
      params: { code: 'range' },
    })
    .transform(Number);
}

export const dateText = z.iso.date({ error: 'must be a day, written YYYY-MM-DD', abort: true });

export const idText = numberText(1, 999_999_999_999_999);

/** The schema of epoch seconds in a query. */
export const secondText = z
  .string()
  .refine((text) => /^-?\d{1,12}$/.test(text), {
    error: 'must be epoch seconds, a whole number',
    params: { code: 'seconds' },
  })
  .transform(Number);

/**
 * A password as sent. It may be longer than `assertFitPassword` accepts, so that the error message of that function can name
 * the maximum.
 */
export const passwordText = z.string().max(10_000);

/** Throws `field_invalid` for the field `password` if a new password is too weak. */
export function assertFitPassword(password: string): void {
  const fault = findPasswordFault(password);
  if (fault !== undefined) throw invalidFields([parameterFault('password', 'weak_password', fault)]);
}
