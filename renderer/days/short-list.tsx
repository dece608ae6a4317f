// A list that first shows a few items. If the gateway sent only the first items, it also says how many more exist.

import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useStoreFormats } from '../model/selected-journal.ts';

import classes from './days.module.css';

const MAX_COLLAPSED = 10;

export function ShortList<Item>({
  label,
  items,
  total = items.length,
  keyOf,
  children,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  /** The number of all items. `items` may hold only the first of them. */
  readonly total?: number;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const [isWhole, setWhole] = useState(false);
  const counted = { count: items.length, n: formats.number(items.length) };
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {(isWhole ? items : items.slice(0, MAX_COLLAPSED)).map((item) => (
          <li key={keyOf(item)} className={classes.item}>
            {children(item)}
          </li>
        ))}
      </ul>
      {items.length > MAX_COLLAPSED && (
        <Button
          variant="subtle"
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
          style={{ alignSelf: 'flex-start' }}
        >
          {isWhole ? t('showFewer') : t('showAll', counted)}
        </Button>
      )}
      {total > items.length && (
        <Text size="sm" c="dimmed">
          {t('firstOf', { shown: counted.n, n: formats.number(total) })}
        </Text>
      )}
    </>
  );
}
