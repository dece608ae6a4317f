// A dialog that asks for confirmation before a risky change, and names the risk.

import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorAlert } from './error-alert.tsx';

export function Confirmation({
  title,
  act,
  isPending,
  error,
  onDo,
  onClose,
  children,
}: {
  readonly title: string;
  /** The label of the button that confirms the change. */
  readonly act: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onDo: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('app');
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="sm">
        <Text component="div">{children}</Text>
        <ErrorAlert error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color="red" loading={isPending} onClick={onDo}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
