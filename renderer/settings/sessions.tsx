// Lists the user's own sessions or, for managers, the sessions of all users. Also signs out all of the user's own sessions.

import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { send } from '../api/client.ts';
import { sessionsQuery } from '../api/queries.ts';
import { signOutKeepingChoices } from '../api/session-key.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { useActorWords } from '../model/actor-words.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

export function Sessions() {
  const { t } = useTranslation('settings');
  const actorWords = useActorWords();
  const formats = useStoreFormats();
  const { data: sessions = [], error } = useQuery(sessionsQuery);
  const signOut = useMutation({
    mutationFn: () => signOutKeepingChoices(() => send('DELETE', 'sessions')),
    onSuccess: () => location.assign('/'),
  });
  return (
    <Stack gap="xs" align="flex-start">
      {sessions.map(({ id, actor, role, address, startedAt, usedAt, isThis }) => (
        <div key={id}>
          <Text>
            {actorWords(actor)}{' '}
            <Text span c="dimmed">
              {t(role)}
              {isThis && ` · ${t('thisSession')}`}
            </Text>
          </Text>
          <Text size="sm" c="dimmed" title={formats.exact(startedAt)}>
            {t('sessionSince', {
              address: address.replace(/^::ffff:(?=\d+\.)/, ''),
              time: formats.time(startedAt),
              used: formats.time(usedAt),
            })}
          </Text>
        </div>
      ))}
      <ErrorAlert error={error ?? signOut.error} />
      <Button variant="light" loading={signOut.isPending || signOut.isSuccess} onClick={() => signOut.mutate()}>
        {t('signOutEverywhere')}
      </Button>
    </Stack>
  );
}
