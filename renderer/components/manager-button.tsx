// A button that only managers can use, and so only managers see.

import { Button, type ButtonProps, Text } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useIsManager } from '../model/selected-journal.ts';

export function ManagerButton(props: ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>) {
  return useIsManager() && <Button {...props} />;
}

/** Tells clerks that only a manager can make changes here. It replaces the buttons that clerks do not see. */
export function ManagersOnly() {
  const { t } = useTranslation('app');
  return useIsManager() ? null : <Text c="dimmed">{t('managerOnly')}</Text>;
}
