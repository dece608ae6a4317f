// The screen with the whole to-do list: first the open tasks, then the tasks that people marked.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import { todoQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { TaskList } from '../components/task-list.tsx';
import { lazyScreen } from '../model/lazy-screen.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';

const NoStoreYet = lazyScreen(async () => (await import('../components/no-store-yet.tsx')).NoStoreYet);

export function TodoScreen() {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Tasks journalId={journal.id} />;
}

function Tasks({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('todo');
  const formats = useStoreFormats();
  const {
    data: { tasks },
  } = useSuspenseQuery(todoQuery(journalId));
  const open = tasks.filter(({ isOpen }) => isOpen);
  const marked = tasks.filter(({ isOpen }) => !isOpen);
  return (
    <Stack gap="lg" maw={1000}>
      <Group justify="space-between">
        <Title order={2} size={24} fw={600}>
          {t('title', { count: open.length, n: formats.number(open.length) })}
        </Title>
        <LinkButton to="/alerts" variant="default" leftSection={<Bell size={16} aria-hidden />}>
          {t('alerts')}
        </LinkButton>
      </Group>
      {open.length === 0 ? <StateMark tone="fine">{t('nothing')}</StateMark> : <TaskList tasks={open} />}
      {marked.length > 0 && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t('marked')}
          </Title>
          <Text c="dimmed" size="sm">
            {t('markedMeans')}
          </Text>
          <TaskList tasks={marked} />
        </Stack>
      )}
    </Stack>
  );
}
