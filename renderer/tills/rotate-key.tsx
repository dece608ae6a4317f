// Replaces a key: the till gets a new one, and the old one stays valid for some hours.

import { Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { CreatedKey, JournalView, KeyView, RotateRequest, Till } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { NewKeySecret } from './new-key-secret.tsx';

/** The user's choices: the number of hours for which the old key stays valid. */
const GRACE_HOURS = { week: 168, day: 24, hour: 1, none: 0 } as const;
type Grace = keyof typeof GRACE_HOURS;
const GRACE_NAMES = Object.keys(GRACE_HOURS) as Grace[];

export function RotateKey({
  journal,
  till,
  keyToReplace,
  onClose,
}: {
  readonly journal: JournalView;
  readonly till: Till;
  readonly keyToReplace: KeyView;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['tills', 'app']);
  const [grace, setGrace] = useState<Grace>('day');
  const rotate = useAct((input: RotateRequest) => send<CreatedKey>('POST', `keys/${keyToReplace.id}/rotate`, input));
  const isDone = rotate.data !== undefined;
  const submit = (): void => {
    rotate.mutate({ graceHours: GRACE_HOURS[grace] });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={isDone ? t('keyOf', { till: till.label }) : t('rotateTitle', { till: till.label })}
      size={isDone ? 'xl' : 'md'}
      withCloseButton={!isDone}
      closeOnClickOutside={!isDone}
      closeOnEscape={!isDone}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      {rotate.data !== undefined ? (
        <NewKeySecret
          created={rotate.data}
          administration={journal.administration}
          mode={journal.mode}
          onDone={onClose}
        />
      ) : (
        <DialogForm
          act={t('rotateDo')}
          isPending={rotate.isPending}
          error={rotate.error}
          onSubmit={submit}
          onClose={onClose}
        >
          <Text>{t('rotateMeans', { till: till.label })}</Text>
          <Radio.Group
            label={t('grace', { id: keyToReplace.id })}
            value={grace}
            onChange={(value) => setGrace(GRACE_NAMES.find((name) => name === value) ?? 'day')}
          >
            <Stack gap="md" mt="xs">
              {GRACE_NAMES.map((name) => (
                <Radio
                  key={name}
                  value={name}
                  label={t(`grace_${name}`)}
                  {...(name === 'none' && { description: t('graceNoneHelp') })}
                />
              ))}
            </Stack>
          </Radio.Group>
        </DialogForm>
      )}
    </Modal>
  );
}
