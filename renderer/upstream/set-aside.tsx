// Sets held records aside with a reason, which stays with them.

import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_REASON_LENGTH } from '../../server/contract/codes.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

export function SetAside({
  count,
  isPending,
  error,
  onSetAside,
  onClose,
}: {
  /** The number of records. */
  readonly count: number;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSetAside: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['upstream', 'app']);
  const formats = useStoreFormats();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const counted = { count, n: formats.number(count) };

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (reason.trim() === '') setMissing(true);
    else onSetAside(reason.trim());
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('setAsideTitle', counted)}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text>{t('setAsideMeans', counted)}</Text>
          <Textarea
            label={t('reason')}
            description={t('reasonStays')}
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
          <ErrorAlert error={error} fields={['reason']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app:cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('setAsideDo', counted)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
