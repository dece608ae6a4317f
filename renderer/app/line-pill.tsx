// The state of the line, on every screen; and what on each screen a person must look at.

import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { LaneView } from '../../server/contract.ts';
import { useLostSince } from '../api/live.ts';
import { overviewQuery, refusalsQuery } from '../api/queries.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { countRecent } from '../refused/recent.ts';
import { useFoundJournal, useStoreFormats } from './journal.tsx';
import type { Tone } from './theme.ts';

const WORST_FIRST = ['refused', 'line down', 'paused', 'running'] as const;
const TONE_OF: Record<LaneView['state'], Tone> = {
  running: 'fine',
  'line down': 'differs',
  refused: 'bad',
  paused: 'unknown',
};

/** The lane to speak of: of those that matter, the one that is worst off. */
export function worstLane(lanes: readonly LaneView[]): LaneView | undefined {
  const inUse = lanes.filter(({ url, deliveries }) => url !== null || deliveries.waiting > 0);
  const candidates = inUse.length > 0 ? inUse : lanes.slice(0, 1);
  return candidates.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state)).at(0);
}

export function toneOf(lane: LaneView): Tone {
  return lane.url === null ? 'unknown' : TONE_OF[lane.state];
}

export function LinePill({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('lane');
  const formats = useStoreFormats();
  const { data } = useQuery(overviewQuery(journalId));
  const lostSince = useLostSince();
  const lane = data && worstLane(data.lanes);
  if (lostSince !== null)
    return (
      <StateMark tone="unknown" Icon={WifiOff}>
        {t('since', { state: t('notConnected'), time: formats.clock(lostSince) })}
      </StateMark>
    );
  if (data === undefined || lane === undefined) return null;
  const state = lane.url === null ? t('noUpstream') : t(lane.state);
  const isDown = lane.url !== null && lane.state !== 'running' && lane.since !== null;
  const waiting = data.total.waiting;
  return (
    <Link to="/upstream" className="door">
      <Group gap={6} wrap="nowrap" px={8} py={4}>
        <StateMark tone={toneOf(lane)}>
          {isDown ? (
            <>
              <Box component="span" hiddenFrom="xs">
                {state}
              </Box>
              <Box component="span" visibleFrom="xs">
                {t('since', { state, time: formats.time(lane.since ?? 0) })}
              </Box>
            </>
          ) : (
            state
          )}
        </StateMark>
        {waiting > 0 && (
          <Text size="sm" c="dimmed" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
            · {t('waiting', { count: waiting, n: formats.number(waiting) })}
          </Text>
        )}
      </Group>
    </Link>
  );
}

/** How many things a person must look at, by screen. */
export function useAttention(): Partial<Record<string, number>> {
  const journal = useFoundJournal();
  const enabled = journal !== undefined;
  const { data } = useQuery({ ...overviewQuery(journal?.id ?? 0), enabled });
  const refusals = useQuery({ ...refusalsQuery(journal?.id ?? 0), enabled });
  if (data === undefined) return {};
  return {
    refused: countRecent(refusals.data ?? [], refusals.dataUpdatedAt),
    upstream: data.total.held + data.lanes.filter(({ url, state }) => url !== null && state === 'refused').length,
  };
}
