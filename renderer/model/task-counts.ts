// The tasks of the to-do list, and the number of open tasks per screen. The texts are in `tasks.ts`, which loads later.

import { useQuery } from '@tanstack/react-query';

import type { TaskFact, TaskView } from '../../server/contract/todo.ts';
import { todoQuery } from '../api/queries.ts';

/** The tasks of one journal and of the gateway itself; undefined until the gateway has answered. */
export function useTasks(journalId: number | undefined): readonly TaskView[] | undefined {
  return useQuery({ ...todoQuery(journalId ?? 0), enabled: journalId !== undefined }).data?.tasks;
}

/** The screen on which a person can do the task. */
function placeOf({ kind }: Pick<TaskFact, 'kind'>): 'days' | 'records' | 'refused' | 'upstream' | 'tills' | 'settings' {
  switch (kind) {
    case 'day_differs':
    case 'numbers_skipped':
      return 'days';
    case 'conflicts':
      return 'records';
    case 'refusals':
      return 'refused';
    case 'upstream_stopped':
    case 'held':
      return 'upstream';
    case 'silent_till':
      return 'tills';
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
    case 'certificate_ends':
      return 'settings';
  }
}

/** The number of open tasks for each screen in the rail. `today` counts all open tasks. */
export function countByPlace(tasks: readonly TaskView[]): Partial<Record<string, number>> {
  const open = tasks.filter(({ isOpen }) => isOpen);
  const counts: Partial<Record<string, number>> = { today: open.length };
  for (const { fact } of open) counts[placeOf(fact)] = (counts[placeOf(fact)] ?? 0) + 1;
  return counts;
}
