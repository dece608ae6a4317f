// The last page of the first run: waits for the first record and announces it.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import { KEY_PREFIXES } from '../../server/contract/codes.ts';
import type { CreatedKey } from '../../server/contract/setup.ts';
import { overviewQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { JoinPlace } from '../tills/join-place.ts';
import { joinRequest } from '../tills/join-request.ts';
import { useJoinPlace } from '../tills/use-join-place.ts';

export function FirstRecord({
  journalId,
  created,
}: {
  readonly journalId: number | undefined;
  /** The new key, while its secret is still known. */
  readonly created: CreatedKey | undefined;
}) {
  const { t } = useTranslation(['welcome', 'tills']);
  const formats = useStoreFormats();
  const { data: overview, error } = useQuery({ ...overviewQuery(journalId ?? 0), enabled: journalId !== undefined });
  const place = useJoinPlace(created?.apiUrl ?? '');
  const request = created === undefined || place === undefined ? undefined : requestOf(created, place);
  const first = overview?.lastRecord ?? null;
  const search = journalId === undefined ? {} : { journal: journalId };

  return (
    <Stack gap="md" align="flex-start">
      {first === null ? (
        <Hourglass size={40} strokeWidth={1.5} color="var(--cf-waiting)" style={{ marginLeft: -7 }} aria-hidden />
      ) : (
        <CircleCheck size={40} strokeWidth={1.5} color="var(--cf-fine)" className="row-new" aria-hidden />
      )}
      <div aria-live="polite">
        <Title order={2} size={28} fw={600} lh={1.25}>
          {t(first === null ? 'waiting' : 'arrived')}
        </Title>
        {first === null ? (
          <Text mt={4}>{t(created === undefined ? 'waitingMeans' : 'waitingFor', { till: created?.till ?? '' })}</Text>
        ) : (
          <Text mt={4} title={formats.exact(first.receivedAt)}>
            {t('arrivedMeans', { till: first.till, time: formats.time(first.receivedAt) })}
          </Text>
        )}
      </div>
      <ErrorAlert error={error} />
      {first === null && request !== undefined && (
        <Stack gap={4} w="100%">
          <Text size="sm" fw={600}>
            {t('tills:firstRequest')}
          </Text>
          <Copyable text={request} label={t('tills:firstRequest')} isBlock />
        </Stack>
      )}
      {first === null ? (
        <LinkButton to="/" search={search} variant="default">
          {t('toToday')}
        </LinkButton>
      ) : (
        <Group gap="xs">
          <LinkButton to="/" search={search}>
            {t('toToday')}
          </LinkButton>
          <LinkButton to="/records" search={search} variant="default">
            {t('seeIt')}
          </LinkButton>
        </Group>
      )}
    </Stack>
  );
}

/** The till's first request with curl; undefined for a key that the till already had. */
function requestOf({ secret, key }: CreatedKey, place: JoinPlace): string | undefined {
  if (secret === null) return undefined;
  const mode = secret.startsWith(KEY_PREFIXES.test) ? 'test' : 'production';
  return joinRequest('curl', { ...place, secret, key, mode });
}
