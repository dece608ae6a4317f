// Today: is everything safe, and is it upstream? One sentence, then the numbers, then the lists behind them.

import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { LaneView } from '../../server/contract/lanes.ts';
import type { ClockFault } from '../../server/contract/machine.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import { useDisconnectedSince } from '../api/live.ts';
import { journalsQuery, overviewQuery, refusalsQuery } from '../api/queries.ts';
import { CauseText } from '../components/cause-text.tsx';
import { CountLink } from '../components/count-link.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { Money } from '../components/money.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { lazyPart } from '../lib/lazy-part.tsx';
import { noteFirstRunOffered, wasFirstRunOffered } from '../model/first-run-offer.ts';
import { toneOf, worstLane } from '../model/lanes.ts';
import { lazyScreen } from '../model/lazy-screen.ts';
import { useIsManager, useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { AmountsOffer } from './amounts-offer.tsx';
import { safetyOf, type Headline, headlineOf } from './headline.ts';
import { MachineNotices } from './machine-notices.tsx';
import { TillList } from './till-list.tsx';
import { WeekLine } from './week-line.tsx';

const NoStoreYet = lazyScreen(async () => (await import('../components/no-store-yet.tsx')).NoStoreYet);
const TodoPart = lazyScreen(async () => (await import('./todo-part.tsx')).TodoPart);
const QuarterChart = lazyPart(async () => (await import('./quarter-chart.tsx')).default);

export function TodayScreen() {
  const journal = useSelectedJournal();
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const isManager = useIsManager();
  const navigate = useNavigate();
  const [isFirst, setFirst] = useState(
    () => isManager && !wasFirstRunOffered() && journals.every(({ hasRecords }) => !hasRecords),
  );
  useEffect(() => {
    if (!isFirst) return;
    noteFirstRunOffered();
    // Resets the flag even if the user comes back to Today before /welcome has loaded. Otherwise Today would stay empty.
    void navigate({ to: '/welcome', replace: true }).finally(() => setFirst(false));
  }, [isFirst, navigate]);
  if (isFirst) return null;
  return journal === undefined ? <NoStoreYet /> : <Today journalId={journal.id} />;
}

function Today({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const { data: overview } = useSuspenseQuery(overviewQuery(journalId));
  const { records, deliveries, day, lastRecord } = overview;
  const { data: refusals = [] } = useQuery(refusalsQuery(journalId, day.from));
  const lane = worstLane(overview.lanes);
  const sentence = headlineOf(overview, lane);
  const today = { from: day.from, to: day.to };
  const { total } = overview;
  /**
   * The tiles of waiting and held records count all days, as the headline and the rail do. This text says how many are from
   * earlier days.
   */
  const fromEarlier = (state: 'waiting' | 'held'): string | undefined => {
    const earlier = total[state] - deliveries[state];
    return earlier > 0 ? t('fromEarlier', { n: formats.number(earlier) }) : undefined;
  };

  return (
    <Stack gap="xl">
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={6} flex="1 1 420px">
          <Title order={2} size={28} fw={600} lh={1.25} aria-live="polite">
            <Said sentence={sentence} overview={overview} />
          </Title>
          {sentence.kind !== 'first' && lastRecord !== null && (
            <Text c="dimmed" title={formats.exact(lastRecord.soldAt * 1000)}>
              {t('lastSale', { time: formats.time(lastRecord.soldAt * 1000), till: lastRecord.till })}
            </Text>
          )}
          <WhatToDo sentence={sentence} lane={lane} />
          {lastRecord !== null && (
            <Text c="dimmed">{t('onlyHere', { count: overview.onlyHere, n: formats.number(overview.onlyHere) })}</Text>
          )}
          <MachineNotices overview={overview} isDamageHeadline={sentence.kind === 'damaged'} />
        </Stack>
        <Safe overview={overview} />
      </Group>

      <Suspense>
        <TodoPart journalId={journalId} />
      </Suspense>

      <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} spacing="xs">
        <CountLink
          n={records.NEW}
          word={t('saleCount', { count: records.NEW })}
          more={<Money amounts={overview.amounts} fw={600} />}
          to="/records"
          search={{ ...today, status: 'NEW' }}
        />
        <CountLink
          n={records.IGNORED}
          word={t('repeated')}
          code="IGNORED"
          to="/records"
          search={{ ...today, status: 'IGNORED' }}
        />
        <CountLink
          n={records.ERROR}
          word={t('conflictCount', { count: records.ERROR })}
          code="ERROR"
          tone="differs"
          to="/records"
          search={{ ...today, status: 'ERROR' }}
        />
        <CountLink
          n={refusals.length}
          word={t('refused', { count: refusals.length })}
          tone="bad"
          to="/refused"
          search={{ from: day.from }}
        />
        <CountLink
          n={total.waiting}
          word={t('waiting', { count: total.waiting })}
          note={fromEarlier('waiting')}
          tone="waiting"
          to="/records"
          search={{ delivery: 'waiting' }}
        />
        <CountLink
          n={total.held}
          word={t('held')}
          note={fromEarlier('held')}
          tone="bad"
          to="/records"
          search={{ delivery: 'held' }}
        />
      </SimpleGrid>

      <AmountsOffer journalId={journalId} amounts={overview.amounts} />

      {overview.quarters.length > 0 && (
        <Suspense fallback={<div style={{ height: 220 }} />}>
          <QuarterChart overview={overview} />
        </Suspense>
      )}
      {overview.tills.length > 0 && <TillList overview={overview} />}
      <WeekLine journalId={journalId} today={day.date} />
    </Stack>
  );
}

function Said({ sentence, overview }: { readonly sentence: Headline; readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const { t: troubles } = useTranslation('trouble');
  const formats = useStoreFormats();
  const counted = (n: number) => ({ count: n, n: formats.number(n) });
  const { deliveries, total } = overview;
  const earlier = { waiting: total.waiting - deliveries.waiting, held: total.held - deliveries.held };
  const more = [
    deliveries.held > 0 ? t('heldToo', counted(deliveries.held)) : '',
    deliveries['set aside'] > 0 ? t('setAsideToo', counted(deliveries['set aside'])) : '',
    earlier.waiting > 0 ? t('earlierWait', counted(earlier.waiting)) : '',
    earlier.held > 0 ? t('earlierHeld', counted(earlier.held)) : '',
  ].join('');
  switch (sentence.kind) {
    case 'trouble':
      return t('trouble', { time: formats.time(sentence.since), hint: troubles(sentence.code) });
    case 'clock':
      return t('clock');
    case 'damaged':
      return t('damaged', counted(sentence.records));
    case 'first':
      return t('first');
    case 'none':
      return t('none') + more;
    case 'lineDown':
      if (sentence.waiting === 0) return t('lineDownEmpty', { time: formats.time(sentence.since) });
      return t('lineDown', { ...counted(sentence.waiting), time: formats.time(sentence.since) });
    case 'refusedUs':
    case 'paused':
      return t(sentence.kind, { ...counted(sentence.waiting), time: formats.time(sentence.since) });
    case 'noUpstream':
    case 'allUpstream':
      return t(sentence.kind, counted(sentence.sales)) + more;
    case 'someWithoutUpstream':
    case 'someUpstream':
      return t(sentence.kind, { ...counted(sentence.sales), delivered: formats.number(sentence.delivered) }) + more;
    case 'onTheirWay':
      return (
        t('onTheirWay', {
          ...counted(sentence.sales),
          delivered: formats.number(sentence.delivered),
          waiting: formats.number(sentence.waiting),
        }) + more
      );
  }
}

/** The label of a manager's link to the upstream screen. */
function whereTo({ cause }: Extract<Headline, { cause: unknown }>) {
  switch (cause?.code) {
    case 'key_refused':
      return 'enterKey';
    case 'paused':
      return 'resume';
    case 'restored':
      return 'startForwarding';
    default:
      return 'seeUpstream';
  }
}

/** A problem: its cause and how to fix it. */
function WhatToDo({ sentence, lane }: { readonly sentence: Headline; readonly lane: LaneView | undefined }) {
  const isManager = useIsManager();
  const { t } = useTranslation('today');
  switch (sentence.kind) {
    case 'lineDown':
    case 'refusedUs':
    case 'paused':
      return (
        <Group gap="sm">
          {lane !== undefined && sentence.cause !== null && (
            <StateMark tone={toneOf(lane)}>
              <CauseText cause={sentence.cause} />
            </StateMark>
          )}
          <LinkButton to="/upstream" variant="light" size="xs">
            {t(isManager ? whereTo(sentence) : 'seeUpstream')}
          </LinkButton>
        </Group>
      );
    case 'noUpstream':
    case 'someWithoutUpstream':
      if (!isManager) return <Text>{t('askUpstream')}</Text>;
      return (
        <LinkButton to="/upstream" variant="light" size="xs" style={{ alignSelf: 'flex-start' }}>
          {t('setUpstream')}
        </LinkButton>
      );
    case 'first':
      if (!isManager) return <Text>{t('askManager')}</Text>;
      return (
        <Group gap="xs">
          <LinkButton to="/welcome">{t('firstSteps')}</LinkButton>
          <LinkButton to="/tills" variant="default">
            {t('setUpTill')}
          </LinkButton>
        </Group>
      );
    case 'clock':
      return <WhatOfTheClock fault={sentence.fault} />;
    case 'damaged':
    case 'trouble':
    case 'none':
    case 'allUpstream':
    case 'someUpstream':
    case 'onTheirWay':
      return null;
  }
}

function WhatOfTheClock({ fault: { code, now, earliest } }: { readonly fault: ClockFault }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const isBeforeNewest = code === 'before_newest';
  const times = { shown: formats.exact(now), earliest: formats.exact(earliest) };
  return (
    <Text>
      {t(isBeforeNewest ? 'clockBeforeNewest' : 'clockBeforeBuild', times)} {t('clockMeans')}{' '}
      {isBeforeNewest && t('clockMayBeRight')}
    </Text>
  );
}

function Safe({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const lostSince = useDisconnectedSince();
  const safety = safetyOf(overview);
  if (safety === undefined || lostSince !== null) return null; // the state is unknown
  if (safety.kind === 'now') return <StateMark tone="fine">{t('safeNow')}</StateMark>;
  if (safety.kind === 'soon')
    return <StateMark tone="waiting">{t('safeSoon', { span: formats.span(safety.ms) })}</StateMark>;
  return <StateMark tone="waiting">{t('safeKept')}</StateMark>;
}
