// The first tasks of the to-do list on the screen Today, and a link to all tasks.

import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { StateMark } from '../components/state-mark.tsx';
import { TaskList } from '../components/task-list.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { useTasks } from '../model/task-counts.ts';

/** Maximum tasks on Today. */
const MAX_SHOWN = 4;

export function TodoPart({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('todo');
  const formats = useStoreFormats();
  const tasks = useTasks(journalId);
  if (tasks === undefined) return null;
  const open = tasks.filter(({ isOpen }) => isOpen);
  return (
    <Stack gap="xs" component="section" aria-labelledby="todo">
      <Group justify="space-between">
        <Title order={3} size="h5" id="todo">
          {t('title', { count: open.length, n: formats.number(open.length) })}
        </Title>
        <Anchor component={Link} to="/todo">
          {t('all')}
        </Anchor>
      </Group>
      {open.length === 0 ? (
        <StateMark tone="fine">{t('nothing')}</StateMark>
      ) : (
        <TaskList tasks={open.slice(0, MAX_SHOWN)} />
      )}
      {open.length > MAX_SHOWN && (
        <Text>
          <Anchor component={Link} to="/todo">
            {t('more', { count: open.length - MAX_SHOWN, n: formats.number(open.length - MAX_SHOWN) })}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}
