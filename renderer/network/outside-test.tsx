// Connects to every address as an outside till does, and says the result per address in words.

import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Radar } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { NetworkTestView } from '../../server/contract/network.ts';
import { send } from '../api/client.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';

export function OutsideTest({ isOpen }: { readonly isOpen: boolean }) {
  const { t } = useTranslation('network');
  const test = useMutation({ mutationFn: () => send<readonly NetworkTestView[]>('POST', 'network/test') });
  return (
    <Stack gap="sm" align="flex-start">
      {isOpen ? (
        <ManagerButton
          variant="default"
          leftSection={<Radar size={16} aria-hidden />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('testDo')}
        </ManagerButton>
      ) : (
        <Text>{t('testClosed')}</Text>
      )}
      <ErrorAlert error={test.error} />
      <div role="status">
        {test.data?.length === 0 && <Text>{t('testNothing')}</Text>}
        {test.data !== undefined && test.data.length > 0 && <Results results={test.data} />}
      </div>
    </Stack>
  );
}

function Results({ results }: { readonly results: readonly NetworkTestView[] }) {
  const { t } = useTranslation('network');
  const failed = results.filter(({ fault }) => fault !== null).length;
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {failed === 0 ? t('testFine') : failed === results.length ? t('testFailed') : t('testPartly')}
      </Text>
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none', overflowWrap: 'anywhere' }}>
        {results.map(({ address, fault }) => (
          <li key={address}>
            <StateMark tone={fault === null ? 'fine' : 'bad'}>{address}</StateMark>
            <Text size="sm" pl={22}>
              {fault === null ? t('testAddressFine') : t(`fault_${fault.step}`)}
            </Text>
            {fault !== null && (
              <Text size="xs" c="dimmed" pl={22} lang="en">
                {fault.detail}
              </Text>
            )}
          </li>
        ))}
      </Stack>
      {failed === 0 && (
        <Text size="sm" c="dimmed">
          {t('testFirewall')}
        </Text>
      )}
    </Stack>
  );
}
