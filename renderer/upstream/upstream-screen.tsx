// The screen Upstream: whether records arrive at the upstream, what stops them, and the rejected records.

import { Divider, Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Fragment } from 'react';

import { lanesQuery, overviewQuery } from '../api/queries.ts';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { isLaneShown } from '../model/lanes.ts';
import { useSelectedJournal } from '../model/selected-journal.ts';
import { LanePanel } from './lane-panel.tsx';

export function UpstreamScreen() {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Lanes key={journal.id} journalId={journal.id} />;
}

function Lanes({ journalId }: { readonly journalId: number }) {
  const { data: lanes } = useSuspenseQuery(lanesQuery(journalId));
  const { data: overview } = useQuery(overviewQuery(journalId));
  const shown = lanes.filter(isLaneShown);
  return (
    <Stack gap="xl">
      {shown.map((lane, index) => (
        <Fragment key={lane.id}>
          {index > 0 && <Divider />}
          <LanePanel lane={lane} trouble={overview?.trouble ?? null} isOnly={shown.length === 1} />
        </Fragment>
      ))}
    </Stack>
  );
}
