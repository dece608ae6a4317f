// The last page of the first run: waits for the first record and announces it. If this run made a key, the page shows the
// till's card while it waits.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleCheck, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { CreatedKey } from '../../server/contract/setup.ts';
import { overviewQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { useJoinPlace } from '../tills/use-join-place.ts';
import { useJoinState, WaitingForSale } from '../tills/waiting-for-sale.tsx';
import type { WhereKey } from './till-step.tsx';

interface NewTill {
  readonly created: CreatedKey;
  readonly where: WhereKey;
  /** Whether somebody already copied, printed or used the till's key. */
  readonly wasTaken: boolean;
}

export function FirstRecord({
  journalId,
  newTill,
}: {
  readonly journalId: number | undefined;
  /** The till of this run, while the secret of its key is still known. */
  readonly newTill: NewTill | undefined;
}) {
  return newTill === undefined ? (
    <FirstOfAnyTill journalId={journalId} />
  ) : (
    <FirstOfNewTill journalId={journalId} newTill={newTill} />
  );
}

function FirstOfAnyTill({ journalId }: { readonly journalId: number | undefined }) {
  const { t } = useTranslation('welcome');
  const { data: overview, error } = useQuery({ ...overviewQuery(journalId ?? 0), enabled: journalId !== undefined });
  const first = overview?.lastRecord ?? null;
  return (
    <Announcement journalId={journalId} first={first} title={t('waiting')} means={t('waitingMeans')}>
      <ErrorAlert error={error} />
      {first === null && (
        <LinkButton to="/" search={searchOf(journalId)} variant="default">
          {t('toToday')}
        </LinkButton>
      )}
    </Announcement>
  );
}

/**
 * Shows the card of the new till until its first sale with this key. Then shows what that sale reveals, such as a wrong clock.
 */
function FirstOfNewTill({
  journalId,
  newTill: { created, where, wasTaken },
}: {
  readonly journalId: number | undefined;
  readonly newTill: NewTill;
}) {
  const { t } = useTranslation('welcome');
  const navigate = useNavigate();
  const place = useJoinPlace(created.apiUrl);
  const { state } = useJoinState(journalId, created.key);
  const { till } = created;
  return (
    <Announcement
      journalId={journalId}
      first={state.kind === 'arrived' ? state.record : null}
      title={t('waitingFor', { till })}
      means={t('waitingCard')}
    >
      {state.kind !== 'arrived' ? (
        <NewKeySecret
          {...where}
          created={created}
          wasTaken={wasTaken}
          doneWord={t('toToday')}
          onDone={() => void navigate({ to: '/', search: searchOf(journalId) })}
        />
      ) : (
        place && <WaitingForSale journalId={journalId} joining={{ ...created, place }} />
      )}
    </Announcement>
  );
}

/** Shows `title` and `means` while it waits, and then announces the first record. */
function Announcement({
  journalId,
  first,
  title,
  means,
  children,
}: {
  readonly journalId: number | undefined;
  readonly first: { readonly till: string; readonly receivedAt: number } | null;
  readonly title: string;
  readonly means: string;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('welcome');
  const formats = useStoreFormats();
  return (
    <Stack gap="md" align="flex-start">
      {first === null ? (
        <Hourglass size={40} strokeWidth={1.5} color="var(--cf-waiting)" style={{ marginLeft: -7 }} aria-hidden />
      ) : (
        <CircleCheck size={40} strokeWidth={1.5} color="var(--cf-fine)" className="row-new" aria-hidden />
      )}
      <div aria-live="polite">
        <Title order={2} size={28} fw={600} lh={1.25}>
          {first === null ? title : t('arrived')}
        </Title>
        {first === null ? (
          <Text mt={4}>{means}</Text>
        ) : (
          <Text mt={4} title={formats.exact(first.receivedAt)}>
            {t('arrivedMeans', { till: first.till, time: formats.clock(first.receivedAt) })}
          </Text>
        )}
      </div>
      {children}
      {first !== null && (
        <Group gap="xs">
          <LinkButton to="/" search={searchOf(journalId)}>
            {t('toToday')}
          </LinkButton>
          <LinkButton to="/records" search={searchOf(journalId)} variant="default">
            {t('seeIt')}
          </LinkButton>
        </Group>
      )}
    </Stack>
  );
}

function searchOf(journal: number | undefined) {
  return journal === undefined ? {} : { journal };
}
