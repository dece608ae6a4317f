// Upstream: whether records get there, what is the matter where they don't, and what to do about those that were refused.

import { Divider, Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Fragment } from 'react';

import { lanesQuery, overviewQuery } from '../api/queries.ts';
import { useFoundJournal } from '../app/journal.tsx';
import { isInUse } from '../app/lanes.ts';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { LanePanel } from './lane-panel.tsx';

export function UpstreamScreen() {
  const journal = useFoundJournal();
  return journal === undefined ? <NoStoreYet /> : <Lanes key={journal.id} journalId={journal.id} />;
}

function Lanes({ journalId }: { readonly journalId: number }) {
  const { data: lanes } = useSuspenseQuery(lanesQuery(journalId));
  const { data: overview } = useQuery(overviewQuery(journalId));
  const shown = lanes.filter(isInUse);
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
