// The gateway itself: its version and updates, where the data are stored, and how much space is left.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { type DiskState, MAX_TOLD_DISK_DAYS } from '../../server/contract/machine.ts';
import type { SettingsView } from '../../server/contract/setup.ts';
import { sessionQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import type { Setting } from '../components/setting-row.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { desktopViewQuery } from './desktop-settings.tsx';

type Words = ReturnType<typeof useTranslation<'thisGateway'>>['t'];

export function thisGateway(
  { dataDir, databaseBytes, disk }: Pick<SettingsView, 'dataDir' | 'databaseBytes' | 'disk'>,
  t: Words,
): readonly Setting[] {
  return [
    { id: 'version', title: t('version'), help: t('versionHelp'), control: <Version /> },
    {
      id: 'dataDirectory',
      title: t('dataDirectory'),
      help: t('dataDirectoryHelp'),
      control: <Copyable text={dataDir} label={t('dataDirectory')} />,
    },
    {
      id: 'space',
      title: t('space'),
      help: t('spaceHelp'),
      alsoCalled: t('free'),
      control: <Space databaseBytes={databaseBytes} disk={disk} />,
    },
  ];
}

function Version() {
  const { t } = useTranslation('thisGateway');
  const { data: session } = useQuery(sessionQuery);
  const { desktop } = window;
  const { data: app } = useQuery({ ...desktopViewQuery(desktop), enabled: desktop !== undefined });
  return (
    <Stack gap={2}>
      <Text>Counterfoil {session?.version}</Text>
      {app?.update != null ? (
        <StateMark tone="waiting">
          {t(app.update.isAutomatic ? 'updateComes' : 'updateWaits', { version: app.update.version })}
        </StateMark>
      ) : (
        <Text size="sm" c="dimmed">
          {t(app === undefined ? 'updateElsewhere' : app.looksForUpdates ? 'updateNone' : 'updateByHand')}
        </Text>
      )}
    </Stack>
  );
}

function Space({ databaseBytes, disk }: { readonly databaseBytes: number | null; readonly disk: DiskState | null }) {
  const { t } = useTranslation('thisGateway');
  const formats = useStoreFormats();
  return (
    <Stack gap={2}>
      {databaseBytes !== null && <Text>{t('databaseSize', { size: formats.space(databaseBytes) })}</Text>}
      <Text>
        {disk === null
          ? t('diskUnknown')
          : t('diskFree', { free: formats.space(disk.freeBytes), total: formats.space(disk.totalBytes) })}
      </Text>
      {disk !== null && (
        <Text size="sm" c="dimmed">
          {lastsFor(disk, t, formats.number)}
        </Text>
      )}
      {disk?.isLow === true && <StateMark tone="differs">{t('diskLow')}</StateMark>}
    </Stack>
  );
}

function lastsFor({ daysLeft }: DiskState, t: Words, number: (value: number) => string): string {
  if (daysLeft === null) return t('lastsUnknown');
  if (daysLeft > MAX_TOLD_DISK_DAYS) return t('lastsLong');
  return t('lasts', { count: daysLeft, n: number(daysLeft) });
}
