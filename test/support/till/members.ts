// Reads the members of a till's body without losing a digit of any number.

import { isLosslessNumber, parse } from 'lossless-json';

export type Members = Record<string, unknown>;

/** Reads a JSON object. Undefined for anything else, and if a name is repeated with another value. */
export function readMembers(body: Buffer): Members | undefined {
  try {
    const value = parse(body.toString('utf8'));
    return hasParts(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object or an array, whose items are its members. */
export function hasParts(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !isLosslessNumber(value);
}
