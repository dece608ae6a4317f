// The name of a person in a report.

import { useTranslation } from 'react-i18next';

import { ACTORS } from '../../server/contract/codes.ts';

/** Someone who signed in by a link has no name. */
export function useActorWords(): (actor: string) => string {
  const { t } = useTranslation('activity');
  return (actor) => (actor === ACTORS.link ? t('atConsole') : actor);
}
