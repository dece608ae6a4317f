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
  /** Says what is wrong and what to do. Never contains a key, token or body. */
  readonly detail: string;
  /** The faults, one per field. Undefined if the error is not about fields. */
  readonly errors?: readonly FieldError[];
  /** The value of the header Retry-After, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Further response headers, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

const CODES = { ...ERROR_CODES, ...CONSOLE_ERROR_CODES };

/** The error of a refused call. Its code is one of the codes in contract/codes.ts. */
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

/** The error of a refused call of a till. The console also uses it for the codes that tills can get too. */
export class GatewayError extends CallError<ErrorCode> {
  override readonly name = 'GatewayError';
}

/** The error of a refused call of the console, if its code is one that tills never get. */
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

/** For the default branch of a switch over a union type. If a case is missing, the code does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
