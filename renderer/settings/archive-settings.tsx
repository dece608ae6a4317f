// The archive in Settings: how many records are archived, and where.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { ArchiveFault } from '../../server/contract/archive.ts';
import { archiveQuery } from '../api/queries.ts';
import type { Setting } from '../components/setting-row.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Words } from './store-settings.tsx';

const FAULT_TEXTS = {
  missing: 'archiveMissing',
  unreadable: 'archiveUnreadable',
  damaged: 'archiveDamaged',
} as const satisfies Record<ArchiveFault, string>;

export function archiveSettings(t: Words): readonly Setting[] {
  return [
    {
      id: 'archive',
      title: t('archive'),
      help: t('archiveHelp'),
      alsoCalled: 'archiveMonths archiveFolder',
      control: <ArchiveState />,
    },
  ];
}

function ArchiveState() {
  const { t } = useTranslation('settings');
  const formats = useStoreFormats();
  const { data: archive } = useQuery(archiveQuery);
  if (archive === undefined) return null;
  const { months, folder, files, records, bodyBytes, fileBytes, fault, failure } = archive;
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm">{months === null ? t('archiveOff') : t('archiveOn', { count: months })}</Text>
      {files > 0 && (
        <>
          <Text size="sm">
            {t('archiveHas', {
              count: records,
              n: formats.number(records),
              before: formats.space(bodyBytes),
              now: formats.space(fileBytes),
            })}
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {folder}
          </Text>
        </>
      )}
      {fault !== null && (
        <StateMark tone="bad">
          {t(FAULT_TEXTS[fault.fault], { count: fault.files, time: formats.time(fault.since) })}
        </StateMark>
      )}
      {failure !== null && (
        <StateMark tone="bad">
          {t(failure.fault === 'full' ? 'archiveLacksSpace' : 'archiveFails', { time: formats.time(failure.since) })}
        </StateMark>
      )}
      {months === null && (
        <Text size="xs" c="dimmed">
          {t('archiveNoSetting')}
        </Text>
      )}
    </Stack>
  );
}
