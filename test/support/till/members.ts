// Reads the members of a till's body without losing a digit of any number.

import { isLosslessNumber, parse } from 'lossless-json';

export type Members = Record<string, unknown>;

/** Reads a JSON object. Returns undefined for anything else, and if a name occurs twice with different values. */
export function readMembers(body: Buffer): Members | undefined {
  try {
    const value = parse(body.toString('utf8'));
    return hasParts(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value has members: an object, or an array with its items. */
export function hasParts(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !isLosslessNumber(value);
}
