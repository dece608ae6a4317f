// Changes the user's own password.

import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { PasswordRequest } from '../../server/contract/setup.ts';
import { send } from '../api/client.ts';
import { sessionsQuery } from '../api/queries.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { SavedNote } from '../components/saved-form.tsx';

const NOTHING: PasswordRequest = { current: '', password: '' };
const FIELDS = ['current', 'password'];

export function OwnPassword() {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const [typed, setTyped] = useState(NOTHING);
  const change = useMutation({
    mutationFn: (wanted: PasswordRequest) => send('PUT', 'password', wanted),
    async onSuccess() {
      setTyped(NOTHING);
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(typed);
      }}
    >
      <Stack gap="xs" align="stretch" maw={360}>
        <PasswordInput
          label={t('currentPassword')}
          autoComplete="current-password"
          value={typed.current}
          onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, current: value }))}
          error={fieldErrorOf(change.error, 'current')}
          required
        />
        <PasswordInput
          label={t('newPassword')}
          autoComplete="new-password"
          value={typed.password}
          onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, password: value }))}
          error={fieldErrorOf(change.error, 'password')}
          required
        />
        <ErrorAlert error={change.error} fields={FIELDS} />
        <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          {t('changePassword')}
        </Button>
      </Stack>
      <SavedNote isShown={change.isSuccess}>{t('passwordChanged')}</SavedNote>
    </form>
  );
}
