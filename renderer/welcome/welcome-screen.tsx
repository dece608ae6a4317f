// The screens of the first run. They ask about the store and its first till, the upstream, and the first manager. The user can
// skip each question. After a reload, the same question appears. The last page waits for the first record.

import { Group, Stack, Text } from '@mantine/core';
import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { journalsQuery, lanesQuery, networkQuery, settingsQuery, tillsQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { noteFirstRunOffered } from '../model/first-run-offer.ts';
import { fixedBySetting } from '../model/network-state.ts';
import { useIsManager, useSelectedJournal } from '../model/selected-journal.ts';
import { FirstRecord } from './first-record.tsx';
import { PeopleStep } from './people-step.tsx';
import {
  type Facts,
  findFirstTill,
  firstStep,
  forgetProgress,
  keepProgress,
  type Progress,
  questionsOf,
  readProgress,
  type Step,
  stepAfter,
  stepBefore,
} from './progress.ts';
import type { Place } from './question.tsx';
import { StoreStep } from './store-step.tsx';
import { TillStep } from './till-step.tsx';
import { UpstreamStep } from './upstream-step.tsx';

export function WelcomeScreen() {
  useEffect(noteFirstRunOffered, []);
  return useIsManager() ? <FirstRun /> : <Navigate to="/" replace />;
}

/** What is set up in the store that is selected at the start. */
function useFacts(): Facts {
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const found = useSelectedJournal();
  const [ids] = useState(() =>
    journals.filter((each) => each.administration === found?.administration).map(({ id }) => id),
  );
  const { data: network } = useSuspenseQuery(networkQuery);
  const { data: settings } = useSuspenseQuery(settingsQuery);
  const tills = useSuspenseQueries({ queries: ids.map((id) => tillsQuery(id)) });
  const lanes = useSuspenseQueries({ queries: ids.map((id) => lanesQuery(id)) });
  return {
    isNetworkOpen: network.settings.isOpen,
    hasTill: tills.some(({ data }) => findFirstTill(data) !== undefined),
    hasUpstream: lanes.some(({ data }) => data.some(({ url }) => url !== null)),
    hasUsers: settings.users.length > 0,
  };
}

function FirstRun() {
  const { t } = useTranslation('welcome');
  const { another: isAnother = false } = useSearch({ from: '/welcome' });
  const facts = useFacts();
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const { data: settings } = useSuspenseQuery(settingsQuery);
  const { data: network } = useSuspenseQuery(networkQuery);
  const found = useSelectedJournal();
  const [progress, setProgress] = useState<Progress>(
    () =>
      readProgress(isAnother) ?? {
        step: isAnother ? 'till' : firstStep(facts),
        isAnother,
        hadTill: !isAnother && facts.hasTill,
        isNamed: false,
        administration: isAnother ? undefined : found?.administration,
        mode: isAnother ? undefined : found?.mode,
        created: undefined,
        isTaken: false,
      },
  );
  const { administration, mode, created } = progress;
  const questions = questionsOf(progress);
  const isAsked = questions.includes(progress.step);
  const step = isAsked ? progress.step : stepAfter(progress.step, questions);
  const change = (changed: Partial<Progress>): void => {
    const next = { ...progress, ...changed };
    keepProgress(next); // stored immediately, not in an effect, because a reload may follow directly
    setProgress(next);
  };
  const own = journals.filter((each) => each.administration === administration);
  const journal = own.find((each) => each.mode === (mode ?? 'production'));
  const before = stepBefore(step, questions);
  const go = (to: Step): void => change({ step: to });
  const next = (): void => go(stepAfter(step, questions));
  const place: Place = {
    n: questions.indexOf(step) + 1,
    of: questions.length,
    onBack: before && (() => go(before)),
  };
  useShownJournal(created === undefined ? undefined : journal?.id);
  const known = {
    existing: settings.administrations.find(({ name }) => name === administration),
    isZoneChosen: progress.isNamed || own.some(({ hasRecords }) => hasRecords),
  };
  const isNow = (name: string): Partial<Progress> => ({ administration: name, isNamed: true });

  /**
   * The till's card needs a wider page. Its steps are beside the QR code, so that the user can copy the request without
   * scrolling.
   */
  const hasCard = created !== undefined && (step === 'till' || step === 'record');

  return (
    <Stack gap="xl" maw={hasCard ? 860 : 640} key={step}>
      {journals.length === 0 && !isAnother && (
        <Group gap="xs">
          <Text>{t('hasBackup')}</Text>
          <LinkButton to="/restore" variant="default" size="xs">
            {t('restore')}
          </LinkButton>
        </Group>
      )}
      {step === 'store' && (
        <StoreStep
          place={place}
          known={known}
          onDone={(name) => change({ ...isNow(name), step: stepAfter(step, questions) })}
        />
      )}
      {step === 'till' && (
        <TillStep
          place={place}
          known={questions.includes('store') ? undefined : known}
          administration={administration}
          journals={own}
          network={fixedBySetting(network, 'isOpen') === undefined ? network : undefined}
          firstMode={mode ?? 'test'}
          created={created}
          onTake={() => {
            if (!progress.isTaken) change({ isTaken: true });
          }}
          onCreated={(key, { administration: name, mode: chosen }) =>
            change({ ...isNow(name), mode: chosen, created: key, isTaken: false })
          }
          onDone={(named) => change({ ...(named !== undefined && isNow(named)), step: stepAfter(step, questions) })}
        />
      )}
      {step === 'upstream' && <UpstreamStep place={place} journal={journal} onDone={next} />}
      {step === 'people' && <PeopleStep place={place} users={settings.users} onDone={next} />}
      {step === 'record' && (
        <LastPage
          journalId={journal?.id}
          newTill={
            created === undefined || created.secret === null || administration === undefined || mode === undefined
              ? undefined
              : { created, where: { administration, mode }, wasTaken: progress.isTaken }
          }
        />
      )}
    </Stack>
  );
}

/** After a key is created, the page shows the key's mode, so that test mode stays unmistakable. */
function useShownJournal(journal: number | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (journal !== undefined) void navigate({ to: '.', search: { journal }, replace: true });
  }, [journal, navigate]);
}

function LastPage(props: Parameters<typeof FirstRecord>[0]) {
  useEffect(() => forgetProgress, []);
  return <FirstRecord {...props} />;
}
