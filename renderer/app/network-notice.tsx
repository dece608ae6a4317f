// Problems of the network on every screen: in full for managers, in one sentence for clerks. A closed notice stays closed in this
// window until its problem changes.

import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { networkQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { useNow } from '../lib/use-now.ts';
import { listProblems, type NetworkProblem } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

/** The page Network has its own list of problems. */
export function NetworkNotice({ isOnItsPage }: { readonly isOnItsPage: boolean }) {
  const { t } = useTranslation(['network', 'app']);
  const isManager = useIsManager();
  const now = useNow();
  const { data: view } = useQuery(networkQuery);
  const [closed, setClosed] = useState<readonly string[]>([]);
  const problems = view === undefined || isOnItsPage ? [] : listProblems(view, now);
  const open = problems.filter((problem) => !closed.includes(signatureOf(problem)));
  return (
    <Box role="status" mb={open.length === 0 ? 0 : 'md'}>
      {open.length > 0 && (
        <NetworkProblemAlert
          problems={open}
          isShort={!isManager}
          withCloseButton
          closeButtonLabel={t('app:close')}
          onClose={() => setClosed([...closed, ...open.map(signatureOf)])}
        >
          {isManager ? (
            <LinkButton to="/network" size="xs" variant="default">
              {t('seeNetwork')}
            </LinkButton>
          ) : (
            <Text>{t('tellManager')}</Text>
          )}
        </NetworkProblemAlert>
      )}
    </Box>
  );
}

/** Equal as long as the same tills, addresses and certificate are concerned. Another call of a till changes nothing. */
function signatureOf(problem: NetworkProblem): string {
  switch (problem.kind) {
    case 'notListening':
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
