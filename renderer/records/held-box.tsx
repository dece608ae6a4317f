// For a record that the upstream refused, or that people set aside: why, and what can be done.

import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Delivery, RecordSummary } from '../../server/contract.ts';
import { Problem, send } from '../api/client.ts';
import { lanesQuery } from '../api/queries.ts';
import { useIsManager, useJournal } from '../app/journal.tsx';
import { CauseSaid } from '../parts/cause.tsx';
import { StateMark } from '../parts/state-mark.tsx';

import classes from './record.module.css';

type Act = { readonly kind: 'send again' } | { readonly kind: 'set aside'; readonly reason: string };

export function HeldBox({ record }: { readonly record: RecordSummary }) {
  const { t } = useTranslation('record');
  const { t: app } = useTranslation('app');
  const isManager = useIsManager();
  const [isAsking, setAsking] = useState(false);
  const act = useAct(record);
  const { delivery } = record;
  const isHeld = delivery?.state === 'held';
  if (delivery === null || (!isHeld && delivery.state !== 'set aside'))
    return act.isSuccess && act.variables.kind === 'send again' ? (
      <StateMark tone="waiting">{t('sentAgain')}</StateMark>
    ) : null;
  return (
    <Paper withBorder p="md" className={isHeld ? (classes.held ?? '') : ''}>
      <Stack gap="sm">
        {isHeld ? <Refusal delivery={delivery} /> : <Text>{t('isSetAside')}</Text>}
        {isAsking ? (
          <ReasonForm act={act} onCancel={() => setAsking(false)} />
        ) : (
          <Group gap="xs">
            <Button
              size="sm"
              variant="light"
              disabled={!isManager || act.laneId === undefined}
              loading={act.isPending}
              onClick={() => act.mutate({ kind: 'send again' })}
            >
              {t('sendAgain')}
            </Button>
            {isHeld && (
              <Button
                size="sm"
                variant="default"
                disabled={!isManager || act.laneId === undefined}
                onClick={() => setAsking(true)}
              >
                {t('setAsideAct')}
              </Button>
            )}
            {!isManager && (
              <Text size="sm" c="dimmed">
                {app('managerOnly')}
              </Text>
            )}
          </Group>
        )}
        {act.error !== null && !isAsking && (
          <Text size="sm" c="var(--cf-bad)" role="alert">
            {act.error.message}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function useAct(record: RecordSummary) {
  const journal = useJournal();
  const client = useQueryClient();
  const { data: lanes } = useQuery(lanesQuery(journal.id));
  const laneId = lanes?.find((lane) => lane.interface === record.interface)?.id;
  const mutation = useMutation({
    mutationFn: (act: Act) =>
      send('POST', `lanes/${laneId}/acts`, { ...act, records: { kind: 'one', recordId: record.recordId } }),
    onSuccess: () =>
      Promise.all(['records', 'lanes', 'overview'].map((subject) => client.invalidateQueries({ queryKey: [subject] }))),
  });
  return { ...mutation, laneId };
}

const SAID = { 400: 'held400', 409: 'held409', 413: 'held413', 415: 'held415', 422: 'held422' } as const;

function Refusal({ delivery: { answer, answerStatus, cause } }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('record');
  const said = Object.entries(SAID).find(([status]) => Number(status) === answerStatus)?.[1] ?? 'held';
  return (
    <>
      <StateMark tone="bad" size="md">
        {t(answerStatus === null ? 'heldDamaged' : said)}
      </StateMark>
      {answer !== null && answer !== '' && (
        <div>
          {answerStatus !== null && (
            <Text size="xs" c="dimmed" mb={2}>
              {t('itSaid')} · {t('answerCode', { code: answerStatus })}
            </Text>
          )}
          <pre className={classes.said}>{answer}</pre>
        </div>
      )}
      {cause !== null && (
        <Text size="sm">
          <CauseSaid cause={cause} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t('heldSafe')}
      </Text>
    </>
  );
}

function ReasonForm({ act, onCancel }: { readonly act: ReturnType<typeof useAct>; readonly onCancel: () => void }) {
  const { t } = useTranslation('record');
  const { t: app } = useTranslation('app');
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const said = reason.trim();
    setMissing(said === '');
    if (said === '') input.current?.focus();
    else act.mutate({ kind: 'set aside', reason: said }, { onSuccess: onCancel });
  };
  const fault = act.error instanceof Problem ? (act.error.fields['reason'] ?? act.error.message) : act.error?.message;
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          ref={input}
          label={t('whySetAside')}
          description={t('whySetAsideHint')}
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={isMissing ? t('noReason') : fault}
        />
        <Group gap="xs">
          <Button size="sm" type="submit" loading={act.isPending}>
            {t('setAsideNow')}
          </Button>
          <Button size="sm" variant="default" onClick={onCancel}>
            {app('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
