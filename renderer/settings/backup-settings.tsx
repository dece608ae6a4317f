// The daily backup in Settings: when the last one was made, and a button that makes one now.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { BackupFault, BackupsView } from '../../server/contract/backups.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { backupsQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import type { Setting } from '../components/setting-row.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Words } from './store-settings.tsx';

const FAULT_TEXTS = {
  unreachable: 'backupUnreachable',
  full: 'backupDiskFull',
  forbidden: 'backupForbidden',
  read_only: 'backupReadOnly',
  other: 'backupFails',
} as const satisfies Record<BackupFault, string>;

export function backupSettings(t: Words): readonly Setting[] {
  return [
    {
      id: 'backup',
      title: t('backupNow'),
      help: t('backupNowHelp'),
      alsoCalled: 'backupFolder backupKeep',
      control: <BackUpNow />,
    },
    {
      id: 'restore',
      title: t('restore'),
      help: t('restoreHelp'),
      control: <ToRestore />,
    },
  ];
}

function ToRestore() {
  const { t } = useTranslation('settings');
  return (
    <LinkButton to="/restore" variant="default" size="xs" leftSection={<ArchiveRestore size={16} aria-hidden />}>
      {t('openRestore')}
    </LinkButton>
  );
}

function BackUpNow() {
  const { t } = useTranslation('settings');
  const formats = useStoreFormats();
  const { data: backups } = useQuery(backupsQuery);
  const { mutate, isPending, error } = useAct(() => send('POST', 'backups'));
  if (backups === undefined) return null;
  const { folder, isOnDataDisk, lastAt, progress, failure } = backups;
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm">{lastAt === null ? t('backupNone') : t('backupLast', { time: formats.time(lastAt) })}</Text>
      {failure !== null && progress === null && (
        <>
          <StateMark tone="bad">{t(FAULT_TEXTS[failure.fault], { time: formats.time(failure.since) })}</StateMark>
          <Text size="sm">{t('backupRetries')}</Text>
        </>
      )}
      {isOnDataDisk && <StateMark tone="differs">{t('backupSameDisk')}</StateMark>}
      {progress !== null && (
        <Text size="sm" role="status">
          {progressText(progress, t)}
        </Text>
      )}
      {folder === null ? (
        <Text size="xs" c="dimmed">
          {t('backupNoFolder')}
        </Text>
      ) : (
        <ManagerButton
          variant="default"
          size="xs"
          loading={isPending}
          disabled={progress !== null}
          onClick={() => mutate(undefined)}
        >
          {t('backUp')}
        </ManagerButton>
      )}
      <ErrorAlert error={error} />
    </Stack>
  );
}

function progressText(progress: NonNullable<BackupsView['progress']>, t: Words): string {
  if (progress.step === 'verify') return t('backupVerifies');
  return t('backupCopies', { n: Math.floor((100 * progress.done) / Math.max(1, progress.total)) });
}
