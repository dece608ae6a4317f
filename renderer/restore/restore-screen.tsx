// The screen that restores a backup: choose a backup, look at its content, confirm, and wait for the restart.

import { Alert, Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { CheckFault, CheckProgress, LastRestore, RestoreState } from '../../server/contract/restores.ts';
import { journalsQuery, lanesQuery, restoreQuery, settingsQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagersOnly } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useIsManager } from '../model/selected-journal.ts';
import { Checked, Restarting } from './checked.tsx';
import { ChooseBackup } from './choose-backup.tsx';
import { useCancel } from './use-cancel.ts';

export function RestoreScreen() {
  const { t } = useTranslation('restore');
  const isManager = useIsManager();
  return (
    <Stack gap="lg" maw={720}>
      <Stack gap={4}>
        <Title order={2} size={24} fw={600}>
          {t('title')}
        </Title>
        <Text c="dimmed">{t('means')}</Text>
        <ManagersOnly />
      </Stack>
      {isManager && <Restore />}
    </Stack>
  );
}

function Restore() {
  const { data } = useSuspenseQuery(restoreQuery);
  return (
    <>
      {data.last !== null && <Last last={data.last} />}
      <Step state={data.state} />
    </>
  );
}

function Step({ state }: { readonly state: RestoreState }) {
  switch (state.kind) {
    case 'none':
      return <ChooseBackup />;
    case 'checking':
      return <Checking file={state.file} progress={state.progress} />;
    case 'refused':
      return <Refused {...state} />;
    case 'checked':
      return <Checked {...state} />;
    case 'restoring':
      return <Restarting />;
  }
}

function Last({ last }: { readonly last: LastRestore }) {
  const { t } = useTranslation('restore');
  const { data: settings } = useSuspenseQuery(settingsQuery);
  if (last.kind === 'failed')
    return (
      <Alert color="red" variant="light" icon={<CircleAlert size={16} aria-hidden />} title={t('failed')}>
        <Text size="sm">{t('failedMeans')}</Text>
        <Text size="xs" mt={4} style={{ overflowWrap: 'anywhere' }}>
          <ForeignText>{last.detail}</ForeignText>
        </Text>
      </Alert>
    );
  const { dataDir } = settings;
  const path = `${dataDir}${dataDir.includes('\\') ? '\\' : '/'}${last.setAside}`;
  return (
    <Stack gap="xs" align="flex-start" role="status">
      <StateMark tone="fine" size="md">
        {t('done')}
      </StateMark>
      <Text>{t('doneMeans')}</Text>
      <Copyable text={path} label={t('previousData')} />
      <ForwardingOff />
      <Text>{t('doneNext')}</Text>
      <LinkButton to="/days" variant="default" size="xs">
        {t('toDays')}
      </LinkButton>
    </Stack>
  );
}

/** Tells a manager to start forwarding, if the restored data do not forward yet. */
function ForwardingOff() {
  const { t } = useTranslation('restore');
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const lanes = useSuspenseQueries({ queries: journals.map(({ id }) => lanesQuery(id)) });
  if (!lanes.some(({ data }) => data.some(({ cause }) => cause?.code === 'restored'))) return null;
  return (
    <>
      <Text>{t('forwardingOff')}</Text>
      <LinkButton to="/upstream" variant="default" size="xs">
        {t('toUpstream')}
      </LinkButton>
    </>
  );
}

function Checking({ file, progress }: { readonly file: string; readonly progress: CheckProgress | null }) {
  const { t } = useTranslation('restore');
  const { t: words } = useTranslation('app');
  const cancel = useCancel();
  return (
    <Stack gap="xs" role="status">
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {t('checking', { file })}
      </Text>
      <Text>{stepText(progress, t)}</Text>
      <Progress value={shareOf(progress)} aria-label={t('progress')} />
      <Text size="sm" c="dimmed">
        {t('checkingMeans')}
      </Text>
      <ErrorAlert error={cancel.error} />
      <Button variant="default" loading={cancel.isPending} onClick={cancel.run} style={{ alignSelf: 'flex-start' }}>
        {words('cancel')}
      </Button>
    </Stack>
  );
}

type Words = ReturnType<typeof useTranslation<'restore'>>['t'];

function stepText(progress: CheckProgress | null, t: Words): string {
  switch (progress?.step) {
    case undefined:
    case 'copy':
      return t('stepCopy');
    case 'structure':
      return t('stepStructure');
    case 'records':
      return t('stepRecords');
    case 'counts':
      return t('stepCounts');
    case 'migrate':
      return t('stepMigrate');
  }
}

/** The progress of the whole check in percent. Each step has the same share, because nobody knows how long it takes. */
function shareOf(progress: CheckProgress | null): number {
  if (progress === null) return 0;
  const before = ['copy', 'structure', 'records', 'counts', 'migrate'].indexOf(progress.step);
  const within = 'done' in progress ? progress.done / Math.max(1, progress.total) : 0;
  return 20 * (before + within);
}

const FAULT_TEXTS = {
  foreign: 'faultForeign',
  damaged: 'faultDamaged',
  newer: 'faultNewer',
  full: 'faultFull',
  unreadable: 'faultUnreadable',
  other: 'faultOther',
} as const satisfies Record<CheckFault, string>;

function Refused({ file, fault, detail }: Extract<RestoreState, { readonly kind: 'refused' }>) {
  const { t } = useTranslation('restore');
  const cancel = useCancel();
  return (
    <Stack gap="sm" align="flex-start">
      <Alert
        color="red"
        variant="light"
        role="alert"
        icon={<CircleAlert size={16} aria-hidden />}
        title={t('refused', { file })}
        style={{ overflowWrap: 'anywhere' }}
      >
        <Text size="sm">
          {t(FAULT_TEXTS[fault])} {t('nothingChanged')}
        </Text>
        <Text size="xs" mt={4}>
          <ForeignText>{detail}</ForeignText>
        </Text>
      </Alert>
      <ErrorAlert error={cancel.error} />
      <Button variant="default" loading={cancel.isPending} onClick={cancel.run}>
        {t('chooseAnother')}
      </Button>
    </Stack>
  );
}
