// The content of a screen before the first store exists.

import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useIsManager } from '../model/selected-journal.ts';
import { LinkButton } from './link-button.tsx';

export function NoStoreYet() {
  const { t } = useTranslation('welcome');
  const isManager = useIsManager();
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size={24}>
        {t('noStore')}
      </Title>
      <Text>{t(isManager ? 'noStoreMeans' : 'noStoreWait')}</Text>
      {isManager && (
        <LinkButton to="/welcome" mt="xs">
          {t('begin')}
        </LinkButton>
      )}
    </Stack>
  );
}
