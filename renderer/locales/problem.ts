// Error answers in the user's language, by their codes. If a code is unknown, the gateway's own text is used.

import i18next from 'i18next';

import type { FieldError } from '../../server/contract/codes.ts';

export interface ProblemWords {
  readonly message: string;
  /** Error texts by the path of the field, without the first slash. */
  readonly fields: Readonly<Record<string, string>>;
}

export function problemWords(code: string, detail: string, errors: readonly FieldError[] = []): ProblemWords {
  const fields = Object.fromEntries(
    errors.map((error) => [error.pointer.replace(/^\//, ''), wordsFor('fault', error.code, error.detail)]),
  );
  const message = wordsFor('problem', code, detail === '' ? i18next.t('app:failed') : detail);
  const named = code === 'field_invalid' ? Object.values(fields) : [];
  return { message: [message, ...named].join(' '), fields };
}

function wordsFor(namespace: 'problem' | 'fault', code: string, otherwise: string): string {
  return String(i18next.t(code as never, { ns: namespace, defaultValue: otherwise }));
}
