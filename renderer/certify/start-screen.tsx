// Begins a certification of a till, and lists earlier reports.

import { Alert, Anchor, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { CertificationView } from '../../server/contract/certify.ts';
import type { JournalView, KeyView, Till } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { certificationsQuery, tillsQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ManagerButton, ManagersOnly } from '../components/manager-button.tsx';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { STEP_VALUES } from './event-words.ts';

import classes from './certify.module.css';

export function StartScreen() {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Start key={journal.id} journal={journal} />;
}

function Start({ journal }: { readonly journal: JournalView }) {
  const { t } = useTranslation('certify');
  const { key } = useSearch({ from: '/tills/certify' });
  const { data: tills } = useSuspenseQuery(tillsQuery(journal.id));
  const till = tills.find(({ keys }) => keys.some(({ id }) => id === key));
  const keys = till?.keys.filter(({ revokedAt }) => revokedAt === null) ?? [];
  return (
    <Stack gap="md" maw={860}>
      <Anchor component={Link} to="/tills" size="sm">
        {t('toTills')}
      </Anchor>
      {till === undefined || keys.length === 0 || journal.mode !== 'test' ? (
        <Alert color="yellow">{t('noKey')}</Alert>
      ) : (
        <Begin till={till} keys={keys} wanted={key} />
      )}
      <Reports journalId={journal.id} />
    </Stack>
  );
}

function Begin({
  till,
  keys,
  wanted,
}: {
  readonly till: Till;
  readonly keys: readonly KeyView[];
  readonly wanted: number | undefined;
}) {
  const { t } = useTranslation('certify');
  const navigate = useNavigate();
  const [keyId, setKeyId] = useState(keys.find(({ id }) => id === wanted)?.id ?? keys[0]?.id ?? 0);
  const begin = useAct(() => send<CertificationView>('POST', 'certifications', { keyId }));
  const start = (): void =>
    begin.mutate(undefined, {
      onSuccess: ({ id }) => void navigate({ to: '/tills/certify/$runId', params: { runId: String(id) } }),
    });
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={2} size={24}>
        {t('startTitle', { till: till.label })}
      </Title>
      <Text>{t('startMeans')}</Text>
      <Text>
        {t('startFaults')} {t('startEnds', { minutes: STEP_VALUES.minutes })}
      </Text>
      {keys.length > 1 && (
        <NativeSelect
          label={t('withKey')}
          value={String(keyId)}
          onChange={(event) => setKeyId(Number(event.currentTarget.value))}
          data={keys.map(({ id }) => ({ value: String(id), label: t('keyOption', { id }) }))}
        />
      )}
      <ErrorAlert error={begin.error} />
      <ManagerButton loading={begin.isPending} onClick={start}>
        {t('start')}
      </ManagerButton>
      <ManagersOnly />
    </Stack>
  );
}

function Reports({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const { data: runs } = useSuspenseQuery(certificationsQuery(journalId));
  if (runs.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h4" mb={6}>
        {t('reports')}
      </Title>
      <ul className={classes.reports}>
        {runs.map((run) => (
          <li key={run.id}>
            <Anchor
              renderRoot={(props) => <Link {...props} to="/tills/certify/$runId" params={{ runId: String(run.id) }} />}
            >
              {t('reportLink', { till: run.till, time: formats.time(run.startedAt), ...run.results })}
            </Anchor>
          </li>
        ))}
      </ul>
    </section>
  );
}
