// The comparison of days with the upstream: starts it and shows its progress.

import { Button, Group, Stack, Text } from '@mantine/core';
import { CheckCheck, ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { CheckRequest, DayCheck } from '../../server/contract/days.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { CauseText } from '../components/cause-text.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { countDays, type Dates } from './calendar.ts';
import { checkSentence } from './day-words.ts';

import classes from './days.module.css';

export function CheckButtons({
  journalId,
  dates,
  word,
  isFirst = true,
}: {
  readonly journalId: number;
  readonly dates: Dates;
  /** The label of the button that compares counts. */
  readonly word: string;
  /** Whether this is the day's most urgent act, shown as the filled button. */
  readonly isFirst?: boolean;
}) {
  const { t } = useTranslation('days');
  const check = useAct((byIds: boolean) =>
    send<DayCheck>('POST', 'checks', { journal: journalId, ...dates, byIds } satisfies CheckRequest),
  );
  return (
    <>
      <Button
        variant={isFirst ? 'filled' : 'default'}
        leftSection={<CheckCheck size={16} aria-hidden />}
        loading={check.isPending && !check.variables}
        onClick={() => check.mutate(false)}
        title={t('checkHint')}
      >
        {word}
      </Button>
      <Button
        variant="default"
        leftSection={<ListChecks size={16} aria-hidden />}
        loading={check.isPending && check.variables}
        onClick={() => check.mutate(true)}
        title={t('byIdsHint')}
      >
        {t('byIds')}
      </Button>
      <ErrorAlert error={check.error} />
    </>
  );
}

/** Shows nothing while no comparison runs. */
export function ChecksUnderway({ checks }: { readonly checks: readonly DayCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <Stack gap="xs">
      {checks.map((check) => (
        <Underway key={check.id} check={check} />
      ))}
    </Stack>
  );
}

function Underway({ check }: { readonly check: DayCheck }) {
  const { t } = useTranslation('days');
  const formats = useStoreFormats();
  const { from, to, next, stalledAt, cause } = check;
  const days = countDays({ from, to });
  const said = checkSentence(check, t, formats);
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text>{said}</Text>
        {days > 1 && (
          <progress
            max={days}
            value={countDays({ from, to: next }) - 1}
            aria-label={said}
            className={classes.progress}
          />
        )}
      </Group>
      <div role="status">
        {stalledAt !== null && (
          <StateMark tone="differs">
            {t('stalled', { time: formats.time(stalledAt) })} {cause !== null && <CauseText cause={cause} />}
          </StateMark>
        )}
      </div>
    </Stack>
  );
}
