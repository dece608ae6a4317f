// A button that only managers can use. For clerks it is disabled and says why.

import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useIsManager } from '../model/selected-journal.ts';

export function ManagerButton(props: ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>) {
  const { t } = useTranslation('app');
  if (useIsManager()) return <Button {...props} />;
  const { onClick: _, ...rest } = props;
  // Not `disabled`: keyboard users must be able to focus it and read why.
  return (
    <Tooltip label={t('managerOnly')} events={{ hover: true, focus: true, touch: true }}>
      <Button {...rest} type="button" data-disabled aria-disabled aria-description={t('managerOnly')} />
    </Tooltip>
  );
}
