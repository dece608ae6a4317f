// Problems of the network on every screen. A closed notice stays closed in this window until its problem changes.

import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';

import { networkQuery } from '../api/queries.ts';
import { useNow } from '../lib/use-now.ts';
import { lazyScreen } from '../model/lazy-screen.ts';
import { listProblems, type NetworkProblem } from '../model/network-state.ts';

const NetworkAlert = lazyScreen(async () => (await import('./network-alert.tsx')).NetworkAlert);

/** Shows nothing on the page Network, which has its own list. That list also includes problems that need no action. */
export function NetworkNotice({ isOnItsPage }: { readonly isOnItsPage: boolean }) {
  const now = useNow();
  const { data: view } = useQuery(networkQuery);
  const [closed, setClosed] = useState<readonly string[]>([]);
  const problems = view === undefined || isOnItsPage ? [] : listProblems(view, now);
  const open = problems.filter((problem) => problem.kind !== 'uncertified' && !closed.includes(signatureOf(problem)));
  return (
    <Box role="status" mb={open.length === 0 ? 0 : 'md'}>
      {open.length > 0 && (
        <Suspense>
          <NetworkAlert problems={open} onClose={() => setClosed([...closed, ...open.map(signatureOf)])} />
        </Suspense>
      )}
    </Box>
  );
}

/**
 * A text that identifies a problem. The text changes if the tills, addresses or certificate of the problem change, but not if a
 * till calls again.
 */
function signatureOf(problem: NetworkProblem): string {
  switch (problem.kind) {
    case 'notListening':
    case 'uncertified':
      return JSON.stringify([problem.kind, problem.failures.map(({ address, detail }) => [address, detail])]);
    case 'certificateEnds':
      return JSON.stringify([problem.kind, problem.expiresAt, problem.isOver]);
    case 'newAuthority':
    case 'oldAddress':
      return JSON.stringify([
        problem.kind,
        problem.tills.map(({ till, administration, address }) => [till, administration, address]),
      ]);
  }
}
