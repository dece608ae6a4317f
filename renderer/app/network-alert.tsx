// The notice about problems of the network: in full for managers, in one sentence for clerks.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { LinkButton } from '../components/link-button.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import type { NetworkProblem } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

export function NetworkAlert({
  problems,
  onClose,
}: {
  readonly problems: readonly NetworkProblem[];
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['network', 'app']);
  const isManager = useIsManager();
  return (
    <NetworkProblemAlert
      problems={problems}
      isShort={!isManager}
      withCloseButton
      closeButtonLabel={t('app:close')}
      onClose={onClose}
    >
      {isManager ? (
        <LinkButton to="/network" size="xs" variant="default">
          {t('seeNetwork')}
        </LinkButton>
      ) : (
        <Text>{t('tellManager')}</Text>
      )}
    </NetworkProblemAlert>
  );
}
