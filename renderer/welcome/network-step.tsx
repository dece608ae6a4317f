// The question whether tills on other machines may connect.

import { Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { NetworkView } from '../../server/contract/network.ts';
import { useNetworkChange } from '../api/act.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { Answers, type Place, Question } from './question.tsx';

export function NetworkStep({
  place,
  view,
  onDone,
}: {
  readonly place: Place;
  readonly view: NetworkView;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('welcome');
  const [wanted, setWanted] = useState(view.settings.isOpen ? 'open' : 'closed');
  const [failed, setFailed] = useState<NetworkView['failures']>([]);
  const save = useNetworkChange();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isOpen = wanted === 'open';
    if (isOpen === view.settings.isOpen) return onDone();
    save.mutate({ isOpen }, { onSuccess: ({ failures }) => (failures.length === 0 ? onDone() : setFailed(failures)) });
  };
  return (
    <Question place={place} title={t('networkTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Radio.Group aria-label={t('networkTitle')} value={wanted} onChange={setWanted}>
            <Stack gap="md">
              <Radio value="open" label={t('networkOpen')} description={t('networkOpenHelp')} />
              <Radio value="closed" label={t('networkClosed')} description={t('networkClosedHelp')} />
            </Stack>
          </Radio.Group>
          <Text size="sm" c="dimmed">
            {t('networkLater')}
          </Text>
          <ErrorAlert error={save.error} />
          {failed.length > 0 ? (
            <>
              <NetworkProblemAlert problems={[{ kind: 'notListening', failures: failed }]} />
              <Button onClick={onDone} style={{ alignSelf: 'flex-start' }}>
                {t('continue')}
              </Button>
            </>
          ) : (
            <Answers word={t('continue')} isPending={save.isPending} onSkip={onDone} />
          )}
        </Stack>
      </form>
    </Question>
  );
}
