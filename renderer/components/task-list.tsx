// A list of tasks. Each task says what is wrong, what to do, and who has seen the task. A person can mark a task as done or as
// not a problem.

import { Box, Button, Group, Modal, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import {
  MAX_NOTE_LENGTH,
  type TaskFact,
  type TaskMark,
  type TaskMarkKind,
  type TaskMarkRequest,
  type TasksSeenRequest,
  type TaskView,
} from '../../server/contract/todo.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { sessionQuery } from '../api/queries.ts';
import { useActorWords } from '../model/actor-words.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { useTaskWords } from '../model/tasks.ts';
import { DialogForm } from './dialog-form.tsx';
import { fieldErrorOf } from './error-alert.tsx';
import { ForeignText } from './foreign-text.tsx';
import { LinkButton } from './link-button.tsx';

import classes from './task-list.module.css';

/** Maximum ids or gaps that a task shows. Further ones become "…". */
const MAX_IDS = 5;

/** Shows the tasks, and tells the gateway that the user has seen the open tasks. */
export function TaskList({ tasks }: { readonly tasks: readonly TaskView[] }) {
  useSeen(tasks);
  const [marking, setMarking] = useState<{ readonly task: TaskView; readonly kind: TaskMarkKind }>();
  return (
    <>
      <ul className={classes.tasks}>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} onMark={(kind) => setMarking({ task, kind })} />
        ))}
      </ul>
      {marking !== undefined && <MarkDialog {...marking} onClose={() => setMarking(undefined)} />}
    </>
  );
}

function TaskRow({ task, onMark }: { readonly task: TaskView; readonly onMark: (kind: TaskMarkKind) => void }) {
  const { t } = useTranslation('todo');
  const words = useTaskWords()(task.fact);
  const Icon = !task.isOpen ? CircleCheck : task.isUrgent ? CircleAlert : TriangleAlert;
  const tone = !task.isOpen ? 'fine' : task.isUrgent ? 'bad' : 'differs';
  return (
    <li className={classes.task}>
      <Icon size={18} aria-hidden className={classes.icon} color={`var(--cf-${tone})`} />
      <Box className={classes.words}>
        <Text fw={600} lh={1.35}>
          <ForeignText>{words.what}</ForeignText>
        </Text>
        {task.isOpen && <Text lh={1.35}>{words.action}</Text>}
        <Ids task={task} />
        {task.mark !== null && <Marked mark={task.mark} isOpen={task.isOpen} />}
        {task.isOpen && <Seen task={task} />}
      </Box>
      <Group gap={6} className={classes.acts}>
        <TaskLink task={task} />
        {task.isOpen && task.id > 0 && (
          <>
            <Button size="xs" variant="default" onClick={() => onMark('done')}>
              {t('done')}
            </Button>
            <Button size="xs" variant="default" onClick={() => onMark('not a problem')}>
              {t('notAProblem')}
            </Button>
          </>
        )}
        {!task.isOpen && <Reopen id={task.id} />}
      </Group>
    </li>
  );
}

/** Lists the ids of the sales that a task is about. */
function Ids({ task: { fact } }: { readonly task: TaskView }) {
  const ids = idsOf(fact);
  if (ids.length === 0) return null;
  return (
    <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      <ForeignText>{ids.slice(0, MAX_IDS).join(', ') + (ids.length > MAX_IDS ? ' …' : '')}</ForeignText>
    </Text>
  );
}

/** A gap in the ids has its first and last id. */
function idsOf(fact: TaskFact): readonly string[] {
  if (fact.kind === 'day_differs') return fact.missing;
  if (fact.kind !== 'numbers_skipped') return [];
  return fact.ranges.map(([from, to]) => (from === to ? from : `${from} … ${to}`));
}

function Marked({ mark: { kind, actor, at, note }, isOpen }: { readonly mark: TaskMark; readonly isOpen: boolean }) {
  const { t } = useTranslation('todo');
  const formats = useStoreFormats();
  const actorWords = useActorWords();
  const said = { who: actorWords(actor), time: formats.time(at) };
  const how = kind === 'done' ? t('markedDone', said) : t('markedNotAProblem', said);
  return (
    <Text size="sm" c="dimmed">
      {isOpen ? `${t('returned')} ${how}` : how}
      {note !== '' && (
        <>
          {' '}
          “<ForeignText>{note}</ForeignText>”
        </>
      )}
    </Text>
  );
}

function Seen({ task: { seen, openedAt } }: { readonly task: TaskView }) {
  const { t } = useTranslation('todo');
  const formats = useStoreFormats();
  const actorWords = useActorWords();
  const people = seen.map(({ actor, at }) => t('person', { who: actorWords(actor), time: formats.time(at) }));
  const since = t('since', { time: formats.time(openedAt) });
  return (
    <Text size="sm" c="dimmed">
      {since} {people.length === 0 ? '' : t('seen', { people: people.join(', ') })}
    </Text>
  );
}

/** A link to the screen where a person can do the task. */
function TaskLink({ task: { fact } }: { readonly task: TaskView }) {
  const { t } = useTranslation('todo');
  const look = { size: 'xs', variant: 'light' } as const;
  switch (fact.kind) {
    case 'day_differs':
    case 'numbers_skipped':
      return (
        <LinkButton to="/days/$date" params={{ date: fact.date }} {...look}>
          {t('openDay')}
        </LinkButton>
      );
    case 'conflicts':
      return (
        <LinkButton to="/records" search={{ status: 'ERROR', from: fact.from, to: fact.to }} {...look}>
          {t('compare')}
        </LinkButton>
      );
    case 'refusals':
      return (
        <LinkButton to="/refused" {...look}>
          {t('seeRefused')}
        </LinkButton>
      );
    case 'held':
    case 'upstream_stopped':
      return (
        <LinkButton to="/upstream" {...look}>
          {t('openUpstream')}
        </LinkButton>
      );
    case 'silent_till':
      return (
        <LinkButton to="/tills" {...look}>
          {t('seeTill')}
        </LinkButton>
      );
    case 'certificate_ends':
      return (
        <LinkButton to="/network" {...look}>
          {t('openNetwork')}
        </LinkButton>
      );
    case 'store_full':
    case 'store_unavailable':
    case 'records_damaged':
    case 'wal_damaged':
    case 'index_damaged':
    case 'clock_wrong':
    case 'disk_low':
    case 'archive_failed':
    case 'backup_failed':
    case 'backup_old':
      return (
        <LinkButton to="/settings" {...look}>
          {t('openSettings')}
        </LinkButton>
      );
  }
}

function Reopen({ id }: { readonly id: number }) {
  const { t } = useTranslation('todo');
  const { mutate, isPending } = useAct(() => send('POST', `todo/${id}/reopen`));
  return (
    <Button size="xs" variant="subtle" loading={isPending} onClick={() => mutate(undefined)}>
      {t('reopen')}
    </Button>
  );
}

function MarkDialog({
  task,
  kind,
  onClose,
}: {
  readonly task: TaskView;
  readonly kind: TaskMarkKind;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('todo');
  const { t: app } = useTranslation('app');
  const words = useTaskWords()(task.fact);
  const [note, setNote] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { mutate, isPending, error } = useAct((request: TaskMarkRequest) => send('POST', 'todo/marks', request));
  const isDone = kind === 'done';
  const submit = (): void => {
    if (!isDone && note.trim() === '') return setMissing(true);
    const request = { tasks: [{ id: task.id, version: task.version }], kind, note: note.trim() };
    mutate(request, { onSuccess: onClose });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(isDone ? 'doneTitle' : 'notAProblemTitle')}
      closeButtonProps={{ 'aria-label': app('close') }}
    >
      <DialogForm
        act={t(isDone ? 'doneNow' : 'notAProblemNow')}
        isPending={isPending}
        error={error}
        fields={['note']}
        onSubmit={submit}
        onClose={onClose}
      >
        <Text>
          <ForeignText>{words.what}</ForeignText>
        </Text>
        <Text c="dimmed" size="sm">
          {t('markMeans')}
        </Text>
        <Textarea
          label={t('note')}
          value={note}
          maxLength={MAX_NOTE_LENGTH}
          rows={3}
          error={isMissing ? t('noteMissing') : fieldErrorOf(error, 'note')}
          onChange={(event) => {
            setNote(event.currentTarget.value);
            setMissing(false);
          }}
          data-autofocus
          withAsterisk={!isDone}
        />
      </DialogForm>
    </Modal>
  );
}

/** Tells the gateway once which open tasks this user has seen. After a failure, the next visit to the screen tries again. */
function useSeen(tasks: readonly TaskView[]): void {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const told = useRef(new Set<number>());
  const actor = session?.actor;
  useEffect(() => {
    if (actor === undefined) return;
    const unseen = tasks.filter(
      ({ id, isOpen, seen }) => id > 0 && isOpen && !told.current.has(id) && seen.every((each) => each.actor !== actor),
    );
    if (unseen.length === 0) return;
    const ids = unseen.map(({ id }) => id);
    for (const id of ids) told.current.add(id);
    send('POST', 'todo/seen', { tasks: ids } satisfies TasksSeenRequest)
      .then(() => client.invalidateQueries({ queryKey: ['todo'] }))
      .catch(() => {});
  }, [tasks, actor, client]);
}
