// Questions and warnings in system dialogs, which also work without a window.

import type { MessageBoxOptions } from 'electron';

import type { Words } from './words.ts';

/** Shows a dialog. Resolves with the index of the pressed button. */
export type Ask = (question: MessageBoxOptions) => Promise<number>;

export interface Questions {
  /** Resolves to true if the user pressed the button, and to false if the user closed the dialog. */
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
