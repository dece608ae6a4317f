// One lane: its sentence, its path, its numbers, the held records, and its upstream.

import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CirclePause, CirclePlay, Pencil, RotateCw } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Cause } from '../../server/contract/codes.ts';
import type { LaneView } from '../../server/contract/lanes.ts';
import type { StoreTrouble } from '../../server/contract/machine.ts';
import { actOnLane, useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { waitingQuery } from '../api/queries.ts';
import { CauseText } from '../components/cause-text.tsx';
import { Confirmation } from '../components/confirmation.tsx';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ManagerButton, ManagersOnly } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { lazyPart } from '../lib/lazy-part.tsx';
import { useNow } from '../lib/use-now.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { HeldList } from './held-list.tsx';
import { LaneNumbers } from './lane-numbers.tsx';
import { laneSentence, pathOf } from './lane-state.ts';
import { PathDiagram } from './path-diagram.tsx';
import { UpstreamForm } from './upstream-form.tsx';
import { peak } from './waiting-samples.ts';

const WaitingCurve = lazyPart(async () => (await import('./waiting-curve.tsx')).default);

export function LanePanel({
  lane,
  trouble,
  isOnly,
}: {
  readonly lane: LaneView;
  readonly trouble: StoreTrouble | null;
  readonly isOnly: boolean;
}) {
  const { t } = useTranslation('upstream');
  return (
    <Stack gap="xl" component="section" aria-label={t(lane.interface)}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="md">
          <Stack gap={4} flex="1 1 420px">
            {!isOnly && (
              <Text size="sm" fw={600} c="dimmed">
                {t(lane.interface)}
              </Text>
            )}
            <LaneSaid lane={lane} />
          </Stack>
          {lane.url !== null && <LaneActs lane={lane} />}
        </Group>
        <PathDiagram way={pathOf(lane, trouble)} />
      </Stack>
      {/* Equal keys in both places keep the state of `Destination`, such as the message after the first address is saved. */}
      {lane.url === null && <Destination key="destination" lane={lane} />}
      <LaneNumbers lane={lane} isOnly={isOnly} />
      <HeldList lane={lane} />
      <Curve lane={lane} />
      {lane.url !== null && <Destination key="destination" lane={lane} />}
    </Stack>
  );
}

function LaneSaid({ lane }: { readonly lane: LaneView }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const isManager = useIsManager();
  const sentence = laneSentence(lane);
  const counted = { count: sentence.count, n: formats.number(sentence.count) };
  switch (sentence.kind) {
    case 'lineDown':
    case 'refusedUs':
    case 'paused': {
      const { kind, since } = sentence;
      return (
        <>
          <Sentence>
            {since === null ? (
              t(`${kind}Now`)
            ) : (
              <span title={formats.exact(since)}>{t(kind, { time: formats.time(since) })}</span>
            )}
          </Sentence>
          <Text>{sentence.count > 0 ? t('keptHere', counted) : t('nothingWaits')}</Text>
          {lane.cause !== null && lane.cause.code !== 'paused' && (
            <Text>
              <CauseText cause={lane.cause} />
            </Text>
          )}
          <Text c="dimmed">{t(nextStep(kind, lane.cause, isManager))}</Text>
        </>
      );
    }
    case 'noUpstream':
    case 'onTheirWay':
    case 'allButHeld':
    case 'allUpstream':
    case 'ready':
      return (
        <>
          <Sentence>{t(sentence.kind, counted)}</Sentence>
          {sentence.kind !== 'noUpstream' && lane.cause !== null && (
            <StateMark tone="differs">
              <CauseText cause={lane.cause} />
            </StateMark>
          )}
          <Text c="dimmed">
            {t(sentence.kind === 'noUpstream' && !isManager ? 'noUpstreamAsk' : `${sentence.kind}Next`)}
          </Text>
        </>
      );
  }
}

function nextStep(kind: 'lineDown' | 'refusedUs' | 'paused', cause: Cause | null, isManager: boolean) {
  if (kind === 'lineDown' || cause?.code === 'asking') return 'lineDownNext';
  const step = cause?.code === 'restored' ? 'restored' : kind;
  return isManager ? (`${step}Next` as const) : (`${step}Ask` as const);
}

function Sentence({ children }: { readonly children: ReactNode }) {
  return (
    <Title order={2} size={24} fw={600} lh={1.3} aria-live="polite">
      {children}
    </Title>
  );
}

type SimpleAct = 'pause' | 'resume' | 'try now';

function LaneActs({ lane }: { readonly lane: LaneView }) {
  const { t } = useTranslation('upstream');
  const act = useAct((kind: SimpleAct) => actOnLane(lane.id, { kind }));
  const { isSuccess, reset } = act;
  const isRunning = lane.state === 'running';
  // When the lane runs again, the result of the last act disappears.
  useEffect(() => {
    if (isRunning && isSuccess) reset();
  }, [isRunning, isSuccess, reset]);
  const isPaused = lane.state === 'paused';
  const pending = act.isPending ? act.variables : undefined;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs">
        {!isPaused && !isRunning && (
          <ManagerButton
            leftSection={<RotateCw size={16} aria-hidden />}
            loading={pending === 'try now'}
            onClick={() => act.mutate('try now')}
          >
            {t('tryNow')}
          </ManagerButton>
        )}
        {lane.cause?.code === 'restored' ? (
          <ConfirmRestore />
        ) : isPaused ? (
          <ManagerButton
            leftSection={<CirclePlay size={16} aria-hidden />}
            loading={pending === 'resume'}
            onClick={() => act.mutate('resume')}
          >
            {t('resume')}
          </ManagerButton>
        ) : (
          <ManagerButton
            variant="default"
            leftSection={<CirclePause size={16} aria-hidden />}
            loading={pending === 'pause'}
            onClick={() => act.mutate('pause')}
          >
            {t('pause')}
          </ManagerButton>
        )}
      </Group>
      <div role="status">
        {isSuccess && act.variables === 'try now' && !isRunning && <Text size="sm">{t('triesNow')}</Text>}
        <ErrorAlert error={act.error} />
      </div>
    </Stack>
  );
}

/** Confirms that only this gateway forwards the restored data. Two gateways could send the same sales twice. */
function ConfirmRestore() {
  const { t } = useTranslation('upstream');
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending, error } = useAct(() => send('POST', 'restore/confirm'));
  return (
    <>
      <ManagerButton leftSection={<CirclePlay size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t('confirmRestore')}
      </ManagerButton>
      {isOpen && (
        <Confirmation
          title={t('confirmRestoreTitle')}
          act={t('confirmRestoreAct')}
          isPending={isPending}
          error={error}
          onDo={() => mutate(undefined)}
          onClose={() => setOpen(false)}
        >
          {t('confirmRestoreMeans')}
        </Confirmation>
      )}
    </>
  );
}

/** The curve of waiting records. Shown only if records waited: a flat curve adds nothing to the lane's sentence. */
function Curve({ lane: { id, deliveries } }: { readonly lane: LaneView }) {
  const { t } = useTranslation('upstream');
  const { data: kept = [] } = useQuery(waitingQuery(id));
  const now = useNow();
  const samples = [...kept, { at: Math.max(now, kept.at(-1)?.at ?? 0), waiting: deliveries.waiting }];
  if (samples.length < 2) return null;
  if (peak(samples) === undefined) return deliveries.waiting === 0 && <Text c="dimmed">{t('curveFlat')}</Text>;
  return (
    <Suspense fallback={<div style={{ height: 224 }} />}>
      <WaitingCurve samples={samples} />
    </Suspense>
  );
}

function Destination({ lane }: { readonly lane: LaneView }) {
  const { t } = useTranslation('upstream');
  const isManager = useIsManager();
  const [isOpen, setOpen] = useState(isManager && (lane.url === null || lane.state === 'refused'));
  const [isSaved, setSaved] = useState(false);
  if (!isManager && lane.url === null) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t('destination')} id={`destination-${lane.id}`}>
      <Title order={3} size="h5">
        {t('destination')}
      </Title>
      {isOpen ? (
        <Paper withBorder p="md">
          <UpstreamForm
            lane={lane}
            onSaved={() => {
              setOpen(false);
              setSaved(true);
            }}
            {...(lane.url !== null && { onCancel: () => setOpen(false) })}
          />
        </Paper>
      ) : (
        <Group gap="xs">
          {lane.url !== null && <Copyable text={lane.url} label={t('url')} />}
          <ManagerButton
            variant="default"
            leftSection={<Pencil size={16} aria-hidden />}
            onClick={() => {
              setOpen(true);
              setSaved(false);
            }}
          >
            {t('change')}
          </ManagerButton>
          <ManagersOnly />
        </Group>
      )}
      <div role="status">{isSaved && <Text size="sm">{t('savedTries')}</Text>}</div>
    </Stack>
  );
}
