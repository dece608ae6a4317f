// The page of a link for a new password. It names the user and signs the user in.

import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { BegunSessionView, LinkedPasswordRequest } from '../../server/contract/setup.ts';
import { Problem, send } from '../api/client.ts';
import { linkedUserQuery } from '../api/queries.ts';
import { reloadWithSession } from '../api/session-key.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';

export default function NewPasswordScreen({ code }: { readonly code: string }) {
  const { t } = useTranslation(['people', 'app']);
  const { data: user, error } = useQuery(linkedUserQuery(code));
  const isGone = error instanceof Problem && error.code === 'password_link_used';
  const title = t(isGone ? 'linkGone' : 'chooseTitle');
  useDocumentTitle(`${title} · ${t('app:product')}`);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" maw={420} w="100%">
        <Stack>
          <Title order={1} size="h3">
            {title}
          </Title>
          {isGone ? <Text>{error.message}</Text> : <ErrorAlert error={error} />}
          {user !== undefined && <PasswordForm code={code} name={user.name} />}
          <LinkButton to="/" hash="" {...(user !== undefined && { variant: 'subtle', color: 'gray' })}>
            {t('toSignIn')}
          </LinkButton>
        </Stack>
      </Paper>
    </Center>
  );
}

function PasswordForm({ code, name }: { readonly code: string; readonly name: string }) {
  const { t } = useTranslation('people');
  const [password, setPassword] = useState('');
  const choose = useMutation({
    mutationFn: (input: LinkedPasswordRequest) => send<BegunSessionView>('POST', 'password-link', input),
    onSuccess: ({ key }) => reloadWithSession(key),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!choose.isPending) choose.mutate({ code, password });
      }}
      noValidate
    >
      <Stack>
        <Text>{t('chooseMeans')}</Text>
        <TextInput label={t('name')} value={name} variant="filled" autoComplete="username" readOnly />
        <PasswordInput
          label={t('newPassword')}
          description={t('passwordForm')}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldErrorOf(choose.error, 'password')}
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          data-autofocus
        />
        <ErrorAlert error={choose.error} fields={['password']} />
        <Button type="submit" loading={choose.isPending || choose.isSuccess}>
          {t('chooseDo')}
        </Button>
      </Stack>
    </form>
  );
}
