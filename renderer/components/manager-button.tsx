// A button for what only a manager may do. To a clerk it says so, and does nothing.

import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useIsManager } from '../model/selected-journal.ts';

export function ManagerButton(props: ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>) {
  const { t } = useTranslation('app');
  if (useIsManager()) return <Button {...props} />;
  const { onClick: _, ...rest } = props;
  // Not `disabled`: who comes here by keyboard must be able to read why.
  return (
    <Tooltip label={t('managerOnly')} events={{ hover: true, focus: true, touch: true }}>
      <Button {...rest} type="button" data-disabled aria-disabled aria-description={t('managerOnly')} />
    </Tooltip>
  );
}
