// The question about the first manager with a password. Other computers may open the console only after such a manager exists.

import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import type { AddedUserView, NewUserRequest, UserView } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { Answers, type Place, Question } from './question.tsx';

const FIELDS = ['name', 'password'];

export function PeopleStep({
  place,
  users,
  onDone,
}: {
  readonly place: Place;
  readonly users: readonly UserView[];
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('welcome');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const add = useAct((input: NewUserRequest) => send<AddedUserView>('POST', 'users', input));
  const manager = users.find(({ role }) => role === 'manager');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!add.isPending) add.mutate({ name: name.trim(), role: 'manager', password }, { onSuccess: onDone });
  };
  if (manager !== undefined && !add.isPending)
    return (
      <Question key="known" place={place} title={t('peopleKnown', { name: manager.name })}>
        <Text>{t('peopleKnownMeans')}</Text>
        <Button onClick={onDone} style={{ alignSelf: 'flex-start' }}>
          {t('continue')}
        </Button>
      </Question>
    );
  return (
    <Question place={place} title={t('peopleTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('peopleMeans')}</Text>
          <TextInput
            label={t('peopleName')}
            autoComplete="username"
            value={name}
            maxLength={MAX_NAME_LENGTH}
            error={fieldErrorOf(add.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label={t('peoplePassword')}
            description={t('peoplePasswordHelp')}
            autoComplete="new-password"
            value={password}
            error={fieldErrorOf(add.error, 'password')}
            visibilityToggleButtonProps={{ 'aria-label': t('peoplePasswordShow') }}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <ErrorAlert error={add.error} fields={FIELDS} />
          <Answers word={t('peopleAdd')} isPending={add.isPending} onSkip={onDone} />
        </Stack>
      </form>
    </Question>
  );
}
