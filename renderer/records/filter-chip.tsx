// A filter as a chip: it shows its value, opens a menu to change it, and can be removed.

import { Button, Menu, Text } from '@mantine/core';
import { ChevronDown, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordSearch } from '../model/search-parameters.ts';

import classes from './records.module.css';

/** The filters to set. The value undefined removes a filter. */
export type Change = { readonly [Name in keyof RecordSearch]?: RecordSearch[Name] | undefined };

export interface FilterProps {
  readonly filter: RecordSearch;
  readonly change: (change: Change) => void;
}

export const NO_FILTER: Change = {
  id: undefined,
  idEnd: undefined,
  amount: undefined,
  interface: undefined,
  status: undefined,
  delivery: undefined,
  type: undefined,
  till: undefined,
  from: undefined,
  to: undefined,
  order: undefined,
};

interface ChipProps {
  readonly name: string;
  /** The value of the filter in words; undefined if the filter is not set. */
  readonly value: string | undefined;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

export function MenuChip({ name, value, onRemove, children }: ChipProps) {
  return (
    <RemovableChip name={name} value={value} onRemove={onRemove}>
      <Menu position="bottom-start">
        <Menu.Target>
          <ChipButton name={name} value={value} />
        </Menu.Target>
        <Menu.Dropdown>{children}</Menu.Dropdown>
      </Menu>
    </RemovableChip>
  );
}

export function RemovableChip({ name, value, onRemove, children }: ChipProps) {
  const { t } = useTranslation('records');
  if (value === undefined) return children;
  return (
    <Button.Group>
      {children}
      <Button
        variant="light"
        size="sm"
        px={8}
        className={classes.remove ?? ''}
        onClick={onRemove}
        aria-label={t('remove', { name })}
      >
        <X size={14} aria-hidden />
      </Button>
    </Button.Group>
  );
}

/** The button that opens a menu or popover, which adds its own props to the button. */
export function ChipButton({ name, value, ...handed }: Pick<ChipProps, 'name' | 'value'> & { onClick?: () => void }) {
  const { t } = useTranslation('records');
  return (
    <Button
      variant={value === undefined ? 'default' : 'light'}
      size="sm"
      px="xs"
      rightSection={<ChevronDown size={14} aria-hidden />}
      {...handed}
    >
      <Text component="span" size="sm" fw={500} truncate maw={280}>
        {value === undefined ? name : t('chosen', { name, value })}
      </Text>
    </Button>
  );
}
