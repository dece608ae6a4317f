// The last page of the first run: waits for the first record and announces it. With a new key, it shows the till's card meanwhile.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { CreatedKey } from '../../server/contract/setup.ts';
import { overviewQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { WaitingForSale } from '../components/waiting-for-sale.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { JoinCard } from '../tills/join-card.tsx';
import { useJoinPlace } from '../tills/use-join-place.ts';
import type { WhereKey } from './till-step.tsx';

interface NewTill {
  readonly created: CreatedKey;
  readonly where: WhereKey;
}

export function FirstRecord({
  journalId,
  newTill,
}: {
  readonly journalId: number | undefined;
  /** The till of this run, while the secret of its key is still known. */
  readonly newTill: NewTill | undefined;
}) {
  const { t } = useTranslation('welcome');
  const formats = useStoreFormats();
  const { data: overview, error } = useQuery({ ...overviewQuery(journalId ?? 0), enabled: journalId !== undefined });
  const first = overview?.lastRecord ?? null;
  const search = journalId === undefined ? {} : { journal: journalId };
  const toToday = (
    <LinkButton to="/" search={search} variant={first === null ? 'default' : 'filled'}>
      {t('toToday')}
    </LinkButton>
  );

  return (
    <Stack gap="md" align="flex-start">
      {first === null ? (
        <Hourglass size={40} strokeWidth={1.5} color="var(--cf-waiting)" style={{ marginLeft: -7 }} aria-hidden />
      ) : (
        <CircleCheck size={40} strokeWidth={1.5} color="var(--cf-fine)" className="row-new" aria-hidden />
      )}
      <div aria-live="polite">
        <Title order={2} size={28} fw={600} lh={1.25}>
          {first !== null
            ? t('arrived')
            : newTill === undefined
              ? t('waiting')
              : t('waitingFor', { till: newTill.created.till })}
        </Title>
        {first !== null ? (
          <Text mt={4} title={formats.exact(first.receivedAt)}>
            {t('arrivedMeans', { till: first.till, time: formats.time(first.receivedAt) })}
          </Text>
        ) : (
          <Text mt={4}>{t(newTill === undefined ? 'waitingMeans' : 'waitingCard')}</Text>
        )}
      </div>
      <ErrorAlert error={error} />
      {newTill === undefined ? (
        first === null && toToday
      ) : (
        <Waiting newTill={newTill} journalId={journalId} isOver={first !== null}>
          {toToday}
        </Waiting>
      )}
      {first !== null && (
        <Group gap="xs">
          {toToday}
          <LinkButton to="/records" search={search} variant="default">
            {t('seeIt')}
          </LinkButton>
        </Group>
      )}
    </Stack>
  );
}

/** Explains what is missing until the new till sells, and shows its card. */
function Waiting({
  newTill: { created, where },
  journalId,
  isOver,
  children,
}: {
  readonly newTill: NewTill;
  readonly journalId: number | undefined;
  /** Whether a record has arrived. The card is no longer needed then. */
  readonly isOver: boolean;
  /** More buttons of the card. */
  readonly children: React.ReactNode;
}) {
  const place = useJoinPlace(created.apiUrl);
  if (place === undefined) return null;
  const { till, key, secret } = created;
  return (
    <Stack w="100%">
      <WaitingForSale
        journalId={journalId}
        till={till}
        joining={{ keyId: key.id, createdAt: key.createdAt }}
        address={place.address}
      />
      {!isOver && (
        <JoinCard joining={{ ...where, till, key, secret, place }} isWaiting={false}>
          {children}
        </JoinCard>
      )}
    </Stack>
  );
}
