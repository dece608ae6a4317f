// For a record that the upstream rejected or people set aside: the reason and the possible acts.

import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_REASON_LENGTH } from '../../server/contract/codes.ts';
import type { Delivery, RecordChoice, RecordSummary } from '../../server/contract/records.ts';
import { actOnLane, useAct } from '../api/act.ts';
import { lanesQuery } from '../api/queries.ts';
import { CauseText } from '../components/cause-text.tsx';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { heldReasonOf, readableAnswer } from '../model/held-reason.ts';
import { useIsManager, useJournal } from '../model/selected-journal.ts';

import classes from './record.module.css';

type Wanted = { readonly kind: 'send again' } | { readonly kind: 'set aside'; readonly reason: string };

export function HeldNotice({ record }: { readonly record: RecordSummary }) {
  const { t } = useTranslation('record');
  const [isAsking, setAsking] = useState(false);
  const isManager = useIsManager();
  const journal = useJournal();
  const { data: lanes } = useQuery(lanesQuery(journal.id));
  const laneId = lanes?.find((lane) => lane.interface === record.interface)?.id;
  const records: RecordChoice = { kind: 'one', recordId: record.recordId };
  const act = useAct((wanted: Wanted) => actOnLane(laneId ?? 0, { ...wanted, records }));
  const { delivery } = record;
  const isHeld = delivery?.state === 'held';
  if (delivery === null || (!isHeld && delivery.state !== 'set aside'))
    return delivery?.state === 'waiting' && act.isSuccess && act.variables.kind === 'send again' ? (
      <StateMark tone="waiting">{t('sentAgain')}</StateMark>
    ) : null;
  return (
    <Paper withBorder p="md" className={isHeld ? (classes.held ?? '') : ''}>
      <Stack gap="sm">
        {isHeld ? <Refusal delivery={delivery} /> : <Text>{t('isSetAside')}</Text>}
        {isAsking ? (
          <ReasonForm
            isPending={act.isPending}
            error={act.error}
            onSetAside={(reason) => act.mutate({ kind: 'set aside', reason }, { onSuccess: () => setAsking(false) })}
            onCancel={() => {
              setAsking(false);
              act.reset();
            }}
          />
        ) : !isManager ? (
          <Text>{t('askManager')}</Text>
        ) : (
          <Group gap="xs">
            <Button
              size="sm"
              variant="light"
              disabled={laneId === undefined}
              loading={act.isPending}
              onClick={() => act.mutate({ kind: 'send again' })}
            >
              {t('sendAgain')}
            </Button>
            {isHeld && (
              <Button size="sm" variant="default" disabled={laneId === undefined} onClick={() => setAsking(true)}>
                {t('setAsideAct')}
              </Button>
            )}
          </Group>
        )}
        {!isAsking && <ErrorAlert error={act.error} />}
      </Stack>
    </Paper>
  );
}

function Refusal({ delivery: { answer, answerStatus, cause } }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('record');
  const upstreamText = readableAnswer(answer);
  return (
    <>
      <StateMark tone="bad" size="md">
        {t(`held_${heldReasonOf(answerStatus)}`)}
      </StateMark>
      {upstreamText !== '' && (
        <div>
          {answerStatus !== null && (
            <Text size="xs" c="dimmed" mb={2}>
              {t('itSaid')} · {t('answerCode', { code: answerStatus })}
            </Text>
          )}
          <pre className={classes.said}>{upstreamText}</pre>
        </div>
      )}
      {cause !== null && (
        <Text size="sm">
          <CauseText cause={cause} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t('heldSafe')}
      </Text>
    </>
  );
}

function ReasonForm({
  isPending,
  error,
  onSetAside,
  onCancel,
}: {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSetAside: (reason: string) => void;
  readonly onCancel: () => void;
}) {
  const { t } = useTranslation(['record', 'app']);
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const trimmed = reason.trim();
    setMissing(trimmed === '');
    if (trimmed === '') input.current?.focus();
    else onSetAside(trimmed);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          ref={input}
          label={t('whySetAside')}
          description={t('whySetAsideHint')}
          autosize
          minRows={2}
          maxLength={MAX_REASON_LENGTH}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={isMissing ? t('noReason') : fieldErrorOf(error, 'reason')}
        />
        <ErrorAlert error={error} fields={['reason']} />
        <Group gap="xs">
          <Button size="sm" type="submit" loading={isPending}>
            {t('setAsideNow')}
          </Button>
          <Button size="sm" variant="default" onClick={onCancel}>
            {t('app:cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
