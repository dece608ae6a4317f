// Revokes a key permanently. There is no undo, so the user types the till's name.

import { Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { KeyView, Till } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { useNow } from '../lib/use-now.ts';
import { hasOtherKey } from './key-state.ts';

export function RevokeKey({
  till,
  keyToEnd,
  onClose,
}: {
  readonly till: Till;
  readonly keyToEnd: KeyView;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['tills', 'app']);
  const now = useNow();
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const revoke = useAct(() => send('DELETE', `keys/${keyToEnd.id}`));
  const submit = (): void => {
    if (typed.trim() === till.label) revoke.mutate(undefined, { onSuccess: onClose });
    else setWrong(true);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('revokeTitle', { till: till.label, id: keyToEnd.id })}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      <DialogForm
        act={t('revokeDo')}
        color="red"
        isPending={revoke.isPending}
        error={revoke.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Text>{t('revokeMeans')}</Text>
        {!hasOtherKey(till, keyToEnd.id, now) && <Text fw={600}>{t('revokeLast', { till: till.label })}</Text>}
        <TextInput
          label={t('revokeType', { till: till.label })}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          error={isWrong && t('revokeWrong', { till: till.label })}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setWrong(false);
          }}
          data-autofocus
        />
      </DialogForm>
    </Modal>
  );
}
