// The name of a person in the log of acts, in words.

import { useTranslation } from 'react-i18next';

import { ACTORS } from '../../server/contract/codes.ts';

/** Returns a function that gives the name of an actor in words. A person who signed in by a link has no name. */
export function useActorWords(): (actor: string) => string {
  const { t } = useTranslation('people');
  return (actor) => (actor === ACTORS.link ? t('noName') : actor);
}
