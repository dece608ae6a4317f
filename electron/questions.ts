// Asking somebody, and warning them: in a box of the system's own, which stands also where no window is.

import type { MessageBoxOptions } from 'electron';

import type { Words } from './words.ts';

/** Resolves with the number of the button that was pressed. */
export type Ask = (question: MessageBoxOptions) => Promise<number>;

export interface Questions {
  /** Whether somebody pressed the button; whoever closes the box did not. */
  isAgreed(message: string, detail: string, button: string): Promise<boolean>;
  warn(message: string, detail?: string): Promise<void>;
}

export function openQuestions(ask: Ask, words: Words): Questions {
  return {
    async isAgreed(message, detail, button) {
      const buttons = [button, words.cancel];
      return (await ask({ type: 'question', message, detail, buttons, defaultId: 1, cancelId: 1 })) === 0;
    },
    async warn(message, detail = '') {
      await ask({ type: 'warning', message, detail, buttons: [words.close] });
    },
  };
}
