// The errors for people and tills. Any other error is a bug or a broken machine.

import {
  CONSOLE_ERROR_CODES,
  type ConsoleErrorCode,
  ERROR_CODES,
  type ErrorCode,
  type FieldError,
} from './contract/codes.ts';
import type { StartFault } from './contract/desktop.ts';

export interface GatewayErrorOptions {
  /** What is wrong and what to do; never a key, token or body. */
  readonly detail: string;
  /** The faults by field, if any. */
  readonly errors?: readonly FieldError[];
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Further response headers, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

const CODES = { ...ERROR_CODES, ...CONSOLE_ERROR_CODES };

/** A refused call, with a code from the contract. */
abstract class CallError<Code extends keyof typeof CODES> extends Error {
  readonly code: Code;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, options: GatewayErrorOptions) {
    super(options.detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return CODES[this.code].status;
  }

  get title(): string {
    return CODES[this.code].title;
  }
}

/** A refused call of a till, or a call of the console refused with the same code. */
export class GatewayError extends CallError<ErrorCode> {
  override readonly name = 'GatewayError';
}

/** A call of the console refused with a code that only the console has. */
export class ConsoleError extends CallError<ConsoleErrorCode> {
  override readonly name = 'ConsoleError';
}

/** A mistake on the command line or in a settings file: shown as one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The gateway cannot start or continue, and a person can fix the reason: shown as one sentence, without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly fault: StartFault;

  constructor(message: string, { fault = 'other', ...options }: ErrorOptions & { readonly fault?: StartFault } = {}) {
    super(message, options);
    this.fault = fault;
  }
}

/** For the default branch of a switch over a union: a missing case is a compile error. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
