// The last page of the first run: waits for the first record and announces it. With a new key, it shows the till's card meanwhile.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleCheck, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { CreatedKey } from '../../server/contract/setup.ts';
import { overviewQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { useJoinPlace } from '../tills/use-join-place.ts';
import { WaitingForSale } from '../tills/waiting-for-sale.tsx';
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
  const isSelling = first !== null && (newTill === undefined || first.till === newTill.created.till);
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
            {t('arrivedMeans', { till: first.till, time: formats.clock(first.receivedAt) })}
          </Text>
        ) : (
          <Text mt={4}>{t(newTill === undefined ? 'waitingMeans' : 'waitingCard')}</Text>
        )}
      </div>
      <ErrorAlert error={error} />
      {newTill !== undefined && (
        <NewTillProgress newTill={newTill} journalId={journalId} isSelling={isSelling} doneWord={t('toToday')} />
      )}
      {newTill === undefined && first === null && toToday}
      {isSelling && (
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

/** The card of the new till until it sells, then what its first sale shows, such as a wrong clock. */
function NewTillProgress({
  newTill: { created, where },
  journalId,
  isSelling,
  doneWord,
}: {
  readonly newTill: NewTill;
  readonly journalId: number | undefined;
  readonly isSelling: boolean;
  readonly doneWord: string;
}) {
  const navigate = useNavigate();
  const place = useJoinPlace(created.apiUrl);
  if (isSelling) return place && <WaitingForSale journalId={journalId} joining={{ ...created, place }} />;
  const search = journalId === undefined ? {} : { journal: journalId };
  return (
    <NewKeySecret {...where} created={created} doneWord={doneWord} onDone={() => void navigate({ to: '/', search })} />
  );
}
