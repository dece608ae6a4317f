// Asks for the reason of an act. The reason is required, because other people read it later.

import { Modal, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_REASON_LENGTH } from '../../server/contract/codes.ts';
import { DialogForm } from './dialog-form.tsx';
import { fieldErrorOf } from './error-alert.tsx';

export function ReasonDialog({
  title,
  means,
  hint,
  act,
  isPending,
  error,
  onDo,
  onClose,
}: {
  readonly title: string;
  /** What the act does. */
  readonly means: string;
  /** Says where other people will see the reason. */
  readonly hint?: string;
  /** The label of the button that performs the act. */
  readonly act: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onDo: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('app');
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (): void => {
    if (reason.trim() === '') setMissing(true);
    else onDo(reason.trim());
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <DialogForm act={act} isPending={isPending} error={error} fields={['reason']} onSubmit={submit} onClose={onClose}>
        <Text>{means}</Text>
        <Textarea
          label={t('reason')}
          description={hint}
          value={reason}
          maxLength={MAX_REASON_LENGTH}
          rows={3}
          error={isMissing ? t('reasonMissing') : fieldErrorOf(error, 'reason')}
          onChange={(event) => {
            setReason(event.currentTarget.value);
            setMissing(false);
          }}
          data-autofocus
          withAsterisk
        />
      </DialogForm>
    </Modal>
  );
}
