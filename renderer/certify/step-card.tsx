// One step of the run sheet: what to do, what the till must do, the finding and the evidence.

import { Group, Paper, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import type { CertifyAct, CertifyStepView } from '../../server/contract/certify.ts';
import { ManagerButton } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useActorWords } from '../model/actor-words.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Tone } from '../theme/theme.ts';
import { eventWords, STEP_VALUES } from './event-words.ts';

import classes from './certify.module.css';

const TONES = {
  open: 'unknown',
  active: 'waiting',
  passed: 'fine',
  failed: 'bad',
  skipped: 'unknown',
} as const satisfies Record<CertifyStepView['state'], Tone>;

export interface StepActs {
  readonly onAct: (act: CertifyAct) => void;
  readonly onSkip: () => void;
}

export function StepCard({
  step,
  number,
  isRunning,
  onAct,
  onSkip,
}: StepActs & { readonly step: CertifyStepView; readonly number: number; readonly isRunning: boolean }) {
  const { t } = useTranslation('certify');
  const { number: formatNumber } = useStoreFormats();
  const { name, state, finding, reason, attempts, missing = 0 } = step;
  const title = t(`step_${name}`);
  const isActive = state === 'active';
  const isOpened = isActive || state === 'failed';
  const card = useRef<HTMLLIElement>(null);
  // The integrator stands at the till, away from the mouse. So the page scrolls to the next step automatically.
  useEffect(() => {
    if (isActive) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <Paper
      withBorder
      component="li"
      ref={card}
      p="md"
      className={classes.step ?? ''}
      {...(isActive && { 'data-active': true, 'aria-current': 'step' })}
    >
      <Group justify="space-between" gap="xs" align="baseline">
        <Title order={3} size="h4">
          {number}. {title}
        </Title>
        <Group gap="xs">
          {attempts > 1 && (
            <Text size="sm" c="dimmed">
              {t('attempts', { n: attempts })}
            </Text>
          )}
          <StateMark tone={TONES[state]}>{t(`state_${state}`)}</StateMark>
          {isRunning && !isOpened && <Buttons step={step} title={title} onAct={onAct} onSkip={onSkip} />}
        </Group>
      </Group>
      {isOpened && <Instructions step={step} />}
      {finding !== null && state !== 'open' && (
        <Text fw={isActive || state === 'failed' ? 600 : 400} mt={6} {...(isActive && { 'aria-live': 'polite' })}>
          {t(`finding_${finding}`, { ...STEP_VALUES, missing: formatNumber(missing) })}
        </Text>
      )}
      {reason !== '' && <Text mt={6}>{t('reason', { reason })}</Text>}
      <Evidence step={step} />
      {isRunning && isOpened && (
        <Group gap="xs" mt="sm">
          <Buttons step={step} title={title} onAct={onAct} onSkip={onSkip} />
        </Group>
      )}
    </Paper>
  );
}

function Instructions({ step: { name } }: { readonly step: CertifyStepView }) {
  const { t } = useTranslation('certify');
  return (
    <dl className={classes.instructions}>
      <dt>{t('do')}</dt>
      <dd>{t(`do_${name}`, STEP_VALUES)}</dd>
      <dt>{t('must')}</dt>
      <dd>{t(`must_${name}`, STEP_VALUES)}</dd>
    </dl>
  );
}

function Evidence({ step: { name, events, state, dropped = 0 } }: { readonly step: CertifyStepView }) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const nameOf = useActorWords();
  if (events.length === 0 || state === 'open') return null;
  return (
    <ul className={classes.events} aria-label={`${t('evidence')}: ${t(`step_${name}`)}`}>
      {events.map((event, index) => (
        // Events are only appended, so an index always belongs to the same event.
        <li key={index}>
          <span title={formats.exact(event.at)}>{formats.timeToSecond(event.at)}</span>{' '}
          {eventWords(event, t, formats, nameOf)}
        </li>
      ))}
      {dropped > 0 && <li>{t('moreEvents', { count: dropped, n: formats.number(dropped) })}</li>}
    </ul>
  );
}

function Buttons({
  step: { name, state, finding, attempts, events },
  title,
  onAct,
  onSkip,
}: StepActs & { readonly step: CertifyStepView; readonly title: string }) {
  const { t } = useTranslation('certify');
  const act = (kind: 'start' | 'fail' | 'confirm') => (): void => onAct({ kind, step: name, attempts });
  const isConfirmable = state === 'active' && finding === 'key_refused';
  return (
    <>
      {isConfirmable && <ManagerButton onClick={act('confirm')}>{t('confirm')}</ManagerButton>}
      {state === 'open' && (
        <ManagerButton variant="default" size="xs" aria-label={`${t('begin')}: ${title}`} onClick={act('start')}>
          {t('begin')}
        </ManagerButton>
      )}
      {state !== 'open' && (
        // Before the first call, this button is visible but disabled. If it were hidden, the second click of a double click
        // would hit another button.
        <ManagerButton
          disabled={state === 'active' && events.length === 0}
          variant={state === 'failed' ? 'filled' : 'default'}
          size={state === 'failed' || state === 'active' ? 'sm' : 'xs'}
          aria-label={`${t('again')}: ${title}`}
          onClick={act('start')}
        >
          {t('again')}
        </ManagerButton>
      )}
      {state === 'active' && (
        <ManagerButton variant="default" title={t('failMeans')} onClick={act('fail')}>
          {t('fail')}
        </ManagerButton>
      )}
      {state !== 'passed' && state !== 'skipped' && (
        <ManagerButton
          variant="subtle"
          size={state === 'open' ? 'xs' : 'sm'}
          aria-label={`${t('skip')} ${title}`}
          onClick={onSkip}
        >
          {t('skip')}
        </ManagerButton>
      )}
    </>
  );
}
