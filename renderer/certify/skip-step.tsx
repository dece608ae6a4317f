// Skips a step with a reason, which stays in the report.

import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { CertifyStep } from '../../server/contract/certify.ts';
import { MAX_REASON_LENGTH } from '../../server/contract/codes.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';

export function SkipStep({
  step,
  isPending,
  error,
  onSkip,
  onClose,
}: {
  readonly step: CertifyStep;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSkip: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['certify', 'app']);
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (reason.trim() === '') setMissing(true);
    else onSkip(reason.trim());
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('skipTitle', { step: t(`step_${step}`) })}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('skipMeans')}</Text>
          <Textarea
            label={t('skipReason')}
            value={reason}
            maxLength={MAX_REASON_LENGTH}
            rows={3}
            error={isMissing ? t('skipMissing') : fieldErrorOf(error, 'reason')}
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
              {t('skipDo')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
