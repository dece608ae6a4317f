// The menu that selects a store and a mode. Production and test are never mixed.

import { Button, Menu, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Check, ChevronDown, FlaskConical, Store } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import { journalsQuery } from '../api/queries.ts';
import { useSelectedJournal, useSwitchJournal } from '../model/selected-journal.ts';

import classes from './frame.module.css';

export function JournalSwitch() {
  const { t } = useTranslation('app');
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const here = useSelectedJournal();
  const switchJournal = useSwitchJournal();
  if (here === undefined) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          className={classes.store ?? ''}
          rightSection={<ChevronDown size={14} aria-hidden />}
          aria-label={`${t('switchJournal')}: ${here.administration}, ${t(here.mode === 'test' ? 'testMode' : 'production')}`}
        >
          <Text size="sm" className={classes.storeName} title={here.administration}>
            {here.administration}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {journals.map(({ id, administration, mode }) => (
          <Menu.Item
            key={id}
            leftSection={mode === 'test' ? <FlaskConical size={14} aria-hidden /> : <Store size={14} aria-hidden />}
            rightSection={id === here.id && <Check size={14} aria-hidden />}
            aria-current={id === here.id}
            onClick={() => switchJournal(id)}
          >
            {administration} · {t(mode === 'test' ? 'testMode' : 'production')}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
