// The screen for users who are not signed in.

import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { BegunSessionView } from '../../server/contract/setup.ts';
import { send } from '../api/client.ts';
import { entranceQuery } from '../api/queries.ts';
import { reloadWithSession } from '../api/session-key.ts';
import { Copyable } from '../components/copyable.tsx';

/** `wasSignedIn` is whether somebody was signed in on this page before. */
export default function SignInScreen({ wasSignedIn }: { readonly wasSignedIn: boolean }) {
  const { t } = useTranslation(['signIn', 'app']);
  useDocumentTitle(`${t('title')} · ${t('app:product')}`);
  const { data: entrance } = useQuery(entranceQuery);
  return (
    <Center mih="100dvh" p="md">
      <Paper withBorder p="xl" maw={420} w="100%">
        <Stack>
          <Title order={1} size="h3">
            {t('title')}
          </Title>
          {wasSignedIn && <Text role="status">{t('ended')}</Text>}
          <Text>{t('link')}</Text>
          {entrance !== undefined && <Copyable text={entrance.command} label={t('command')} isBlock />}
          {entrance?.hasUsers === true && <PasswordForm />}
        </Stack>
      </Paper>
    </Center>
  );
}

function PasswordForm() {
  const { t } = useTranslation('signIn');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => send<BegunSessionView>('POST', 'session', { name, password }),
    // A reload removes all data of the previous user and loads the current version.
    onSuccess: ({ key }) => reloadWithSession(key),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack gap="sm">
        <Text fw={600}>{t('orPassword')}</Text>
        <TextInput
          label={t('name')}
          autoComplete="username"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={signIn.error?.message}
          required
        />
        <Button type="submit" loading={signIn.isPending || signIn.isSuccess}>
          {t('signIn')}
        </Button>
      </Stack>
    </form>
  );
}
