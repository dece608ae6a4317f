// The content of a checked backup, and the question before the restore.

import { Button, Group, Radio, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { RestoreRequest, RestoreState } from '../../server/contract/restores.ts';
import { useAct } from '../api/act.ts';
import { restart, send } from '../api/client.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { useCancel } from './use-cancel.ts';

type CheckedState = Extract<RestoreState, { readonly kind: 'checked' }>;

export function Checked({ file, content, since, upstreams }: CheckedState) {
  const { t } = useTranslation('restore');
  const formats = useStoreFormats();
  const cancel = useCancel();
  const [answer, setAnswer] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const restore = useAct(() => {
    const body = { isOnlyGateway: answer === 'only' } satisfies RestoreRequest;
    return restart(() => send('POST', 'restore', body));
  });
  if (restore.isSuccess) return <Restarting />;
  const { madeAt, records, oldestReceivedAt, newestReceivedAt } = content;
  const counted = (n: number) => ({ count: n, n: formats.number(n) });
  const rows = [
    [t('file'), file],
    [t('made'), madeAt === null ? t('unknown') : formats.time(madeAt)],
    [t('hasRecords'), formats.number(records)],
    ...(oldestReceivedAt === null ? [] : [[t('oldest'), formats.time(oldestReceivedAt)]]),
    ...(newestReceivedAt === null ? [] : [[t('newest'), formats.time(newestReceivedAt)]]),
  ] as const;
  const notes = [
    ...(content.isMigrated ? [t('migrated')] : []),
    ...(content.missingArchiveFiles > 0 ? [t('archiveMissing', counted(content.missingArchiveFiles))] : []),
    ...(content.settings.length > 0 ? [t('settingsUnused', { names: content.settings.join(', ') })] : []),
    ...(content.sealedSecrets > 0 ? [t('sealed')] : []),
  ];
  return (
    <Stack gap="lg">
      <StateMark tone="fine">{t('sound')}</StateMark>
      <Table variant="vertical" layout="auto" aria-label={t('content')}>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={180}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <section aria-labelledby="since-backup">
        <Title order={3} size="h4" mb={4} id="since-backup">
          {t('since')}
        </Title>
        <Stack gap={4}>
          <Text>{t(since.areSameData ? 'sinceHere' : 'otherData', counted(since.records))}</Text>
          {since.notUpstream > 0 && (
            <StateMark tone="differs">{t('notUpstream', counted(since.notUpstream))}</StateMark>
          )}
          {upstreams === null ? (
            <Text role="status">{t('asking')}</Text>
          ) : (
            upstreams.map(({ administration: store, mode, records: count, isKeySealed }) => (
              <Text key={`${store} ${mode}`}>
                {count === null
                  ? t(isKeySealed ? 'upstreamSealed' : 'upstreamSilent', { store })
                  : t('upstreamHas', { store, ...counted(count) })}
              </Text>
            ))
          )}
          <Text size="sm" c="dimmed">
            {t('sinceNext')}
          </Text>
        </Stack>
      </section>
      {notes.length > 0 && (
        <Stack gap={4}>
          {notes.map((note) => (
            <Text key={note} size="sm">
              {note}
            </Text>
          ))}
        </Stack>
      )}
      <Radio.Group label={t('question')} description={t('questionMeans')} value={answer} onChange={setAnswer}>
        <Stack gap="sm" mt="sm">
          <Radio value="only" label={t('only')} description={t('onlyMeans')} />
          <Radio value="other" label={t('other')} description={t('otherMeans')} />
        </Stack>
      </Radio.Group>
      <ErrorAlert error={cancel.error} />
      <Group gap="xs">
        <Button disabled={answer === null} onClick={() => setConfirming(true)}>
          {t('restore')}
        </Button>
        <Button variant="default" loading={cancel.isPending} onClick={cancel.run}>
          {t('chooseAnother')}
        </Button>
      </Group>
      {isConfirming && (
        <Confirmation
          title={t('confirm')}
          act={t('restore')}
          isPending={restore.isPending}
          error={restore.error}
          onDo={() => restore.mutate(undefined)}
          onClose={() => setConfirming(false)}
        >
          {t('confirmMeans')}
        </Confirmation>
      )}
    </Stack>
  );
}

export function Restarting() {
  const { t } = useTranslation('restore');
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>{t('restarting')}</Text>
      <Text>{t('restartingMeans')}</Text>
    </Stack>
  );
}
