// The question about the upstream. The user can test the connection here.

import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { JournalView } from '../../server/contract/setup.ts';
import { lanesQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { UpstreamForm } from '../upstream/upstream-form.tsx';
import { type Place, Question } from './question.tsx';

export function UpstreamStep({
  place,
  journal,
  onDone,
}: {
  readonly place: Place;
  readonly journal: JournalView | undefined;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('welcome');
  const { data: lanes, error } = useQuery({ ...lanesQuery(journal?.id ?? 0), enabled: journal !== undefined });
  const lane = lanes?.find((each) => each.interface === 'current');
  if (journal === undefined)
    return (
      <Question place={place} title={t('upstreamTitle')}>
        <Text>{t('upstreamNeedsStore')}</Text>
        <Group gap="xs">
          {place.onBack !== undefined && <Button onClick={place.onBack}>{t('backToStore')}</Button>}
          <LinkButton to="/" variant="subtle" color="gray">
            {t('finish')}
          </LinkButton>
        </Group>
      </Question>
    );
  return (
    <Question place={place} title={t('upstreamTitle')}>
      <Text>{t('upstreamMeans')}</Text>
      <Text c="dimmed">{t('upstreamFor', { store: journal.administration, mode: t(`in_${journal.mode}`) })}</Text>
      <ErrorAlert error={error} />
      {lane !== undefined && <UpstreamForm key={lane.id} lane={lane} onSaved={onDone} />}
      <Button variant="default" onClick={onDone} style={{ alignSelf: 'flex-start' }}>
        {t('skip')}
      </Button>
    </Question>
  );
}
