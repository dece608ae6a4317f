// The screen for users who are not signed in: the reason, the sign-in form, and help for users who cannot sign in.

import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { BegunSessionView, EntranceView } from '../../server/contract/setup.ts';
import { send } from '../api/client.ts';
import { entranceQuery } from '../api/queries.ts';
import { reloadWithSession } from '../api/session-key.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';

interface Arrival {
  /** Whether somebody was signed in on this page before. */
  readonly wasSignedIn: boolean;
  /** Whether the user came here by a one-time link that no longer works. */
  readonly isLinkUsed: boolean;
}

export default function SignInScreen(arrival: Arrival) {
  const { t } = useTranslation(['signIn', 'app']);
  useDocumentTitle(`${t('title')} · ${t('app:product')}`);
  const { data: entrance, error } = useQuery(entranceQuery);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" maw={420} w="100%">
        <Stack>
          <Title order={1} size="h3">
            {t('title')}
          </Title>
          <ErrorAlert error={error} />
          {entrance !== undefined && (
            <>
              <Why entrance={entrance} {...arrival} />
              {entrance.hasUsers ? (
                <>
                  <PasswordForm />
                  <Help command={entrance.command} />
                </>
              ) : (
                <NewLink means={t('noUsers')} command={entrance.command} />
              )}
            </>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

/** Why the user is not signed in any more. */
function Why({ entrance: { ended }, wasSignedIn, isLinkUsed }: Arrival & { readonly entrance: EntranceView }) {
  const { t } = useTranslation('signIn');
  if (isLinkUsed) return <Text role="status">{t('linkUsed')}</Text>;
  if (ended !== null) return <Text role="status">{t(`ended_${ended}`)}</Text>;
  return wasSignedIn && <Text role="status">{t('ended')}</Text>;
}

function Help({ command }: { readonly command: string }) {
  const { t } = useTranslation('signIn');
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap="sm" align="flex-start">
      <Button variant="subtle" px={0} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('help')}
      </Button>
      {isOpen && (
        <>
          <Text>{t('helpUser')}</Text>
          <NewLink means={t('helpManager')} command={command} />
          <Text>{t('helpAfter')}</Text>
        </>
      )}
    </Stack>
  );
}

/** How to get a sign-in link. */
function NewLink({ means, command }: { readonly means: string; readonly command: string }) {
  const { t } = useTranslation('signIn');
  return (
    <>
      <Text>{means}</Text>
      <Copyable text={command} label={t('command')} isBlock />
    </>
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
