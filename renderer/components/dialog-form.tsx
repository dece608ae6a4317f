// The form in a dialog: its fields, then the error of the act, then the buttons.

import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorAlert } from './error-alert.tsx';

export function DialogForm({
  act,
  color,
  isPending,
  error,
  fields = [],
  onSubmit,
  onClose,
  children,
}: {
  /** The label of the button that performs the act. */
  readonly act: string;
  /** The colour of the button that performs the act. */
  readonly color?: 'red';
  readonly isPending: boolean;
  readonly error: Error | null;
  /** The request fields whose errors the form shows beside its inputs. */
  readonly fields?: readonly string[];
  /** Called when the user submits the form, except while the act is pending. */
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('app');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onSubmit();
      }}
      noValidate
    >
      <Stack gap="md">
        {children}
        <ErrorAlert error={error} fields={fields} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={isPending} {...(color !== undefined && { color })}>
            {act}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
