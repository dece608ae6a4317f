// A certification: the run sheet with its live results, and the printed report.

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import {
  type CertificationView,
  type CertifyAct,
  type CertifyStep,
  countResults,
} from '../../server/contract/certify.ts';
import { useCertifyAct } from '../api/act.ts';
import { certificationQuery } from '../api/queries.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { STEP_VALUES } from './event-words.ts';
import { Report } from './report.tsx';
import { headlineOf, openSteps } from './result.ts';
import { SkipStep } from './skip-step.tsx';
import { StepCard } from './step-card.tsx';

import classes from './certify.module.css';

export function RunScreen() {
  const { runId } = useParams({ from: '/tills/certify/$runId' });
  const { data: run } = useSuspenseQuery(certificationQuery(Number(runId)));
  return <RunSheet key={run.id} run={run} />;
}

function RunSheet({ run }: { readonly run: CertificationView }) {
  const { t } = useTranslation('certify');
  const [skipping, setSkipping] = useState<CertifyStep>();
  const act = useCertifyAct(run.id);
  const isRunning = run.state === 'running';
  const skip = (step: CertifyStep, reason: string): void =>
    act.mutate({ kind: 'skip', step, reason }, { onSuccess: () => setSkipping(undefined) });
  return (
    <Stack gap="lg">
      <Head run={run} onAct={act.mutate} isPending={act.isPending} />
      {skipping === undefined && <ErrorAlert error={act.error} />}
      <ol className={classes.steps} aria-label={t('certify')}>
        {run.steps.map((step, index) => (
          <StepCard
            key={step.name}
            step={step}
            number={index + 1}
            isRunning={isRunning}
            onAct={act.mutate}
            onSkip={() => {
              act.reset();
              setSkipping(step.name);
            }}
          />
        ))}
      </ol>
      {skipping !== undefined && (
        <SkipStep
          step={skipping}
          isPending={act.isPending}
          error={act.error}
          onSkip={(reason) => skip(skipping, reason)}
          onClose={() => setSkipping(undefined)}
        />
      )}
      <Report run={run} />
    </Stack>
  );
}

function Head({
  run,
  onAct,
  isPending,
}: {
  readonly run: CertificationView;
  readonly onAct: (act: CertifyAct) => void;
  readonly isPending: boolean;
}) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const { state, startedAt, endedAt, keyId } = run;
  const isRunning = state === 'running';
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []); // the button that led here is gone
  return (
    <Stack gap={6}>
      <Anchor component={Link} to="/tills" size="sm">
        {t('toTills')}
      </Anchor>
      <Title order={2} size={24} fw={600} aria-live="polite" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
        {headlineOf(run, t, formats)}
      </Title>
      <Text>{t('results', { ...countResults(run.steps), open: openSteps(run) })}</Text>
      <Text size="sm" c="dimmed" title={formats.exact(endedAt ?? startedAt)}>
        {isRunning
          ? t('running', { time: formats.time(startedAt), key: keyId })
          : t(`run_${state}`, { time: formats.time(endedAt ?? startedAt), minutes: STEP_VALUES.minutes })}
      </Text>
      <Group gap="xs" mt="xs">
        <Button
          variant={isRunning ? 'default' : 'filled'}
          leftSection={<Printer size={16} aria-hidden />}
          onClick={() => window.print()}
        >
          {t('print')}
        </Button>
        {isRunning ? (
          <ManagerButton
            variant="default"
            title={t('endMeans')}
            loading={isPending}
            onClick={() => onAct({ kind: 'end' })}
          >
            {t('end')}
          </ManagerButton>
        ) : (
          <LinkButton to="/tills/certify" search={{ key: keyId }} variant="default">
            {t('anew')}
          </LinkButton>
        )}
      </Group>
    </Stack>
  );
}
