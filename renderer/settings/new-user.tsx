// Adds a user, who chooses a password with a link.

import { Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH, type Role, ROLES } from '../../server/contract/codes.ts';
import type { AddedUserView, NewUserRequest } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { fieldErrorOf } from '../components/error-alert.tsx';
import type { HandedLink } from './users.tsx';

export function NewUser({
  onClose,
  onLink,
}: {
  readonly onClose: () => void;
  readonly onLink: (handed: HandedLink) => void;
}) {
  const { t } = useTranslation(['people', 'app']);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('clerk');
  const add = useAct((input: NewUserRequest) => send<AddedUserView>('POST', 'users', input));
  const submit = (): void => {
    add.mutate(
      { name: name.trim(), role },
      {
        onSuccess({ user, link }) {
          if (link !== null) onLink({ name: user.name, link });
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t('addTitle')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <DialogForm
        act={t('addDo')}
        isPending={add.isPending}
        error={add.error}
        fields={['name']}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextInput
          label={t('name')}
          description={t('nameHelp')}
          autoComplete="off"
          value={name}
          maxLength={MAX_NAME_LENGTH}
          error={fieldErrorOf(add.error, 'name')}
          onChange={(event) => {
            setName(event.currentTarget.value);
            add.reset();
          }}
          data-autofocus
        />
        <Radio.Group
          label={t('role')}
          value={role}
          onChange={(value) => setRole(ROLES.find((each) => each === value) ?? 'clerk')}
        >
          <Stack gap="sm" mt="xs">
            {ROLES.map((each) => (
              <Radio key={each} value={each} label={t(each)} description={t(`${each}May`)} />
            ))}
          </Stack>
        </Radio.Group>
      </DialogForm>
    </Modal>
  );
}
