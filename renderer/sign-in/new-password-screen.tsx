// The page of a link for a new password. It signs the user in.

import { Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { BegunSessionView, LinkedPasswordRequest } from '../../server/contract/setup.ts';
import { send } from '../api/client.ts';
import { reloadWithSession } from '../api/session-key.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';

export default function NewPasswordScreen({ code }: { readonly code: string }) {
  const { t } = useTranslation(['people', 'app']);
  useDocumentTitle(`${t('chooseTitle')} · ${t('app:product')}`);
  const [password, setPassword] = useState('');
  const choose = useMutation({
    mutationFn: (input: LinkedPasswordRequest) => send<BegunSessionView>('POST', 'password-link', input),
    onSuccess: ({ key }) => reloadWithSession(key),
  });
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" maw={420} w="100%">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!choose.isPending) choose.mutate({ code, password });
          }}
          noValidate
        >
          <Stack>
            <Title order={1} size="h3">
              {t('chooseTitle')}
            </Title>
            <Text>{t('chooseMeans')}</Text>
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
            <LinkButton to="/" hash="" variant="subtle" color="gray">
              {t('toSignIn')}
            </LinkButton>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
