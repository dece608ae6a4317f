// Asks the user before the app changes to the newer or the previous version.

import type { Questions } from './questions.ts';
import type { Updates } from './updates.ts';
import { say, type Words } from './words.ts';

export interface VersionQuestions {
  update(): Promise<void>;
  goBack(): Promise<void>;
}

/** Returns functions that ask the user and then change the version. If the change fails, they tell the user. */
export function openVersionQuestions(updates: Updates, { isAgreed, warn }: Questions, words: Words): VersionQuestions {
  const warnOfFailure = (error: unknown): Promise<void> =>
    warn(words.versionFailed, error instanceof Error ? error.message : String(error));

  return {
    async update() {
      const { update: version, isByItself } = updates.choices();
      if (version === undefined) return;
      const detail = [words.versionMeans, ...(isByItself ? [words.updateByItself] : [])].join('\n');
      if (await isAgreed(say(words.updateTitle, { version }), detail, words.doUpdate))
        await updates.update().catch(warnOfFailure);
    },
    async goBack() {
      const { previous: version } = updates.choices();
      if (version === undefined) return;
      if (!(await isAgreed(say(words.goBackTitle, { version }), words.versionMeans, words.doGoBack))) return;
      try {
        if (!(await updates.goBack())) await warn(say(words.cannotGoBack, { version }));
      } catch (error) {
        await warnOfFailure(error);
      }
    },
  };
}
