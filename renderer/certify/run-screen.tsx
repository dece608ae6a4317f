// A certification: the run sheet with its live results, and the printed report.

import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type CertificationView, type CertifyStep, countOpen, countResults } from '../../server/contract/certify.ts';
import { useCertifyAct } from '../api/act.ts';
import { certificationQuery } from '../api/queries.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { FocusedTitle } from '../components/focused-title.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { ReasonDialog } from '../components/reason-dialog.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { STEP_VALUES } from './event-words.ts';
import { Report } from './report.tsx';
import { headlineOf } from './result.ts';
import { StepCard } from './step-card.tsx';

import classes from './certify.module.css';

export function RunScreen() {
  const { runId } = useParams({ from: '/tills/certify/$runId' });
  const { data: run } = useSuspenseQuery(certificationQuery(Number(runId)));
  return <RunSheet key={run.id} run={run} />;
}

function RunSheet({ run }: { readonly run: CertificationView }) {
  const { t } = useTranslation('certify');
  const [asking, setAsking] = useState<CertifyStep | 'end'>();
  const act = useCertifyAct(run.id);
  const isRunning = run.state === 'running';
  useTitle(t('startTitle', { till: run.till }));
  const ask = (what: CertifyStep | 'end'): void => {
    act.reset();
    setAsking(what);
  };
  const close = (): void => setAsking(undefined);
  const dialog = { isPending: act.isPending, error: act.error, onClose: close };
  return (
    <Stack gap="lg">
      <Head run={run} onEnd={() => ask('end')} />
      {asking === undefined && <ErrorAlert error={act.error} />}
      <ol className={classes.steps} aria-label={t('certify')}>
        {run.steps.map((step, index) => (
          <StepCard
            key={step.name}
            step={step}
            number={index + 1}
            isRunning={isRunning}
            onAct={act.mutate}
            onSkip={() => ask(step.name)}
          />
        ))}
      </ol>
      {asking === 'end' ? (
        <Confirmation
          title={t('endTitle', { till: run.till })}
          act={t('end')}
          onDo={() => act.mutate({ kind: 'end' }, { onSuccess: close })}
          {...dialog}
        >
          {t('endMeans')}
        </Confirmation>
      ) : (
        asking !== undefined && (
          <ReasonDialog
            title={t('skipTitle', { step: t(`step_${asking}`) })}
            means={t('skipMeans')}
            act={t('skipDo')}
            onDo={(reason) => act.mutate({ kind: 'skip', step: asking, reason }, { onSuccess: close })}
            {...dialog}
          />
        )
      )}
      <Report run={run} />
    </Stack>
  );
}

/** Puts a text before the title of the browser tab. */
function useTitle(text: string): void {
  useEffect(() => {
    const before = document.title;
    const title = (document.title = `${text} · ${before}`);
    return () => {
      // if the next screen has already set its title, that title stays
      if (document.title === title) document.title = before;
    };
  }, [text]);
}

function Head({ run, onEnd }: { readonly run: CertificationView; readonly onEnd: () => void }) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const { state, startedAt, endedAt, keyId } = run;
  const isRunning = state === 'running';
  return (
    <Stack gap={6}>
      <Anchor component={Link} to="/tills" size="sm">
        {t('toTills')}
      </Anchor>
      <FocusedTitle order={2} size={24} fw={600} aria-live="polite">
        {headlineOf(run, t, formats)}
      </FocusedTitle>
      <Text>{t('results', { ...countResults(run.steps), open: countOpen(run.steps) })}</Text>
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
          <ManagerButton variant="default" onClick={onEnd}>
            {t('end')}
          </ManagerButton>
        ) : (
          <LinkButton to="/tills/certify" search={{ key: keyId }} variant="default">
            {t('certifyAgain')}
          </LinkButton>
        )}
      </Group>
    </Stack>
  );
}
