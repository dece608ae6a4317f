// Parses a JSON body. It must be UTF-8, with or without a byte order mark, and one object with limited nesting.

import { isUtf8 } from 'node:buffer';

import { MAX_NESTING } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { textOfBody } from '../store/records/content.ts';
import { findTextFaults } from './text-faults.ts';

export interface JsonBody {
  /** The body as text, without a byte order mark. */
  readonly text: string;
  /** The result of JSON.parse. Large numbers in it may have lost digits. */
  readonly value: unknown;
}

/**
 * Throws `json_malformed`, `bulk_unsupported` or `field_invalid`. In a long text, already finds repetitions of the members with
 * the `names`: JSON.parse would take milliseconds for ten thousand of them.
 */
export function parseJsonBody(body: Buffer, names: readonly string[] = []): JsonBody {
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  const text = textOfBody(body);
  if (/^\s*\[/.test(text)) throw bulk('The body');
  const { tooDeep, repeated } = findTextFaults(text, names);
  if (tooDeep !== undefined) {
    throw invalidFields([
      { pointer: tooDeep, code: 'nesting', detail: `the body is nested more than ${MAX_NESTING} deep` },
    ]);
  }
  if (repeated.length > 0) throw repeatedFields(repeated);
  return { text, value: parse(text) };
}

/**
 * Makes the error for repeated members. Parsers differ in which of them they keep, so two systems would book different records.
 */
export function repeatedFields(names: readonly string[]): GatewayError {
  return invalidFields(
    names.map((name) => parameterFault(name, 'repeated', 'is given more than once: send each field once')),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Takes only the position from the parser's error message, because the rest of the message quotes the body.
    const position = /at position (\d+)/.exec((error as SyntaxError).message)?.[1];
    throw malformed(
      position === undefined
        ? 'The body is not JSON, or not all of it.'
        : `The body is not JSON: see position ${position}.`,
    );
  }
}

function malformed(detail: string): GatewayError {
  return new GatewayError('json_malformed', { detail, errors: [{ pointer: '', code: 'json', detail }] });
}

/** The error for a call with a list of records. `what` names the part of the call that is a list. */
export function bulk(what: string): GatewayError {
  return new GatewayError('bulk_unsupported', {
    detail: `${what} is an array. Bulk is not supported: send one record per request.`,
  });
}
