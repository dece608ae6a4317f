// The previous and the next record in the list, and the buttons that open them.

import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { createContext, useCallback, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './record.module.css';

/**
 * The ids of the previous and next record. At an end of the list, one of them is undefined. Both are undefined if the open
 * record is not in the loaded part of the list.
 */
export interface Neighbours {
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

const NONE: Neighbours = { previous: undefined, next: undefined };

export const NeighboursContext = createContext(NONE);

export function useNeighbours(
  rows: readonly { readonly recordId: number }[] | undefined,
  openId: number | undefined,
): Neighbours {
  return useMemo(() => {
    const index = rows?.findIndex(({ recordId }) => recordId === openId) ?? -1;
    if (index === -1) return NONE;
    return { previous: rows?.[index - 1]?.recordId, next: rows?.[index + 1]?.recordId };
  }, [rows, openId]);
}

/**
 * Returns a function that opens another record instead of the open one. The browser's "back" still leads to the list. Without
 * an id, the function does nothing.
 */
export function useOpenNeighbour(): (recordId: number | undefined) => void {
  const navigate = useNavigate();
  return useCallback(
    (recordId) => {
      if (recordId === undefined) return;
      void navigate({
        to: '/records/$recordId',
        params: { recordId: String(recordId) },
        search: (before) => before,
        state: (before) => before,
        replace: true,
      });
    },
    [navigate],
  );
}

export function NeighbourButtons() {
  const { t } = useTranslation('record');
  const { previous, next } = useContext(NeighboursContext);
  const open = useOpenNeighbour();
  if (previous === undefined && next === undefined) return null;
  const buttons = [
    { name: 'previous', key: 'k', id: previous, Icon: ChevronUp },
    { name: 'next', key: 'j', id: next, Icon: ChevronDown },
  ] as const;
  return (
    <Button.Group className={classes.neighbours ?? ''}>
      {buttons.map(({ name, key, id, Icon }) => (
        <Button
          key={name}
          variant="default"
          size="sm"
          px={8}
          leftSection={<Icon size={16} aria-hidden />}
          title={t('withKey', { what: t(name), key })}
          aria-keyshortcuts={key}
          // A disabled button would lose the keyboard focus at the end of the list, so this sets only `aria-disabled`.
          aria-disabled={id === undefined}
          {...(id === undefined && { 'data-disabled': true })}
          onClick={() => open(id)}
        >
          {t(name)}
        </Button>
      ))}
    </Button.Group>
  );
}
