// The line state, on every screen, and the counts for the rail.

import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import { useDisconnectedSince } from '../api/live.ts';
import { overviewQuery } from '../api/queries.ts';
import { StateMark } from '../components/state-mark.tsx';
import { toneOf, worstLane } from '../model/lanes.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { countByPlace, useTasks } from '../model/task-counts.ts';

import classes from './frame.module.css';

export function LinePill({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('lane');
  const formats = useStoreFormats();
  const { data } = useQuery(overviewQuery(journalId));
  const lostSince = useDisconnectedSince();
  const lane = data && worstLane(data.lanes);
  if (lostSince !== null)
    return (
      <Box className={classes.pill}>
        <StateMark tone="unknown" Icon={WifiOff}>
          {t('since', { state: t('notConnected'), time: formats.clock(lostSince) })}
        </StateMark>
      </Box>
    );
  if (data === undefined || lane === undefined) return null;
  const state = lane.url === null ? t('noUpstream') : t(lane.state);
  const isDown = lane.url !== null && lane.state !== 'running' && lane.since !== null;
  const waiting = data.total.waiting;
  return (
    <Link to="/upstream" className="plain-link">
      <Group gap={6} wrap="nowrap" px={{ base: 0, xs: 8 }} py={4} className={classes.pill}>
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

/** The number of open tasks for each screen in the rail. */
export function useAttention(): Partial<Record<string, number>> {
  const journal = useSelectedJournal();
  return countByPlace(useTasks(journal?.id) ?? []);
}
