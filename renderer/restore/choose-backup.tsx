// The choice of a backup from the folder of backups.

import { Button, Radio, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { BackupOnDisk, RestoreCheckRequest, RestoreView } from '../../server/contract/restores.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { restorableQuery, restoreQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

export function ChooseBackup() {
  const { t } = useTranslation('restore');
  const client = useQueryClient();
  const { data } = useSuspenseQuery(restorableQuery);
  const { folder, backups, isReadable } = data;
  const [chosen, setChosen] = useState<string | null>(null);
  const check = useAct((name: string) =>
    send<RestoreView>('POST', 'restore/check', { name } satisfies RestoreCheckRequest),
  );
  if (folder === null) return <Text>{t('noFolder')}</Text>;
  if (!isReadable) return <StateMark tone="bad">{t('folderUnreadable', { folder })}</StateMark>;
  if (backups.length === 0) return <Text style={{ overflowWrap: 'anywhere' }}>{t('noBackup', { folder })}</Text>;
  const begin = (name: string): void =>
    check.mutate(name, { onSuccess: (view) => client.setQueryData(restoreQuery.queryKey, view) });
  return (
    <Stack gap="md" align="flex-start">
      <Radio.Group
        label={t('choose')}
        description={folder}
        value={chosen}
        onChange={setChosen}
        styles={{ description: { overflowWrap: 'anywhere' } }}
      >
        <Stack gap="sm" mt="sm">
          {backups.map((backup) => (
            <Choice key={backup.name} backup={backup} />
          ))}
        </Stack>
      </Radio.Group>
      <ErrorAlert error={check.error} />
      <Button
        loading={check.isPending}
        disabled={chosen === null}
        onClick={() => {
          if (chosen !== null) begin(chosen);
        }}
      >
        {t('check')}
      </Button>
    </Stack>
  );
}

function Choice({ backup: { name, at, bytes, records, isChecked } }: { readonly backup: BackupOnDisk }) {
  const { t } = useTranslation('restore');
  const formats = useStoreFormats();
  const facts = [
    ...(records === null ? [] : [t('records', { count: records, n: formats.number(records) })]),
    formats.space(bytes),
    t(isChecked ? 'wasChecked' : 'notChecked'),
  ];
  return (
    <Radio
      value={name}
      label={
        <>
          {formats.time(at)}
          <Text size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
        </>
      }
      styles={{ label: { overflowWrap: 'anywhere' } }}
    />
  );
}
