// The choice of a backup: one from the folder of backups, or a file of this computer.

import { Button, FileButton, Progress, Radio, Stack, Text, Title } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import {
  type BackupOnDisk,
  MAX_UPLOAD_PART_BYTES,
  type RestoreCheckRequest,
  type RestoreView,
} from '../../server/contract/restores.ts';
import { useAct } from '../api/act.ts';
import { send, sendBytes } from '../api/client.ts';
import { restorableQuery, restoreQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

export function ChooseBackup() {
  const { t } = useTranslation('restore');
  const client = useQueryClient();
  const show = (view: RestoreView): void => void client.setQueryData(restoreQuery.queryKey, view);
  return (
    <>
      <section aria-labelledby="from-folder">
        <Title order={3} size="h4" mb="xs" id="from-folder">
          {t('fromFolder')}
        </Title>
        <FromFolder onBegun={show} />
      </section>
      <section aria-labelledby="from-file">
        <Title order={3} size="h4" mb="xs" id="from-file">
          {t('fromFile')}
        </Title>
        <FromFile onBegun={show} />
      </section>
    </>
  );
}

interface ChoiceProps {
  /** Called when the check has begun. */
  readonly onBegun: (view: RestoreView) => void;
}

function beginCheck(request: RestoreCheckRequest): Promise<RestoreView> {
  return send('POST', 'restore/check', request);
}

function FromFolder({ onBegun }: ChoiceProps) {
  const { t } = useTranslation('restore');
  const { data } = useSuspenseQuery(restorableQuery);
  const { folder, backups, isReadable } = data;
  const [chosen, setChosen] = useState<string | null>(null);
  const check = useAct((name: string) => beginCheck({ name, isUploaded: false }));
  if (folder === null) return <Text>{t('noFolder')}</Text>;
  if (!isReadable) return <StateMark tone="bad">{t('folderUnreadable', { folder })}</StateMark>;
  if (backups.length === 0) return <Text style={{ overflowWrap: 'anywhere' }}>{t('noBackup', { folder })}</Text>;
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
          if (chosen !== null) check.mutate(chosen, { onSuccess: onBegun });
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

/** Sends a file in parts, because the gateway allows only ten seconds for one call. Then begins the check. */
async function upload(file: File, onSent: (bytes: number) => void): Promise<RestoreView> {
  for (let offset = 0; offset === 0 || offset < file.size; offset += MAX_UPLOAD_PART_BYTES) {
    const part = file.slice(offset, offset + MAX_UPLOAD_PART_BYTES);
    await sendBytes('restore/upload', { offset, total: file.size }, part);
    onSent(offset + part.size);
  }
  return beginCheck({ name: file.name, isUploaded: true });
}

function FromFile({ onBegun }: ChoiceProps) {
  const { t } = useTranslation('restore');
  const [share, setShare] = useState(0);
  const act = useAct((file: File) => upload(file, (bytes) => setShare((100 * bytes) / Math.max(1, file.size))));
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{t('fromFileMeans')}</Text>
      <FileButton
        accept=".db"
        onChange={(file) => {
          if (file !== null) act.mutate(file, { onSuccess: onBegun });
        }}
      >
        {(props) => (
          <Button {...props} variant="default" leftSection={<Upload size={16} aria-hidden />} loading={act.isPending}>
            {t('chooseFile')}
          </Button>
        )}
      </FileButton>
      {act.isPending && <Progress w="100%" value={share} aria-label={t('progress')} />}
      <ErrorAlert error={act.error} />
    </Stack>
  );
}
