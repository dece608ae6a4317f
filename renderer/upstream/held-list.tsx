// Held records as a work list: the reason for each record, and the acts for one record, for a group, or for all.

import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { LaneActRequest, LaneView } from '../../server/contract/lanes.ts';
import type { RecordChoice, RecordSummary } from '../../server/contract/records.ts';
import { actOnLane, useAct } from '../api/act.ts';
import { heldQuery } from '../api/queries.ts';
import { CauseText } from '../components/cause-text.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { ReasonDialog } from '../components/reason-dialog.tsx';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { groupHeld, type HeldGroup } from './held-group.ts';

import classes from './held-list.module.css';

/** Maximum records of a group before the user clicks "more". */
const MAX_COLLAPSED = 5;
/** Maximum records in one call. */
const MAX_RECORDS_PER_CALL = 500;

/** The chosen records as one or more calls, and the number of records. */
interface Choice {
  readonly parts: readonly RecordChoice[];
  readonly count: number;
}

function these(records: readonly RecordSummary[]): Choice {
  const ids = records.map(({ recordId }) => recordId);
  const parts = Array.from({ length: Math.ceil(ids.length / MAX_RECORDS_PER_CALL) }, (_, i): RecordChoice => {
    const recordIds = ids.slice(i * MAX_RECORDS_PER_CALL, (i + 1) * MAX_RECORDS_PER_CALL);
    const [first] = recordIds;
    return recordIds.length === 1 && first !== undefined
      ? { kind: 'one', recordId: first }
      : { kind: 'some', recordIds };
  });
  return { parts, count: ids.length };
}

interface Wanted extends Choice {
  readonly reason?: string;
}

/** Sends the wanted records again, or sets them aside with a reason. Returns the number of records. */
async function perform(laneId: number, { parts, reason }: Wanted): Promise<number> {
  let done = 0;
  for (const records of parts) {
    const act: LaneActRequest =
      reason === undefined ? { kind: 'send again', records } : { kind: 'set aside', records, reason };
    done += (await actOnLane(laneId, act)).records;
  }
  return done;
}

export function HeldList({ lane }: { readonly lane: LaneView }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const isManager = useIsManager();
  const held = useInfiniteQuery(heldQuery(lane.journalId, lane.interface));
  const [setAside, setSetAside] = useState<Choice>();
  const act = useAct((wanted: Wanted) => perform(lane.id, wanted));
  const records = (held.data?.pages ?? []).flatMap((page) => page.records);
  const all: Choice = { parts: [{ kind: 'held' }], count: lane.deliveries.held };
  const sendAgain = (choice: Choice): void => act.mutate(choice);
  const countedOf = ({ count }: Choice) => ({ count, n: formats.number(count) });
  const outcome = act.isSuccess && doneWords(act.variables, act.data);

  function doneWords({ reason }: Wanted, count: number): string {
    return t(reason === undefined ? 'sentAgain' : 'setAsideDone', { count, n: formats.number(count) });
  }

  if (all.count === 0 && act.isIdle) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t('heldTitle', { count: all.count, n: formats.number(all.count) })}>
      {all.count > 0 && (
        <Group justify="space-between" gap="xs">
          <div>
            <Title order={3} size="h5">
              {t('heldTitle', { count: all.count, n: formats.number(all.count) })}
            </Title>
            <Text c="dimmed" size="sm">
              {t(isManager ? 'heldMeans' : 'heldAsk')}
            </Text>
          </div>
          <Choices choice={all} ofAll isPending={act.isPending} onSendAgain={sendAgain} onSetAside={setSetAside} />
        </Group>
      )}
      <div role="status">
        {outcome !== false && <Text size="sm">{outcome}</Text>}
        {setAside === undefined && <ErrorAlert error={act.error} />}
        {held.error !== null && <ErrorAlert error={held.error} />}
      </div>
      {groupHeld(records).map((group) => (
        <Reason
          key={group.key}
          group={group}
          isPending={act.isPending}
          onSendAgain={sendAgain}
          onSetAside={setSetAside}
        />
      ))}
      {held.hasNextPage && (
        <Button
          variant="default"
          loading={held.isFetchingNextPage}
          onClick={() => void held.fetchNextPage()}
          style={{ alignSelf: 'flex-start' }}
        >
          {t('heldMore', { shown: formats.number(records.length), n: formats.number(all.count) })}
        </Button>
      )}
      {setAside !== undefined && (
        <ReasonDialog
          title={t('setAsideTitle', countedOf(setAside))}
          means={t('setAsideMeans', countedOf(setAside))}
          hint={t('reasonStays')}
          act={t('setAsideDo', countedOf(setAside))}
          isPending={act.isPending}
          error={act.error}
          onDo={(reason) => act.mutate({ ...setAside, reason }, { onSuccess: () => setSetAside(undefined) })}
          onClose={() => {
            setSetAside(undefined);
            if (act.isError) act.reset();
          }}
        />
      )}
    </Stack>
  );
}

interface Acts {
  readonly isPending: boolean;
  readonly onSendAgain: (choice: Choice) => void;
  readonly onSetAside: (choice: Choice) => void;
}

function Reason({ group, ...acts }: Acts & { readonly group: HeldGroup }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const [isWhole, setWhole] = useState(false);
  const { records, reason, answer, cause, answerStatus } = group;
  const counted = { count: records.length, n: formats.number(records.length) };
  return (
    <Paper withBorder>
      <Group justify="space-between" gap="xs" p="sm" align="flex-start">
        <div className={classes.reason}>
          <Text fw={600}>
            {t(reason)}{' '}
            {answerStatus !== null && (
              <Text span size="xs" c="dimmed" fw={400}>
                {answerStatus}
              </Text>
            )}
          </Text>
          {answer !== '' && (
            <Text size="sm" className={classes.said}>
              {t('said', { said: answer })}
            </Text>
          )}
          {cause !== null && (
            <Text size="sm">
              <CauseText cause={cause} />
            </Text>
          )}
        </div>
        {records.length > 1 && <Choices choice={these(records)} {...acts} />}
      </Group>
      <ul className={classes.records} aria-label={t('heldHere', counted)}>
        {(isWhole ? records : records.slice(0, MAX_COLLAPSED)).map((record) => (
          <HeldRecord key={record.recordId} record={record} {...acts} />
        ))}
      </ul>
      {records.length > MAX_COLLAPSED && (
        <Button variant="subtle" m={4} onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? t('showFewer') : t('showAll', counted)}
        </Button>
      )}
    </Paper>
  );
}

function HeldRecord({ record, ...acts }: Acts & { readonly record: RecordSummary }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const soldAt = record.soldAt * 1000;
  return (
    <li className={classes.record}>
      <Link
        to="/records/$recordId"
        params={{ recordId: String(record.recordId) }}
        state={{ isFromList: true }}
        className={classes.id}
      >
        <ForeignText>{record.externalId}</ForeignText>
      </Link>
      <Text size="sm" c="dimmed" className={classes.about}>
        <ForeignText>{record.till}</ForeignText> · <ForeignText>{record.type}</ForeignText> ·{' '}
        <span title={formats.exact(soldAt)}>{t('soldAt', { time: formats.time(soldAt) })}</span>
      </Text>
      <Choices choice={these([record])} of={record.externalId} isCompact {...acts} />
    </li>
  );
}

function Choices({
  choice,
  of,
  ofAll = false,
  isCompact = false,
  isPending,
  onSendAgain,
  onSetAside,
}: Acts & {
  readonly choice: Choice;
  /** The record's id, if the buttons are for one record. */
  readonly of?: string;
  readonly ofAll?: boolean;
  readonly isCompact?: boolean;
}) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const n = formats.number(choice.count);
  const isMany = of === undefined;
  if (!useIsManager()) return null;
  const again = ofAll ? t('sendAllAgain') : isMany ? t('sendTheseAgain', { n }) : t('sendAgain');
  const aside = ofAll ? t('setAllAside') : isMany ? t('setTheseAside', { n }) : t('setAside');
  return (
    <Group gap={4} {...(isCompact && { className: classes.acts })}>
      <Button
        variant={isCompact ? 'subtle' : 'light'}
        leftSection={isCompact ? undefined : <RotateCw size={16} aria-hidden />}
        disabled={isPending}
        onClick={() => onSendAgain(choice)}
        {...(of !== undefined && { 'aria-label': `${again}: ${of}` })}
      >
        {again}
      </Button>
      <Button
        variant={isCompact ? 'subtle' : 'default'}
        {...(isCompact && { color: 'gray' })}
        disabled={isPending}
        onClick={() => onSetAside(choice)}
        {...(of !== undefined && { 'aria-label': `${aside}: ${of}` })}
      >
        {aside}
      </Button>
    </Group>
  );
}
